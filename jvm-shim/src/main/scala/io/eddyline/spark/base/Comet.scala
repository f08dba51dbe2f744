package io.eddyline.spark.base

import org.apache.spark.sql.internal.{SQLConf, StaticSQLConf}

/** DataFusion Comet, an extension of Spark that runs operators in native code. */
object Comet {
  private val EXTENSION = "org.apache.comet.CometSparkSessionExtensions"
  private val OPERATORS = "org.apache.spark.sql.comet."
  private val ENABLED = Seq("spark.comet.enabled", "spark.comet.exec.enabled")

  /** Whether an operator is one of Comet, or of a subclass. */
  def runs(operator: AnyRef): Boolean =
    Iterator.iterate[Class[_]](operator.getClass)(_.getSuperclass).takeWhile(_ != null)
      .exists(_.getName.startsWith(OPERATORS))

  /** Whether Comet is loaded, and switched on in a session: both confs are true by default. */
  def isActive(conf: SQLConf): Boolean =
    conf.getConf(StaticSQLConf.SPARK_SESSION_EXTENSIONS).exists(_.contains(EXTENSION)) &&
      ENABLED.forall(conf.getConfString(_, "true").toBoolean)
}
