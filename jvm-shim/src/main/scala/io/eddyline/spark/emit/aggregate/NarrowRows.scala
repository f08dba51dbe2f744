package io.eddyline.spark.emit.aggregate

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.expressions.Literal.{FalseLiteral, TrueLiteral}
import org.apache.spark.sql.execution.{ProjectExec, SparkPlan, UnionExec}
import org.apache.spark.sql.execution.aggregate.{BaseAggregateExec, TypedAggregateExpression}
import org.apache.spark.sql.types.{BooleanType, IntegerType, Metadata}

/**
 * The rows that are shuffled if they are not aggregated before: the key, the number of the branch
 * if there are several, and the arguments of the aggregates that the branch has, in slots:
 * columns of one type that the branches share. A row is as wide as the widest branch.
 *
 * @param rows how these rows update the buffers
 */
private[emit] case class NarrowRows(plan: SparkPlan, rows: GroupRows)

private[emit] object NarrowRows {

  /**
   * Returns the rows that a partial aggregation aggregates; None if an aggregate has a subquery
   * that is not computed before the shuffle, since only an operator of Spark can run it, or is one
   * of typed Datasets, whose children are no arguments.
   *
   * @param input the plan of its rows
   */
  def of(partial: BaseAggregateExec, input: SparkPlan): Option[NarrowRows] =
    Option.unless(partial.aggregateExpressions.exists(aggregate =>
        aggregate.aggregateFunction.isInstanceOf[TypedAggregateExpression] ||
          !computesArgument(aggregate) && StateToResult.hasSubquery(aggregate))) {
      val branches = branchesOf(input).map(new Branch(partial, _))
      val slots = slotsFor(branches)
      val number = AttributeReference("branch", IntegerType, nullable = false)()
      val isUnion = branches.size > 1
      val plans = branches.zipWithIndex.map { case (branch, i) =>
        val branchNumber = if (isUnion) Seq(Alias(Literal(i), number.name)(number.exprId)) else Nil
        branch.rows(branchNumber, slots)
      }
      val updates = branches.map { branch =>
        AggregationPhase(partial).copy(
          groupingExpressions = partial.groupingExpressions.map(_.toAttribute),
          aggregateExpressions = branch.aggregates(slots))
      }
      val all = if (isUnion) input.withNewChildren(plans) else plans.head
      NarrowRows(all, GroupRows(all.output, Option.when(isUnion)(number), updates))
    }

  /** Returns the plan of each branch, and the value that each column of the input has in it. */
  private def branchesOf(input: SparkPlan): Seq[(SparkPlan, AttributeMap[Expression])] =
    input match {
      case union: UnionExec =>
        union.children.map(child => child -> AttributeMap(union.output.zip(valuesOf(child))))
      case other => Seq(other -> AttributeMap(other.output.zip(other.output)))
    }

  /** Returns the columns of a plan, of which some are constants. */
  private def valuesOf(plan: SparkPlan): Seq[Expression] = plan match {
    case ProjectExec(list, _) => list.map {
        case Alias(constant: Literal, _) => constant
        case column => column.toAttribute
      }
    case other => other.output
  }

  /** Returns columns in which each branch has room for its arguments. */
  private def slotsFor(branches: Seq[Branch]): Seq[Attribute] =
    branches.flatMap(_.arguments.map(_.dataType)).distinct.flatMap { dataType =>
      val most = branches.map(_.arguments.count(_.dataType == dataType)).max
      Seq.fill(most)(AttributeReference("argument", dataType)())
    }

  /** A branch: its plan, and the value that each column of the input has in it. */
  private class Branch(partial: BaseAggregateExec, planned: (SparkPlan, AttributeMap[Expression])) {
    private val (plan, inputValues) = planned

    /** The aggregates over the columns of the branch. */
    private val own: Seq[AggregateExpression] = partial.aggregateExpressions.map { aggregate =>
      val filter = aggregate.filter.map(condition => folded(inBranch(condition)))
      val function = aggregate.aggregateFunction.mapChildren(inBranch)
        .asInstanceOf[AggregateFunction]
      aggregate.copy(
        aggregateFunction = function,
        filter = if (ignoresAllRows(function)) Some(FalseLiteral) else filter)
    }

    /** What is shuffled besides the key. */
    val arguments: Seq[Expression] = own.filterNot(_.filter.exists(isNever)).flatMap { aggregate =>
      if (computesArgument(aggregate)) aggregate.aggregateFunction.children.filterNot(_.foldable)
      else aggregate.references.toSeq
    }.foldLeft(Seq.empty[Expression]) { (found, argument) =>
      if (found.exists(_.semanticEquals(argument))) found else found :+ argument
    }

    /** Returns the plan of the rows with these columns. */
    def rows(branchNumber: Seq[NamedExpression], slots: Seq[Attribute]): SparkPlan = {
      val keys = partial.groupingExpressions.map { key =>
        val value = key match {
          case Alias(child, _) => child
          case column => column
        }
        Alias(inBranch(value), key.name)(key.exprId, explicitMetadata = Some(key.metadata))
      }
      val values = inSlots(slots).map { case (argument, slot) => slot.exprId -> argument }.toMap
      val columns = slots.map { slot =>
        val value = values.getOrElse(slot.exprId, Literal(null, slot.dataType))
        // without its metadata, which may say that late rows are to be dropped by this column
        Alias(value, slot.name)(slot.exprId, explicitMetadata = Some(Metadata.empty))
      }
      ProjectExec(keys ++ branchNumber ++ columns, plan)
    }

    /** Returns the aggregates over these columns. One that the branch leaves as it is has FALSE. */
    def aggregates(slots: Seq[Attribute]): Seq[AggregateExpression] = {
      val placed = inSlots(slots)
      def overSlots(expression: Expression): Expression =
        placed.collectFirst { case (argument, slot) if argument.semanticEquals(expression) => slot }
          .getOrElse(expression.mapChildren(overSlots))
      own.map {
        case never if never.filter.exists(isNever) =>
          never.copy(
            aggregateFunction = never.aggregateFunction.mapChildren(withoutColumns)
              .asInstanceOf[AggregateFunction],
            filter = Some(FalseLiteral))
        case aggregate => aggregate.copy(
            aggregateFunction = aggregate.aggregateFunction.mapChildren(overSlots)
              .asInstanceOf[AggregateFunction],
            filter = aggregate.filter.filterNot(_ == TrueLiteral).map(overSlots))
      }
    }

    private def withoutColumns(expression: Expression): Expression = expression.transform {
      case column: Attribute => Literal(null, column.dataType)
    }

    private def inSlots(slots: Seq[Attribute]): Seq[(Expression, Attribute)] =
      arguments.groupBy(_.dataType).toSeq.flatMap { case (dataType, ofType) =>
        ofType.zip(slots.filter(_.dataType == dataType))
      }

    private def inBranch(expression: Expression): Expression = expression.transform {
      case column: Attribute => inputValues.getOrElse(column, column)
    }
  }

  /**
   * Whether the argument of an aggregate is computed before the shuffle: only if the aggregate
   * computes it for each row, since it may fail where a FILTER or the function would not compute
   * it.
   */
  private def computesArgument(aggregate: AggregateExpression): Boolean =
    aggregate.filter.forall(_ == TrueLiteral) && (aggregate.aggregateFunction match {
      case count: Count => count.children.size == 1 && count.children.head.nullable
      case _: Sum | _: Average | _: Min | _: Max | _: CentralMomentAgg | _: BitAggregate |
          _: HyperLogLogPlusPlus => true
      case _ => false
    })

  /** Returns a condition in which what depends on the branch alone is evaluated. */
  private def folded(condition: Expression): Expression = condition.transformUp {
    case isOfBranch @ EqualTo(_: Literal, _: Literal) => Literal(isOfBranch.eval(), BooleanType)
    case And(TrueLiteral, other) => other
    case And(other, TrueLiteral) => other
    case And(never, _) if isNever(never) => FalseLiteral
    case And(_, never) if isNever(never) => FalseLiteral
  }

  /** Whether a condition is the constant FALSE or NULL, so that no row passes. */
  private def isNever(condition: Expression): Boolean = condition match {
    case Literal(null | false, _) => true
    case _ => false
  }

  /** Whether a function ignores all rows of a branch, because its argument is NULL in them. */
  private def ignoresAllRows(function: AggregateFunction): Boolean = (function match {
    case count: Count => count.children
    case _: Sum | _: Average | _: Min | _: Max | _: HyperLogLogPlusPlus => function.children.take(1)
    case _ => Nil
  }).exists(isNull)

  private def isNull(expression: Expression): Boolean = expression match {
    case Literal(null, _) => true
    case _ => false
  }
}
