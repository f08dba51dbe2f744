package io.eddyline.spark.report

import org.apache.spark.sql.internal.SQLConf
import org.scalatest.funsuite.AnyFunSuite

import io.eddyline.spark.base.{Json, Redaction}

class FindingRowsSuite extends AnyFunSuite {
  test("details are JSON also where a secret with quotes is removed") {
    val finding = EmitFinding("EMIT ON CHANGE token=\"hush\" rest", "USED", None)
    val Seq(row) = FindingRows.of(Seq(finding), Redaction.text(new SQLConf, _))
    val clause = Json.mapper.readTree(row.getString(4)).get("clause").asText
    assert(clause === row.getString(1) && !clause.contains("hush"))
  }
}
