package io.eddyline.spark.report

import org.scalatest.funsuite.AnyFunSuite

class QueryReportsSuite extends AnyFunSuite {

  test("a Spark with another UI goes without the tab") {
    assert(QueryReports.isPresent(true))
    assert(!QueryReports.isPresent(false))
    assert(!QueryReports.isPresent(throw new NoSuchMethodError("SparkUI.attachTab")))
    assert(!QueryReports.isPresent(throw new NoClassDefFoundError("WebUIPage")))
  }

  test("what is no matter of the Spark is raised") {
    intercept[IllegalStateException](
      QueryReports.isPresent(throw new IllegalStateException("closed")))
  }
}
