package io.eddyline.spark.ui

import org.scalatest.funsuite.AnyFunSuite

class UiOfSparkSuite extends AnyFunSuite {

  test("a Spark with another UI goes without the tab") {
    assert(UiOfSpark.isPresent(true))
    assert(!UiOfSpark.isPresent(false))
    assert(!UiOfSpark.isPresent(throw new NoSuchMethodError("SparkUI.attachTab")))
    assert(!UiOfSpark.isPresent(throw new NoClassDefFoundError("WebUIPage")))
  }

  test("what is no matter of the Spark is raised") {
    intercept[IllegalStateException](UiOfSpark.isPresent(throw new IllegalStateException("closed")))
  }
}
