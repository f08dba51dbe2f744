package io.eddyline.spark.cogroup

import scala.util.{Left, Right, Try}

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan, Union}
import org.apache.spark.sql.catalyst.util.toPrettySQL
import org.apache.spark.sql.internal.SQLConf

import io.eddyline.spark.base.{Comet, EddylineErrors}
import io.eddyline.spark.cogroup.CoGroupStrategy._

/**
 * Aggregates each branch separately and merges the results, where one aggregation of the union
 * costs more. For a DISTINCT, Spark groups the rows of all branches by its argument too; if there
 * are several, it first copies all rows for each. An aggregate over objects, such as collect_list,
 * sends the rows of all branches through Spark's object aggregation, but not if Comet runs it.
 *
 * This makes one shuffle for each branch in the place of one for all. The plan is not changed for
 * streaming queries, which keep one state store, and if an aggregate cannot be merged exactly.
 */
private[cogroup] object PreaggregateCoGroup {

  /** Returns the rewritten plan; or the strategy that says why the plan is not changed. */
  def apply(
      aggregate: Aggregate,
      union: CoGroupUnion): Either[CoGroupStrategy, (LogicalPlan, CoGroupStrategy)] = {
    val functions = aggregate.aggregateExpressions
      .flatMap(_.collect { case f: AggregateExpression => f }).distinctBy(_.canonicalized)
    def sources = functions.map(f => f -> source(f, union))
    val inComet = Comet.isActive(SQLConf.get)
    functions.find(isCostly(_, inComet)) match {
      case _ if aggregate.isStreaming => Left(oneShuffle("a stream keeps one state store"))
      case None if functions.exists(isCostly(_, inComet = false)) =>
        Left(oneShuffle("Comet collects the rows of all branches natively"))
      case None => Left(oneShuffle("no aggregate is DISTINCT or collects rows into an object"))
      case _ if !(aggregate.child eq union) =>
        Left(oneShuffle(
            "the time windows are computed from the rows of all branches", isFallback = true))
      case Some(costly) => sources.collectFirst { case (f, None) => f } match {
          case Some(f) =>
            val reason = s"${EddylineErrors.asTyped(f)} cannot be merged exactly"
            Left(oneShuffle(reason, isFallback = true))
          case None =>
            val merged = merge(aggregate, union, sources.collect { case (f, Some(s)) => f -> s })
            val reason = s"${EddylineErrors.asTyped(costly)} would read the rows of all branches"
            Right(merged -> preaggregated(reason))
        }
    }
  }

  /** The values of the branches from which an aggregate over the union is merged. */
  private sealed trait Source

  /** From the aggregate of one branch; it is `default` if the branch does not have the key. */
  private case class OfBranch(branch: Int, default: Literal) extends Source

  /** From the numbers of rows of all branches. */
  private case object RowCounts extends Source

  /** From the tags of the branches that have the key, for EVERY BRANCH and AT LEAST n BRANCHES. */
  private case object Tags extends Source

  /** Whether an aggregate is one for which an aggregation of the union costs more. */
  private def isCostly(f: AggregateExpression, inComet: Boolean): Boolean =
    f.isDistinct ||
      !inComet && replacement(f.aggregateFunction).isInstanceOf[TypedImperativeAggregate[_]]

  /** Returns from what an aggregate is merged; None if it cannot be merged exactly. */
  private def source(f: AggregateExpression, union: CoGroupUnion): Option[Source] =
    (union.branchesIn(f), f.aggregateFunction) match {
      case (Seq(branch), function) => defaultOf(function).map(OfBranch(branch, _))
      case (Nil, count: Count)
          if f.filter.isEmpty && !f.isDistinct &&
            count.children.forall(child => child.foldable && !child.nullable) =>
        Some(RowCounts)
      case (Nil, BitOrAgg(tag)) if tag.semanticEquals(union.tag) && f.filter.isEmpty =>
        Some(Tags)
      case _ => None
    }

  /**
   * Returns the value of an aggregate over no rows. None if it cannot be computed here, or if it is
   * not NULL and the aggregate may be NULL for a key with rows: then a NULL does not say whether
   * the branch has the key.
   */
  private def defaultOf(function: AggregateFunction): Option[Literal] = {
    val value = Try(replacement(function) match {
      case imperative: ImperativeAggregate =>
        val buffer = new SpecificInternalRow(imperative.aggBufferAttributes.map(_.dataType))
        imperative.initialize(buffer)
        imperative.eval(buffer)
      case declarative: DeclarativeAggregate =>
        val initial = AttributeMap(declarative.aggBufferAttributes.zip(declarative.initialValues))
        declarative.evaluateExpression
          .transform { case a: AttributeReference => initial(a) }
          .eval(EmptyRow)
    }).toOption
    value.map(Literal(_, function.dataType)).filter(_.value == null || !function.nullable)
  }

  private def replacement(function: AggregateFunction): Expression = function match {
    case replaceable: RuntimeReplaceableAggregate => replaceable.replacement
    case other => other
  }

  private def merge(
      aggregate: Aggregate,
      union: CoGroupUnion,
      functions: Seq[(AggregateExpression, Source)]): LogicalPlan = {
    val branches = union.child.children.zipWithIndex.map { case (child, branch) =>
      val translate = BranchArguments.translationTo(union, child)
      val keys = child.output.slice(1, 1 + union.keys.size)
      val named = functions.map {
        case (f, OfBranch(`branch`, _)) => f -> translate(f)
        case (f, RowCounts) => f -> Count(Literal(1)).toAggregateExpression()
        case (f, _) => f -> Literal(null, f.dataType)
      }.map { case (f, value) => Alias(value, toPrettySQL(f))() }
      Aggregate(
        keys,
        (Alias(Literal(CoGroupUnion.bit(branch)), CoGroupUnion.TAG)() +: keys) ++ named,
        BranchArguments.withDistinctAliases(child))
    }
    val merged = Union(branches)
    val columns = functions.zip(merged.output.drop(1 + union.keys.size)).map {
      case ((f, from), column) => f.canonicalized -> mergeValue(from, column, merged.output.head)
    }.toMap
    val keys = AttributeMap(union.keys.zip(merged.output.slice(1, 1 + union.keys.size)))
    aggregate.copy(
      groupingExpressions = aggregate.groupingExpressions.map(_.transform {
        case a: Attribute => keys.getOrElse(a, a)
      }),
      aggregateExpressions = aggregate.aggregateExpressions.map(_.transformUp {
        case f: AggregateExpression => columns(f.canonicalized)
        case a: Attribute => keys.getOrElse(a, a)
      }).map { case named: NamedExpression => named },
      child = merged)
  }

  /**
   * Merges a value. A key has at most one row of a branch, so max and first both return
   * its value. They cost the same in Spark; in Comet max costs a third of first.
   */
  private def mergeValue(from: Source, column: Attribute, tag: Attribute): Expression = from match {
    case OfBranch(_, default) =>
      val found =
        if (RowOrdering.isOrderable(column.dataType)) Max(column)
        else First(column, ignoreNulls = true)
      val value = found.toAggregateExpression()
      if (default.value == null) value else Coalesce(Seq(value, default))
    case RowCounts => Coalesce(Seq(Sum(column).toAggregateExpression(), Literal(0L)))
    case Tags => BitOrAgg(tag).toAggregateExpression()
  }
}
