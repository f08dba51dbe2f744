package io.eddyline.spark.assume

import org.apache.spark.sql.catalyst.analysis.{UnresolvedAttribute, UnresolvedRelation}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.CurrentOrigin

import io.eddyline.spark.assume.claim.{AssumePartitionedBy, Enforcement, Layout}

/**
 * Turns the hint `ASSUME_PARTITIONED_BY(relation, key, …)` into the node of the clause. Like
 * Spark's own hints it names a relation of its FROM by name or alias. A hint whose relation is not
 * found, or whose keys are not all columns, is left to Spark, which drops it with a warning.
 *
 * Without adaptive execution Spark ignores the hint REBALANCE. A claim NOT ENFORCED above it is
 * then marked as unusable, since it would become a claim about the files.
 */
object ResolveAssumeHint extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
    case hint @ UnresolvedHint(name, relation +: keys, child)
        if name.equalsIgnoreCase("ASSUME_PARTITIONED_BY") && keys.nonEmpty =>
      val columns = keys.collect { case column: UnresolvedAttribute => column }
      val claimed = claim(parts(relation), columns, hint)(child)
      if (columns.size == keys.size && claimed.isDefined) claimed.get else hint
    case claim @ AssumePartitionedBy(_, _, Enforcement.NotEnforced, child, _)
        if !conf.adaptiveExecutionEnabled && child.exists(isRebalance) =>
      claim.dropped("REBALANCE shuffles nothing without adaptive execution")
  }

  private def isRebalance(plan: LogicalPlan): Boolean = plan match {
    case hint: UnresolvedHint => hint.name.equalsIgnoreCase("REBALANCE")
    case _ => false
  }

  private def claim(relation: Seq[String], keys: Seq[UnresolvedAttribute], hint: UnresolvedHint)(
      plan: LogicalPlan): Option[LogicalPlan] = {
    def names(candidate: Seq[String]): Boolean =
      relation.nonEmpty && candidate.size >= relation.size &&
        candidate.takeRight(relation.size).zip(relation).forall { case (a, b) =>
          conf.resolver(a, b)
        }
    def claimed: AssumePartitionedBy = CurrentOrigin.withOrigin(hint.origin) {
      AssumePartitionedBy(keys, Layout.Unnumbered, Enforcement.Repartition, plan)
    }
    plan match {
      case alias: SubqueryAlias =>
        Option.when(names(alias.identifier.qualifier :+ alias.identifier.name))(claimed)
      case table: UnresolvedRelation => Option.when(names(table.multipartIdentifier))(claimed)
      case _: UnresolvedWith => None
      case other =>
        val changed = other.children.map(claim(relation, keys, hint))
        Option.when(changed.exists(_.isDefined))(other.withNewChildren(
            changed.zip(other.children).map { case (child, before) => child.getOrElse(before) }))
    }
  }

  private def parts(relation: Any): Seq[String] = relation match {
    case column: UnresolvedAttribute => column.nameParts
    case name: String => UnresolvedAttribute.parseAttributeName(name)
    case _ => Nil
  }
}
