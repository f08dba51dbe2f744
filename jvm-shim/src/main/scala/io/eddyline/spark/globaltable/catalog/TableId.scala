package io.eddyline.spark.globaltable.catalog

import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.connector.catalog.{CatalogPlugin, Identifier, Table}
import org.apache.spark.sql.types.{StructField, StructType}

/**
 * Identifies one incarnation of a table: a table that is dropped and created again, or whose schema
 * changes, gets another id.
 *
 * @param name catalog, namespaces, table
 * @param incarnation distinguishes the incarnations of that name
 */
case class TableId(name: Seq[String], incarnation: String) {
  def sql: String = name.map(quoteIfNeeded).mkString(".")

  /** The quoted name, without the catalog if that is the session catalog. */
  def shortName: String = name match {
    case TableId.SESSION_CATALOG +: rest => rest.map(quoteIfNeeded).mkString(".")
    case _ => sql
  }

  /** The name of the table's folder: readable, and safe in a path. */
  def folder: String = {
    val readable = shortName.replaceAll("[^A-Za-z0-9_.]", "-")
    s"$readable-${Integer.toHexString(hashCode)}"
  }
}

object TableId {
  val SESSION_CATALOG = "spark_catalog"

  def of(table: CatalogTable): TableId = {
    val identifier = table.identifier
    TableId(
      identifier.catalog.getOrElse(SESSION_CATALOG) +:
        (identifier.database.toSeq :+ identifier.table),
      s"${table.createTime}/${hash(table.schema)}")
  }

  def of(catalog: CatalogPlugin, identifier: Identifier, table: Table): TableId = TableId(
    catalog.name +: identifier.namespace.toSeq :+ identifier.name,
    s"${Option(table.id).getOrElse("")}/${hash(schema(table))}")

  private def schema(table: Table): StructType = StructType(
    table.columns.map(column => StructField(column.name, column.dataType, column.nullable)))

  /** A hash of the columns' names and types; comments and metadata do not count. */
  private def hash(schema: StructType): String =
    Integer.toHexString(schema.map(column => column.name -> column.dataType.json).hashCode)
}
