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
 * Aggregates each branch by itself and merges the results, where one aggregation of the union costs
 * more. For a DISTINCT Spark groups the rows of all branches by its value too, and for two it
 * copies every row of every branch for each. An aggregate over objects, such as collect_list, sends
 * the rows of all branches through Spark's object aggregation, which Comet does without.
 *
 * This replaces one shuffle with one for each branch. Streaming queries are not changed: they keep
 * one shuffle and one state store. If an aggregate cannot be merged exactly, the plan stays as it
 * is.
 */
private[cogroup] object PreaggregateCoGroup {

  /** Returns the rewritten plan; or why the rows of all branches are aggregated together. */
  def apply(
      aggregate: Aggregate,
      union: CoGroupUnion): Either[CoGroupStrategy, (LogicalPlan, CoGroupStrategy)] = {
    val functions = aggregate.aggregateExpressions
      .flatMap(_.collect { case f: AggregateExpression => f }).distinctBy(_.canonicalized)
    def parts = functions.map(f => f -> part(f, union))
    val isNative = Comet.isActive(SQLConf.get)
    functions.find(pays(_, isNative)) match {
      case _ if aggregate.isStreaming => Left(oneShuffle("a stream keeps one state store"))
      case None if functions.exists(pays(_, isNative = false)) =>
        Left(oneShuffle("Comet collects the rows of all branches natively"))
      case None => Left(oneShuffle("no aggregate is DISTINCT or collects rows into an object"))
      case _ if !(aggregate.child eq union) =>
        Left(notMergeable("the time windows are computed from the rows of all branches"))
      case Some(costly) => parts.collectFirst { case (f, None) => f } match {
          case Some(f) =>
            Left(notMergeable(s"${EddylineErrors.asTyped(f)} cannot be merged exactly"))
          case None =>
            val merged = merge(aggregate, union, parts.collect { case (f, Some(p)) => f -> p })
            val reason = s"${EddylineErrors.asTyped(costly)} would read the rows of all branches"
            Right(merged -> preaggregated(reason))
        }
    }
  }

  /** How an aggregate over the union is merged from aggregates over the branches. */
  private sealed trait Part

  /** The aggregate of one branch, or `empty` if the branch does not have the key. */
  private case class OfBranch(branch: Int, empty: Literal) extends Part

  /** The sum of the row counts of all branches. */
  private case object Rows extends Part

  /** The bits of the branches that have the key. */
  private case object Presence extends Part

  private def pays(f: AggregateExpression, isNative: Boolean): Boolean =
    f.isDistinct ||
      !isNative && replaced(f.aggregateFunction).isInstanceOf[TypedImperativeAggregate[_]]

  private def part(f: AggregateExpression, union: CoGroupUnion): Option[Part] =
    (union.branchesIn(f), f.aggregateFunction) match {
      case (Seq(branch), function) => empty(function).map(OfBranch(branch, _))
      case (Nil, count: Count)
          if f.filter.isEmpty && !f.isDistinct &&
            count.children.forall(child => child.foldable && !child.nullable) =>
        Some(Rows)
      case (Nil, BitOrAgg(tag)) if tag.semanticEquals(union.tag) && f.filter.isEmpty =>
        Some(Presence)
      case _ => None
    }

  /**
   * The value of the aggregate over no rows. None if that cannot be computed here, or if the value
   * is not NULL and the aggregate may return NULL for a key with rows: then a NULL does not tell
   * whether the branch has the key.
   */
  private def empty(function: AggregateFunction): Option[Literal] = {
    val value = Try(replaced(function) match {
      case imperative: ImperativeAggregate =>
        val buffer = new SpecificInternalRow(imperative.aggBufferAttributes.map(_.dataType))
        imperative.initialize(buffer)
        imperative.eval(buffer)
      case declarative: DeclarativeAggregate =>
        val initial = AttributeMap(
          declarative.aggBufferAttributes.zip(declarative.initialValues))
        declarative.evaluateExpression
          .transform { case a: AttributeReference => initial(a) }
          .eval(EmptyRow)
    }).toOption
    value.map(Literal(_, function.dataType)).filter(_.value == null || !function.nullable)
  }

  private def replaced(function: AggregateFunction): Expression = function match {
    case replaceable: RuntimeReplaceableAggregate => replaceable.replacement
    case other => other
  }

  private def merge(
      aggregate: Aggregate,
      union: CoGroupUnion,
      functions: Seq[(AggregateExpression, Part)]): LogicalPlan = {
    val branches = union.child.children.zipWithIndex.map { case (child, branch) =>
      val own = BranchArguments.inBranch(union, child)
      val keys = child.output.slice(1, 1 + union.keys.size)
      val values = functions.map {
        case (f, OfBranch(`branch`, _)) => own(f)
        case (_, Rows) => Count(Literal(1)).toAggregateExpression()
        case (f, _) => Literal(null, f.dataType)
      }
      val named = values.zip(functions).map { case (value, (f, _)) =>
        Alias(value, toPrettySQL(f))()
      }
      Aggregate(
        keys,
        (Alias(Literal(CoGroupUnion.bit(branch)), CoGroupUnion.TAG)() +: keys) ++ named,
        BranchArguments.withColumnsKept(child))
    }
    val merged = Union(branches)
    val columns = functions.zip(merged.output.drop(1 + union.keys.size)).map {
      case ((f, part), column) => f.canonicalized -> result(part, column, merged.output.head)
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
   * The merged value. A key has at most one row a branch, so the maximum and the first value are
   * that of the branch. Spark computes both at one cost, Comet the maximum at a third.
   */
  private def result(part: Part, column: Attribute, tag: Attribute): Expression =
    part match {
      case OfBranch(_, empty) =>
        val found =
          if (RowOrdering.isOrderable(column.dataType)) Max(column)
          else First(column, ignoreNulls = true)
        val value = found.toAggregateExpression()
        if (empty.value == null) value else Coalesce(Seq(value, empty))
      case Rows => Coalesce(Seq(Sum(column).toAggregateExpression(), Literal(0L)))
      case Presence => BitOrAgg(tag).toAggregateExpression()
    }
}
