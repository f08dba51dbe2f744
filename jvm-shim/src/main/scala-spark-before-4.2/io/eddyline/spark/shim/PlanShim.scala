package io.eddyline.spark.shim

import org.apache.spark.sql.catalyst.{InternalRow, TableIdentifier}
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.{CollectList, CollectSet}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.connector.catalog.TableWritePrivilege
import org.apache.spark.sql.connector.read.InputPartition
import org.apache.spark.sql.execution.command.ViewHelper
import org.apache.spark.sql.execution.datasources.v2.DataSourceRDDPartition

/** Spark's plans. */
private[spark] object PlanShim {

  /** A partitioning by expressions, in which each partition has one value of them. */
  type Keyed = KeyGroupedPartitioning

  /** That partitioning; a Union of branches without partitions fails here if they have it. */
  def keyed(expressions: Seq[Expression], values: Seq[InternalRow]): Partitioning =
    if (values.isEmpty) UnknownPartitioning(0)
    else KeyGroupedPartitioning(expressions, values.size, values, values)

  /** What a partition of a scan reads; None unless it is one split. */
  def split(partition: DataSourceRDDPartition): Option[InputPartition] =
    Option.when(partition.inputPartitions.size == 1)(partition.inputPartitions.head)

  /** Whether the scans of a storage-partitioned join are copied, without their tags. */
  val copiesScans: Boolean = true

  /** Whether the aggregate leaves out NULL. */
  def ignoresNulls(list: CollectList): Boolean = true

  /** Whether the aggregate leaves out NULL. */
  def ignoresNulls(set: CollectSet): Boolean = true

  /** Marks a table as one into which rows are inserted. */
  def insertable(table: UnresolvedRelation): UnresolvedRelation =
    table.requireWritePrivileges(Seq(TableWritePrivilege.INSERT))

  /** Raises an error if the plan of a stored query has a temporary view, function or variable. */
  def requireNoTemporaryObject(name: String, plan: LogicalPlan): Unit =
    ViewHelper.verifyTemporaryObjectsNotExists(false, TableIdentifier(name), plan, Nil)
}
