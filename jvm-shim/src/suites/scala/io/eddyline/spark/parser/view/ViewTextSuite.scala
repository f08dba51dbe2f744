package io.eddyline.spark.parser.view

import org.scalatest.funsuite.AnyFunSuite

class ViewTextSuite extends AnyFunSuite {

  test("the typed query of a lowered one is found again") {
    val lowered = "SELECT * FROM __eddyline_assume(TABLE(t))"
    assert(ViewText.asTyped(ViewText.stored(lowered, "TABLE\nt")) === "TABLE\nt")
  }

  test("a comment of a user that looks like a typed query is a part of the view") {
    val own = "SELECT 1\n-- as typed:\n-- by hand\n"
    assert(ViewText.asTyped(own) === own)
  }
}
