package io.eddyline.spark.streamingquery.validation

import java.util.Locale

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.optimizer.InlineCTE
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.execution.SparkPlan

import io.eddyline.spark.emit.clause.{Emit, EmitStrategy}

/**
 * What of a streaming query matters for its checkpoint, and what a user would want to know of.
 *
 * @param sources the streams, in the order of the offset log
 * @param operators the stateful operators, in the order of their ids
 * @param watermarks the columns with a watermark
 * @param filters the conditions of WHERE, HAVING and joins, and the numbers of LIMIT
 * @param tables the tables that are no streams
 * @param having those of `filters` by which WITH CHANGE TYPE tells what is gone; None if the query
 *               does not say what is gone
 * @param emit the EMIT clause
 * @param awaitsClose whether a window is not reported before it is closed
 * @param columns the columns of the result with their types
 * @param nodes all that the plan consists of
 */
private[streamingquery] case class QueryShape private (
    sources: Seq[SourceShape],
    private[validation] val operators: Seq[OperatorShape],
    private[validation] val watermarks: Seq[ComparedExpression],
    private[validation] val filters: Seq[ComparedExpression],
    private[validation] val tables: Seq[ComparedExpression],
    private[validation] val having: Option[Seq[ComparedExpression]],
    private[validation] val emit: Seq[ComparedExpression],
    private[validation] val awaitsClose: Boolean,
    private[validation] val columns: Seq[ComparedExpression],
    private[validation] val nodes: Seq[Any]) {

  /** Whether the state of another shape has the same meaning. */
  private[streamingquery] def hasStateOf(other: QueryShape): Boolean =
    operators.map(_.meaning) == other.operators.map(_.meaning)

  /** Whether rows that leave the aggregation are deleted from the target. */
  private[streamingquery] def reportsDeletes: Boolean = having.nonEmpty

  /** Puts the names of the streams into a text that has their places. */
  private[validation] def withSourceNames(text: String): String =
    sources.zipWithIndex.foldLeft(text) { case (text, (source, place)) =>
      text.replace(QueryShape.column(place, ""), s"${source.shortName}.")
    }
}

private[streamingquery] object QueryShape {

  /**
   * @param analyzed the analyzed plan of the query
   * @param planned the same as Spark plans a micro-batch
   */
  def apply(analyzed: LogicalPlan, planned: SparkPlan): QueryShape = {
    val plan = InlineCTE(alwaysInline = true)(analyzed)
    val sources = SourceShape.in(analyzed)
    val leaves = leafColumns(plan, sources)
    val lineage = new Lineage(leaves).add(plan).recordSqlText(plan)
    val emit = Emit.findIn(plan)
    QueryShape(
      sources,
      OperatorShape.of(planned, lineage.ofPlanned(planned).compared),
      plan.collect { case mark: EventTimeWatermark => watermark(mark, lineage) },
      plan.collect {
        case Conditions(conditions) => conditions.map(lineage.compared)
        case limit: GlobalLimit => Seq(ComparedExpression.named(s"LIMIT ${limit.limitExpr.sql}"))
      }.flatten,
      plan.collectWithSubqueries { case leaf: LeafNode if !leaf.isStreaming => leaf }.map { leaf =>
        val name = SourceShape.name(leaf)
        ComparedExpression(lineage.trees.of(leaf), name, name)
      },
      emit.filter(emit => emit.changeType.nonEmpty && !emit.isKeyed)
        .map(emit => having(emit.child).map(lineage.compared)),
      emit.map(emit => ComparedExpression.named(emit.sql)).toSeq,
      // without EMIT a window is reported once it is closed, in Append mode
      emit.fold(Emit.aggregatesStream(plan))(_.strategy == EmitStrategy.OnWindowClose),
      plan.output.map { column =>
        val ComparedExpression(tree, sql, lineageSql) = lineage.compared(column)
        val head = s"${column.name} ${column.dataType.sql}"
        ComparedExpression(
          (head, tree), if (sql == column.name) head else s"$head = $sql", s"$head = $lineageSql")
      },
      plan.flatMap {
        case _: SubqueryAlias | _: View | _: LeafNode => Nil
        case node =>
          val trees = node.expressions.map(lineage.trees.of(_))
          Seq(node.nodeName -> trees.groupMapReduce(identity)(_ => 1)(_ + _))
      })
  }

  /** The columns of the leaves. Those of streams have their place instead of a name. */
  private def leafColumns(plan: LogicalPlan, sources: Seq[SourceShape]): Map[ExprId, Column] =
    plan.collectWithSubqueries { case leaf: LeafNode => leaf }.flatMap { leaf =>
      val place = SourceShape.of(leaf).map(sources.indexOf)
      val kind = NamedTable.unapply(leaf).getOrElse(leaf.nodeName)
      leaf.output.map { a =>
        val name = place.fold(s"$kind.${a.name}")(column(_, a.name))
        a.exprId -> Column(name, a.dataType, Nil)
      }
    }.toMap

  private def column(place: Int, name: String): String = s"<${place + 1}>.$name"

  private def watermark(mark: EventTimeWatermark, lineage: Lineage): ComparedExpression = {
    val delay = s"DELAY OF INTERVAL ${mark.delay}"
    val ComparedExpression(tree, sql, lineageSql) = lineage.compared(mark.eventTime)
    ComparedExpression((tree, delay), s"$sql $delay", s"$lineageSql $delay")
  }

  /** The conditions on the rows of an aggregation. */
  private def having(plan: LogicalPlan): Seq[Expression] = plan match {
    case _: Aggregate | _: Distinct => Nil
    case other => Conditions.unapply(other).toSeq.flatten ++ other.children.flatMap(having)
  }

  /** The conditions that a node filters by, but not those that a rule has added. */
  private object Conditions extends PredicateHelper {
    def unapply(node: LogicalPlan): Option[Seq[Expression]] = node match {
      case Filter(condition, _) => Some(splitConjunctivePredicates(condition).filter {
          case added: IsNotNull =>
            Lineage.typed(added).exists(_.toUpperCase(Locale.ROOT).contains("NULL"))
          case _ => true
        })
      case join: Join => Some(join.condition.toSeq)
      case _ => None
    }
  }
}
