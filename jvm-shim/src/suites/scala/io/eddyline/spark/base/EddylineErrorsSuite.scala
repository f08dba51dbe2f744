package io.eddyline.spark.base

import java.nio.file.Files

import org.apache.spark.ErrorClassesJsonReader
import org.scalatest.funsuite.AnyFunSuite

class EddylineErrorsSuite extends AnyFunSuite {

  test("the conditions are added to those that another extension has added") {
    val file = Files.createTempFile("conditions", ".json")
    Files.writeString(file, """{"OF_OTHERS": {"message": ["A fact."], "sqlState": "42601"}}""")
    val reader = new ErrorClassesJsonReader(Seq(file.toUri.toURL))
    EddylineErrors.addTo(reader)
    assert(reader.isValidErrorClass("OF_OTHERS"))
    assert(reader.isValidErrorClass("EDDYLINE_READER"))
    Files.delete(file)
  }
}
