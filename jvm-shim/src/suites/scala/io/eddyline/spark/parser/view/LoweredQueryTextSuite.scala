package io.eddyline.spark.parser.view

import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, OneRowRelation}
import org.apache.spark.sql.execution.SparkSqlParser
import org.scalatest.funsuite.AnyFunSuite

class LoweredQueryTextSuite extends AnyFunSuite {

  test("a query that another extension's parser understands is stored as typed") {
    val other = new SparkSqlParser {
      override def parsePlan(text: String): LogicalPlan =
        if (text == "rows of mine") OneRowRelation() else super.parsePlan(text)
    }
    assert(new LoweredQueryText(other)("rows of mine") === "rows of mine")
  }
}
