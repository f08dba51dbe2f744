package io.eddyline.spark.globaltable.join

import org.apache.spark.sql.catalyst.AliasIdentifier
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, LogicalPlan, SubqueryAlias, View}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.UNRESOLVED_RELATION
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.classic.SparkSession

import io.eddyline.spark.globaltable.catalog.TableId
import io.eddyline.spark.globaltable.refresh.GlobalTables

/**
 * Resolves a global table whose source cannot be resolved, as when a table below it is gone, by the
 * columns that the catalog has: a query reads the version in use, and needs no source.
 *
 * The rule runs in the batch Hints, before Spark resolves the query of the table and fails.
 */
private[spark] case class ResolveWithoutSource(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUpWithPruning(
    _.containsPattern(UNRESOLVED_RELATION)) {
    case relation: UnresolvedRelation
        if !relation.isStreaming &&
          !session.sessionState.catalog.isTempView(relation.multipartIdentifier) =>
      GlobalTables.withoutSource(session, relation.multipartIdentifier)
        .fold[LogicalPlan](relation) { table =>
          val name = TableId.of(table).name
          val columns = CharVarcharUtils.replaceCharVarcharWithStringInSchema(table.schema)
          SubqueryAlias(
            AliasIdentifier(name.last, name.init),
            View(table, isTempView = false, MissingSource(DataTypeUtils.toAttributes(columns))))
        }
  }
}

/** The source of a global table of which only a version can be read. */
private[globaltable] case class MissingSource(output: Seq[Attribute]) extends LeafNode
