package io.eddyline.spark

import org.apache.spark.sql.internal.SQLConf

/** Spark's own redaction, of what users see of a statement. */
private[spark] object Redaction {

  /** Values of options whose names look secret: `spark.sql.redaction.options.regex`. */
  def options(conf: SQLConf, options: Map[String, String]): Map[String, String] =
    conf.redactOptions(options).toMap

  /** What `spark.sql.redaction.string.regex` matches. */
  def text(conf: SQLConf, text: String): String =
    conf.stringRedactionPattern.fold(text)(_.replaceAllIn(text, "*********(redacted)"))
}
