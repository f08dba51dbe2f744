package io.eddyline.spark.report

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.Row
import org.apache.spark.sql.classic.{DataFrame, SparkSession}
import org.apache.spark.sql.types.{StringType, StructType}

import io.eddyline.spark.base.Json

/** Findings as rows of EXPLAIN CLAUSES. */
private[spark] object FindingRows {

  /**
   * The schema of EXPLAIN CLAUSES. `details` is a JSON object with all fields of the finding, which
   * every client can read, unlike a MAP or a STRUCT.
   */
  val SCHEMA: StructType = new StructType()
    .add("part", StringType, nullable = false)
    .add("subject", StringType, nullable = false)
    .add("outcome", StringType, nullable = false)
    .add("reason", StringType)
    .add("details", StringType, nullable = false)

  /** @param shown removes secrets from a text */
  def of(findings: Seq[Finding], shown: String => String = identity): Seq[Row] =
    findings.map { found =>
      val fields = new java.util.LinkedHashMap[String, Any]
      found.details.foreach { case (name, value) => fields.put(name, redacted(value, shown)) }
      Row(found.part, shown(found.subject), found.outcome, found.reason.map(shown).orNull,
        Json.mapper.writeValueAsString(fields))
    }

  /** Removes secrets before the texts are JSON, in which a quote has a backslash. */
  private def redacted(value: Any, shown: String => String): Any = value match {
    case text: String => shown(text)
    case fields: Map[_, _] => fields.map { case (key, value) => key -> redacted(value, shown) }
    case values: Iterable[_] => values.map(redacted(_, shown))
    case value: Option[_] => value.map(redacted(_, shown))
    case other => other
  }

  def frame(findings: Seq[Finding], session: SparkSession): DataFrame =
    session.createDataFrame(of(findings).asJava, SCHEMA)
}
