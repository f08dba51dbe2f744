package io.eddyline.spark.report

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.Row
import org.apache.spark.sql.classic.{DataFrame, SparkSession}
import org.apache.spark.sql.types.StructType

import io.eddyline.spark.base.Json

/** Turns findings into rows of EXPLAIN CLAUSES. */
private[spark] object FindingRows {

  /**
   * The schema of EXPLAIN CLAUSES. `details` is a JSON object with all fields of the finding, which
   * every client can read, unlike a MAP or a STRUCT.
   */
  val SCHEMA: StructType = StructType.fromDDL("part STRING NOT NULL, subject STRING NOT NULL, " +
    "outcome STRING NOT NULL, reason STRING, details STRING NOT NULL")

  /** Returns a row for each finding; `redact` removes secrets from a text. */
  def of(findings: Seq[Finding], redact: String => String = identity): Seq[Row] =
    findings.map { found =>
      val fields = new java.util.LinkedHashMap[String, Any]
      found.details.foreach { case (name, value) => fields.put(name, redactAll(value, redact)) }
      Row(found.part, redact(found.subject), found.outcome, found.reason.map(redact).orNull,
        Json.mapper.writeValueAsString(fields))
    }

  /** Removes secrets from the texts in a value. In JSON they have backslashes before quotes. */
  private def redactAll(value: Any, redact: String => String): Any = value match {
    case text: String => redact(text)
    case fields: Map[_, _] => fields.map { case (key, value) => key -> redactAll(value, redact) }
    case values: Iterable[_] => values.map(redactAll(_, redact))
    case value: Option[_] => value.map(redactAll(_, redact))
    case other => other
  }

  /** Returns the same rows as a DataFrame. */
  def frame(findings: Seq[Finding], session: SparkSession): DataFrame =
    session.createDataFrame(of(findings).asJava, SCHEMA)
}
