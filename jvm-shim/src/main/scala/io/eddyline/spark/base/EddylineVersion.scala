package io.eddyline.spark.base

import java.util.Properties

import scala.jdk.CollectionConverters._
import scala.util.Using

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.spark.SPARK_VERSION

/** The version of eddyline in this jar, and of the Spark it was built for. */
object EddylineVersion {
  private val UNSUPPORTED = "EDDYLINE_UNSUPPORTED_SPARK_VERSION"

  private val build: Properties = {
    val properties = new Properties
    Using.resource(getClass.getResourceAsStream("/eddyline/build.properties"))(properties.load)
    properties
  }

  val eddyline: String = build.getProperty("version")

  private val builtFor: String = minor(build.getProperty("spark"))

  /**
   * The text of the error EDDYLINE_UNSUPPORTED_SPARK_VERSION; None if the running Spark has the
   * minor version that this jar was built for. The error is not in Spark's registry, because the
   * registry of another Spark cannot read the conditions.
   */
  lazy val unsupported: Option[String] = Option.when(minor(SPARK_VERSION) != builtFor) {
    val condition = Using.resource(getClass.getResourceAsStream("/eddyline/error-conditions.json"))(
      new ObjectMapper().readTree(_).get(UNSUPPORTED))
    val template = condition.get("message").elements.asScala.map(_.asText).mkString("\n")
    val message = template.replace("<supported>", builtFor).replace("<found>", minor(SPARK_VERSION))
    s"[$UNSUPPORTED] $message SQLSTATE: ${condition.get("sqlState").asText}"
  }

  private def minor(version: String): String = version.split('.').take(2).mkString(".")
}
