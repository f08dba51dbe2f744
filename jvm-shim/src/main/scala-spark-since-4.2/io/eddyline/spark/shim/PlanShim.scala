package io.eddyline.spark.shim

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.{CollectList, CollectSet}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.physical.{KeyedPartitioning, Partitioning}
import org.apache.spark.sql.connector.catalog.TableWritePrivilege
import org.apache.spark.sql.connector.read.InputPartition
import org.apache.spark.sql.execution.command.ViewHelper
import org.apache.spark.sql.execution.datasources.v2.DataSourceRDDPartition

/** Spark's plans. */
private[spark] object PlanShim {

  /** A partitioning by expressions, in which each partition has one value of them. */
  type Keyed = KeyedPartitioning

  /** That partitioning. */
  def keyed(expressions: Seq[Expression], values: Seq[InternalRow]): Partitioning =
    KeyedPartitioning(expressions, values)

  /** What a partition of a scan reads; None unless it is one split. */
  def split(partition: DataSourceRDDPartition): Option[InputPartition] =
    partition.inputPartition

  /** Whether the scans of a storage-partitioned join are copied, without their tags. */
  val copiesScans: Boolean = false

  /** Whether the aggregate leaves out NULL. */
  def ignoresNulls(list: CollectList): Boolean = list.ignoreNulls

  /** Whether the aggregate leaves out NULL. */
  def ignoresNulls(set: CollectSet): Boolean = set.ignoreNulls

  /** Marks a table as one into which rows are inserted. */
  def insertable(table: UnresolvedRelation): UnresolvedRelation =
    table.requireWritePrivileges(Set(TableWritePrivilege.INSERT))

  /** Raises an error if the plan of a stored query has a temporary view, function or variable. */
  def requireNoTemporaryObject(name: String, plan: LogicalPlan): Unit =
    ViewHelper.verifyTemporaryObjectsNotExists(false, Seq(name), plan, Nil)
}
