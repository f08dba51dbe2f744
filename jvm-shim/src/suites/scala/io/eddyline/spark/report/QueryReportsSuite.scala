package io.eddyline.spark.report

import org.scalatest.funsuite.AnyFunSuite

class QueryReportsSuite extends AnyFunSuite {

  test("a Spark with another UI goes without the tab") {
    assert(QueryReports.tryAttach(true))
    assert(!QueryReports.tryAttach(false))
    assert(!QueryReports.tryAttach(throw new NoSuchMethodError("SparkUI.attachTab")))
    assert(!QueryReports.tryAttach(throw new NoClassDefFoundError("WebUIPage")))
  }

  test("what is no matter of the Spark is raised") {
    intercept[IllegalStateException](
      QueryReports.tryAttach(throw new IllegalStateException("closed")))
  }
}
