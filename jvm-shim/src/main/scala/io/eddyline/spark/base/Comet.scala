package io.eddyline.spark.base

import org.apache.spark.sql.internal.{SQLConf, StaticSQLConf}

/** DataFusion Comet, an extension that runs operators natively, for which other plans are cheap. */
object Comet {
  private val EXTENSION = "org.apache.comet.CometSparkSessionExtensions"
  private val OPERATORS = "org.apache.spark.sql.comet."
  private val ENABLED = Seq("spark.comet.enabled", "spark.comet.exec.enabled")

  /** Whether an operator is one of Comet's, or extends one. */
  def runs(operator: AnyRef): Boolean =
    Iterator.iterate[Class[_]](operator.getClass)(_.getSuperclass).takeWhile(_ != null)
      .exists(_.getName.startsWith(OPERATORS))

  /** Whether it is loaded, and switched on in a session. Both of its confs are true by default. */
  def isActive(conf: SQLConf): Boolean =
    conf.getConf(StaticSQLConf.SPARK_SESSION_EXTENSIONS).exists(_.contains(EXTENSION)) &&
      ENABLED.forall(conf.getConfString(_, "true").toBoolean)
}
