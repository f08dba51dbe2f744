package io.eddyline.spark.globaltable.catalog

import org.apache.spark.sql.classic.SparkSession

import io.eddyline.spark.SqlText.literal

/** Changes of the catalog, by Spark's own statements, which check permissions as for any user. */
private[globaltable] object CatalogChanges {

  def drop(entry: CatalogEntry, session: SparkSession): Unit =
    session.sql(s"DROP ${kind(entry)} ${entry.id.sql}")

  /** Lets a table that has some properties have others. */
  def replaceProperties(
      entry: CatalogEntry,
      before: Map[String, String],
      after: Map[String, String],
      session: SparkSession): Unit = {
    val alter = s"ALTER ${kind(entry)} ${entry.id.sql}"
    val set = after.filterNot { case (key, value) => before.get(key).contains(value) }
      .map { case (key, value) => s"${literal(key)} = ${literal(value)}" }
    val gone = (before.keySet -- after.keySet).map(literal)
    if (set.nonEmpty) session.sql(s"$alter SET TBLPROPERTIES ${set.mkString("(", ", ", ")")}")
    if (gone.nonEmpty) {
      session.sql(s"$alter UNSET TBLPROPERTIES IF EXISTS ${gone.mkString("(", ", ", ")")}")
    }
  }

  /** Lets a table be as it was. */
  def restore(entry: CatalogEntry, changed: Map[String, String], session: SparkSession): Unit =
    entry.metadata match {
      case Some(metadata) => session.sessionState.catalog.alterTable(metadata)
      case None => replaceProperties(entry, changed, entry.properties, session)
    }

  private def kind(entry: CatalogEntry): String = if (entry.isView) "VIEW" else "TABLE"
}
