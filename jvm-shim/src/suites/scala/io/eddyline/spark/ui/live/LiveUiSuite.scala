package io.eddyline.spark.ui.live

import org.scalatest.funsuite.AnyFunSuite

class LiveUiSuite extends AnyFunSuite {

  test("a Spark with another UI goes without the tab") {
    assert(LiveUi.isPresent(true))
    assert(!LiveUi.isPresent(false))
    assert(!LiveUi.isPresent(throw new NoSuchMethodError("SparkUI.attachTab")))
    assert(!LiveUi.isPresent(throw new NoClassDefFoundError("WebUIPage")))
  }

  test("what is no matter of the Spark is raised") {
    intercept[IllegalStateException](LiveUi.isPresent(throw new IllegalStateException("closed")))
  }
}
