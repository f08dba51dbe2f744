package io.eddyline.spark.globaltable.catalog

import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.classic.SparkSession

import io.eddyline.spark.base.Redaction
import io.eddyline.spark.kafka.TopicTable

/** Builds the statement that creates a global table, without secrets, for SHOW CREATE. */
private[globaltable] object CreateStatement {
  private val HEAD = "^CREATE (EXTERNAL )?TABLE".r
  private val PROPERTIES = """(?s)\nTBLPROPERTIES \(\n.*?'\)(?=\n|$)""".r

  def of(entry: CatalogEntry, session: SparkSession): String = {
    val clauses = entry.options.primaryKeySql.map(keys => s"PRIMARY KEY ($keys)").toSeq ++
      entry.options.sql ++ own(entry)
    val lines = entry.metadata.filter(_ => entry.isView) match {
      case Some(view) =>
        val query = entry.properties.get(GlobalTableOptions.QUERY).orElse(view.viewText)
        val comment = entry.comment.map(text => s"COMMENT ${Literal(redacted(text, session)).sql}")
        val head = s"CREATE GLOBAL TABLE ${entry.id.shortName}"
        head +: (clauses ++ comment) :+ s"AS ${query.mkString}"
      case None =>
        val shown = session.sql(s"SHOW CREATE TABLE ${entry.id.sql}").head().getString(0).trim
        val bare = PROPERTIES.replaceAllIn(shown, "")
        val statement = entry.comment.fold(bare)(text =>
          bare.replace(quoted(text), quoted(redacted(text, session))))
        val typed = statement.replaceFirst(
          s"(?m)^USING ${TopicFormat.STORED}$$", s"USING ${TopicTable.FORMAT}")
        HEAD.replaceFirstIn(typed, "CREATE GLOBAL TABLE") +: clauses
    }
    Redaction.statement(session.sessionState.conf, (needed(entry, session) ++ lines).mkString("\n"))
  }

  /** Redacts a comment as plain text, because a secret in it needs no quotes. */
  private def redacted(comment: String, session: SparkSession): String =
    Redaction.text(session.sessionState.conf, comment)

  /** Returns the COMMENT clause with the quotes that Spark's SHOW CREATE TABLE uses. */
  private def quoted(comment: String): String = s"COMMENT '${comment.replace("'", "\\'")}'"

  /** The settings that the rows depend on, where those of the current session differ. */
  private def needed(entry: CatalogEntry, session: SparkSession): Seq[String] = {
    val here = SessionSettings.of(session)
    val others = entry.settings.filterNot { case (key, value) => here.get(key).contains(value) }
    SessionSettings.shown(others, session).map(setting => s"-- SET $setting")
  }

  /** The clause with the properties that the user set; None if there are none. */
  private def own(entry: CatalogEntry): Option[String] = {
    val pairs = entry.declared.toSeq.sorted.collect {
      case (key, value) if !GlobalTableOptions.isReserved(key) =>
        s"${Literal(key).sql} = ${Literal(value).sql}"
    }
    Option.when(pairs.nonEmpty)(pairs.mkString("TBLPROPERTIES (", ", ", ")"))
  }
}
