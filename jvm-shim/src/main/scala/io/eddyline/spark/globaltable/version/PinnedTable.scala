package io.eddyline.spark.globaltable.version

import org.apache.spark.sql.catalyst.analysis.{MultiInstanceRelation, Resolver}
import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, LogicalPlan, Statistics}
import org.apache.spark.sql.classic.SparkSession

import io.eddyline.spark.assume.claim.UnclaimableRelation
import io.eddyline.spark.globaltable.catalog.TableId

/**
 * A leaf that reads one version of a global table. Physical planning turns a join with it into a
 * lookup in a replica, and any other use into a scan of the version.
 *
 * @param version None in EXPLAIN, if nothing has loaded the table yet
 * @param settings the [[SessionSettings]] of the session that created the table
 */
case class PinnedTable(id: TableId, version: Option[Version], output: Seq[AttributeReference])(
    val table: TableReader, val settings: Map[String, String] = Map.empty)
  extends LeafNode with MultiInstanceRelation with UnclaimableRelation {

  /** Returns the plan that scans this version; Spark can push filters and columns into it. */
  def scan(session: SparkSession): LogicalPlan = table.read(version, output, session)

  /** The columns of the primary key; empty if the table has none. */
  def primaryKey(resolver: Resolver): Seq[AttributeReference] =
    table.options.primaryKey.flatMap(key => output.find(column => resolver(column.name, key)))

  def label: String = s"${id.shortName}@${version.fold("<not loaded>")(_.name)}"

  override def relationName: String = id.shortName

  override def unclaimableReason: String =
    "a global table is read from a snapshot, which has a layout of its own"

  override def newInstance(): LogicalPlan = copy(
    output = output.map(_.newInstance()))(table, settings)

  override def computeStats(): Statistics = Statistics(
    sizeInBytes = version.flatMap(_.bytes).fold(PinnedTable.UNKNOWN_BYTES)(BigInt(_)).max(1),
    rowCount = version.flatMap(_.rows).map(BigInt(_)))

  override protected def doCanonicalize(): LogicalPlan = copy(
    output = output.map(QueryPlan.normalizeExpressions(_, output)))(table, settings)

  override protected def otherCopyArgs: Seq[AnyRef] = table :: settings :: Nil

  override def simpleString(maxFields: Int): String =
    s"GlobalTable $label ${output.map(_.toString).mkString("[", ", ", "]")}"
}

private[globaltable] object PinnedTable {
  private val UNKNOWN_BYTES = BigInt(1L << 20)

  /** The pinned tables of a plan. */
  def in(plan: LogicalPlan): Seq[PinnedTable] = plan.collect { case pin: PinnedTable => pin }
}
