package io.eddyline.spark.base

import org.apache.spark.sql.internal.SQLConf

/**
 * Removes secrets from options, statements, errors, plans and paths before users see them.
 *
 * It redacts what Spark redacts (`spark.redaction.regex`, `spark.sql.redaction.options.regex`,
 * `spark.sql.redaction.string.regex`) and also, whatever those say, each [[Secret]].
 */
private[spark] object Redaction {
  import Secret.REDACTED

  /** The minimum length of a secret that is removed from other texts; a shorter one is likely. */
  private val MIN_SECRET_LENGTH = 4

  /** Returns options without the secrets among their values. */
  def options(conf: SQLConf, options: Map[String, String]): Map[String, String] =
    conf.redactOptions(options).map {
      case (key, _) if Secret.isNamed(key) => key -> REDACTED
      case (key, value) => key -> text(conf, value)
    }

  /** Whether an option is a secret by its name, or its value contains one. */
  def isSecret(conf: SQLConf, key: String, value: String): Boolean =
    isSecretName(conf, key) || Secret.inText(conf, value).nonEmpty

  private def isSecretName(conf: SQLConf, key: String): Boolean =
    options(conf, Map(key -> ""))(key).nonEmpty

  /** Returns the secrets in options and in SQL, which [[text]] removes from other texts. */
  def secrets(conf: SQLConf, options: Map[String, String], sql: String): Set[String] = {
    val ofOptions = options.collect { case (key, value) if isSecretName(conf, key) => value }
    val ofText = Secret.inStatement(conf, sql).map(found => sql.substring(found.start, found.end))
    (ofOptions ++ ofText)
      .filter(value => value.length >= MIN_SECRET_LENGTH && value.toBooleanOption.isEmpty).toSet
  }

  /** Returns what the secrets in SQL are, in words for an error. */
  def namesIn(conf: SQLConf, sql: String): Seq[String] =
    Secret.inStatement(conf, sql).sortBy(_.start).map(_.what).distinct

  /** Returns an error, a path, a plan or another text that is not SQL without its secrets. */
  def text(conf: SQLConf, text: String, secrets: Set[String] = Set.empty): String = {
    val without = secrets.toSeq.sortBy(-_.length).foldLeft(text)(_.replace(_, REDACTED))
    replace(without, Secret.inText(conf, without))
  }

  /** Returns SQL without its secrets, which has the same tokens else, and so still parses. */
  def statement(conf: SQLConf, sql: String): String = replace(sql, Secret.inStatement(conf, sql))

  private def replace(text: String, secrets: Seq[Secret]): String = {
    val shown = new StringBuilder
    val done = secrets.sortBy(_.start).foldLeft(0) { (done, secret) =>
      if (secret.end <= done) done
      else {
        if (secret.start >= done) shown ++= text.substring(done, secret.start) ++= REDACTED
        secret.end
      }
    }
    (shown ++= text.substring(done)).toString
  }
}
