package io.eddyline.spark

import java.util.Properties

import scala.util.Using

import org.apache.spark.SPARK_VERSION

/** The version of eddyline in this jar, and of the Spark it was built for. */
object EddylineVersion {
  private val build: Properties = {
    val properties = new Properties
    Using.resource(getClass.getResourceAsStream("/eddyline/build.properties"))(properties.load)
    properties
  }

  val eddyline: String = build.getProperty("version")

  private val builtFor: String = minor(build.getProperty("spark"))

  /** Fails on another minor version of Spark, whose internals would cause linkage errors later. */
  def requireSupportedSpark(): Unit =
    if (minor(SPARK_VERSION) != builtFor) {
      EddylineErrors.register()
      throw EddylineErrors.analysis(
        "EDDYLINE_UNSUPPORTED_SPARK_VERSION",
        Map("supported" -> builtFor, "found" -> minor(SPARK_VERSION)))
    }

  private def minor(version: String): String = version.split('.').take(2).mkString(".")
}
