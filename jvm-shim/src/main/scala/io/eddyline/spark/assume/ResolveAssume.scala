package io.eddyline.spark.assume

import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project, SubqueryAlias}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.types._

import io.eddyline.spark.assume.claim.AssumePartitionedBy
import io.eddyline.spark.base.EddylineErrors

/**
 * Checks the keys of every claim, and moves claims below references to columns of an outer query.
 *
 * Errors, at the key: EDDYLINE_ASSUME.KEY_NOT_ALLOWED, KEY_TYPE_NOT_SUPPORTED, UNRESOLVED_COLUMN.
 */
object ResolveAssume extends Rule[LogicalPlan] with AliasHelper {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
    case claim: AssumePartitionedBy if claim.child.resolved =>
      claim.keys.foreach(requireColumns(claim, _))
      if (claim.resolved) claim.keys.foreach(requireKey)
      // Spark resolves `st.x` to an alias of the field, `st.x AS x`
      val bare = claim.keys.map { case alias: Alias => alias.child; case other => other }
      val checked = if (bare == claim.keys) claim else claim.over(claim.child, bare)
      if (checked.resolved) belowOuterColumns(checked) else checked
  }

  /**
   * Moves the claim below filters and projections with columns of an outer query, because Spark
   * allows only nodes that it knows above these. A claim that is true below them is true above too.
   * If an outer column is referenced below other operators, the claim is dropped.
   */
  private def belowOuterColumns(claim: AssumePartitionedBy): LogicalPlan = claim.child match {
    case child if !child.exists(_.expressions.exists(SubExprUtils.containsOuter)) => claim
    case alias: SubqueryAlias => alias.copy(child = belowOuterColumns(claim.over(alias.child)))
    case filter: Filter => filter.copy(child = belowOuterColumns(claim.over(filter.child)))
    case project: Project =>
      val keys = claim.keys.map(replaceAlias(_, getAliasMap(project)))
      val isBelow = keys.forall(_.references.subsetOf(project.child.outputSet))
      if (!isBelow || keys.exists(SubExprUtils.containsOuter)) project
      else project.copy(child = belowOuterColumns(claim.over(project.child, keys)))
    case other => other
  }

  private def requireColumns(claim: AssumePartitionedBy, key: Expression): Unit =
    key.collectFirst {
      case name: UnresolvedAttribute => name
      case outer: OuterReference => outer
    }.foreach { column =>
      EddylineErrors.fail("EDDYLINE_ASSUME.UNRESOLVED_COLUMN", column.origin,
        "column" -> EddylineErrors.asTyped(column),
        "columns" -> claim.output.map(_.name).mkString(", "))
    }

  /** Refuses a key that depends on more than its row, or whose equal values differ in bytes. */
  private def requireKey(key: Expression): Unit = {
    val culprit = key.collectFirst {
      case e: AggregateExpression => e -> "an aggregate function"
      case e: WindowExpression => e -> "a window function"
      case e: SubqueryExpression => e -> "a subquery"
      case e: Generator => e -> "a generator"
      case e if !e.deterministic && e.children.forall(_.deterministic) =>
        e -> "a non-deterministic function"
    }.orElse(Option.when(key.references.isEmpty)(key -> "no column"))
    culprit.foreach { case (expression, what) =>
      EddylineErrors.fail("EDDYLINE_ASSUME.KEY_NOT_ALLOWED", expression.origin,
        "key" -> EddylineErrors.asTyped(key), "what" -> what)
    }
    if (!hasEqualBytes(key.dataType)) {
      EddylineErrors.fail("EDDYLINE_ASSUME.KEY_TYPE_NOT_SUPPORTED", key.origin,
        "key" -> EddylineErrors.asTyped(key), "type" -> key.dataType.sql)
    }
  }

  /** Whether equal values of a type have equal bytes. */
  private def hasEqualBytes(dataType: DataType): Boolean = dataType match {
    case FloatType | DoubleType | VariantType | _: MapType => false
    case array: ArrayType => hasEqualBytes(array.elementType)
    case struct: StructType => struct.forall(field => hasEqualBytes(field.dataType))
    case udt: UserDefinedType[_] => hasEqualBytes(udt.sqlType)
    case _ => true
  }
}
