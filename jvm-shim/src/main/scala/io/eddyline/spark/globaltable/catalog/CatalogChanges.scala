package io.eddyline.spark.globaltable.catalog

import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.classic.SparkSession

/** Changes the catalog with Spark's own statements, which check the user's permissions. */
private[globaltable] object CatalogChanges {

  def drop(entry: CatalogEntry, session: SparkSession): Unit =
    session.sql(s"DROP ${kind(entry)} ${entry.id.sql}")

  /** Replaces the properties `before` of a table by others. */
  def replaceProperties(
      entry: CatalogEntry,
      before: Map[String, String],
      after: Map[String, String],
      session: SparkSession): Unit = {
    val alter = s"ALTER ${kind(entry)} ${entry.id.sql}"
    val set = after.filterNot { case (key, value) => before.get(key).contains(value) }
      .map { case (key, value) => s"${Literal(key).sql} = ${Literal(value).sql}" }
    val gone = (before.keySet -- after.keySet).map(Literal(_).sql)
    if (set.nonEmpty) session.sql(s"$alter SET TBLPROPERTIES ${set.mkString("(", ", ", ")")}")
    if (gone.nonEmpty) {
      session.sql(s"$alter UNSET TBLPROPERTIES IF EXISTS ${gone.mkString("(", ", ", ")")}")
    }
  }

  /** Restores a table to its state in `entry`, after some of its properties were changed. */
  def restore(entry: CatalogEntry, changed: Map[String, String], session: SparkSession): Unit =
    entry.metadata match {
      case Some(metadata) => session.sessionState.catalog.alterTable(metadata)
      case None => replaceProperties(entry, changed, entry.properties, session)
    }

  private def kind(entry: CatalogEntry): String = if (entry.isView) "VIEW" else "TABLE"
}
