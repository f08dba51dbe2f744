package io.eddyline.spark.globaltable

import org.apache.spark.sql.classic.SparkSession

import io.eddyline.spark.SqlText.literal

/** Changes of the catalog, by Spark's own statements, which check permissions as for any user. */
private[globaltable] object CatalogChanges {

  def drop(entry: CatalogEntry, session: SparkSession): Unit =
    session.sql(s"DROP ${kind(entry)} ${entry.id.sql}")

  /** Sets these properties, and removes those of ours that are not among them. */
  def replaceProperties(
      entry: CatalogEntry,
      properties: Map[String, String],
      session: SparkSession): Unit = {
    val alter = s"ALTER ${kind(entry)} ${entry.id.sql}"
    val set = properties.map { case (key, value) => s"${literal(key)} = ${literal(value)}" }
    session.sql(s"$alter SET TBLPROPERTIES ${set.mkString("(", ", ", ")")}")
    val gone = entry.properties.keySet.filter(GlobalTableOptions.isOurs) -- properties.keySet -
      GlobalTableOptions.QUERY
    if (gone.nonEmpty) {
      val keys = gone.map(literal).mkString("(", ", ", ")")
      session.sql(s"$alter UNSET TBLPROPERTIES IF EXISTS $keys")
    }
  }

  private def kind(entry: CatalogEntry): String = if (entry.isView) "VIEW" else "TABLE"
}
