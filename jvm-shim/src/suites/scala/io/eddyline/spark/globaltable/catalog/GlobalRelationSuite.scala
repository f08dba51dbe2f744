package io.eddyline.spark.globaltable.catalog

import java.util

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.connector.catalog._
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.types.IntegerType
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.scalatest.funsuite.AnyFunSuite

class GlobalRelationSuite extends AnyFunSuite {

  /** Whether a relation of the table `ice.db.<table>` reads a global table. */
  private def isGlobal(
      identifier: String,
      table: String = "g",
      options: Map[String, String] = Map.empty,
      catalog: String = "ice"): Boolean = {
    val parts = identifier.split('.')
    val relation = DataSourceV2Relation.create(
      new Marked(s"ice.db.$table"), Some(new Named(catalog)),
      Some(Identifier.of(parts.init, parts.last)), new CaseInsensitiveStringMap(options.asJava))
    GlobalRelation.unapply(relation).isDefined
  }

  test("a branch, tag or snapshot of a table in Iceberg is no global table") {
    assert(isGlobal("db.g"))
    assert(isGlobal("db.g", options = Map("split-size" -> "1")))
    for (option <- Seq("branch", "TAG", "snapshot-id", "as-of-timestamp", "scan-task-set-id")) {
      assert(!isGlobal("db.g", options = Map(option -> "1")), option)
    }
    for (selector <- Seq("branch_x", "tag_x", "snapshot_id_12", "at_timestamp_12")) {
      assert(!isGlobal(s"db.g.$selector"), selector)
    }
    assert(isGlobal("db.branch_offices", table = "branch_offices"))
  }

  test("what a procedure of Iceberg rewrites is no global table") {
    assert(!isGlobal("0e1b8d9c", catalog = "default_rewrite_catalog"))
  }

  private class Named(override val name: String) extends CatalogPlugin {
    override def initialize(name: String, options: CaseInsensitiveStringMap): Unit = ()
  }

  private class Marked(override val name: String) extends Table {
    override def columns: Array[Column] = Array(Column.create("k", IntegerType))
    override def properties: util.Map[String, String] =
      util.Map.of(GlobalTableOptions.MARKER, "true")
    override def capabilities: util.Set[TableCapability] = util.Set.of(TableCapability.BATCH_READ)
  }
}
