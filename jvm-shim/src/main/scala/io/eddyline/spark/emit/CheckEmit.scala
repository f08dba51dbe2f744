package io.eddyline.spark.emit

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.streaming.WriteToStream
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils
import org.apache.spark.sql.internal.SQLConf

import io.eddyline.spark.base.EddylineErrors
import io.eddyline.spark.emit.clause.{Emit, EmitStrategy, ResultColumns}

/**
 * Refuses an EMIT that a streaming query cannot fulfil. Batch queries have no EMIT left after
 * [[ResolveEmit]].
 *
 * Errors, at the clause: EDDYLINE_EMIT.DUPLICATE_EMIT, EXPIRY_WITHOUT_WATERMARK,
 * JOINED_AGGREGATION, KEY_TYPE_NOT_SUPPORTED, SESSION_WINDOW, SESSION_WITHOUT_KEY,
 * SESSION_WITHOUT_WATERMARK, WINDOW_MISSING, and those of [[CheckChangeType]] and
 * [[CheckEmitResult]]; when the query is started, those of [[CheckEmitState]].
 */
object CheckEmit extends (LogicalPlan => Unit) {

  override def apply(plan: LogicalPlan): Unit = {
    val emits = plan.collect { case emit: Emit => emit }
    emits.drop(1).foreach(_.fail("DUPLICATE_EMIT"))
    emits.foreach { emit =>
      emit.keyAttributes.foreach(checkKey(emit, _))
      if (emit.expiry.nonEmpty && ResultColumns.eventTime(emit.output).isEmpty) {
        emit.fail("EXPIRY_WITHOUT_WATERMARK")
      }
      CheckChangeType(emit)
      checkWindows(emit)
      checkSessionKeys(emit.child, emit.origin)
      if (emit.strategy != EmitStrategy.OnWindowClose) checkJoins(emit)
      if (emit.strategy == EmitStrategy.OnChange) CheckEmitResult(emit)
    }
    plan match {
      case write: WriteToStream => emits.foreach(CheckEmitState(write, _))
      case _ =>
    }
  }

  /**
   * Checks the nodes above EMIT in a query that is started. A query that is not started fails with
   * STREAM_NOT_STARTED, whatever nodes an action such as `show()` has added.
   *
   * Errors: EDDYLINE_EMIT.NOT_LAST.
   */
  def checkOperatorsAbove(query: LogicalPlan): Unit = {
    def check(node: LogicalPlan): Unit = node match {
      case _: Emit =>
      case _: Project | _: Filter | _: SubqueryAlias | _: View =>
        node.children.filter(Emit.findIn(_).nonEmpty).foreach(check)
      case other => Emit.findIn(other).foreach(_.fail("NOT_LAST", "operator" -> other.nodeName))
    }
    check(Emit.withCtesInlined(query))
  }

  /** Refuses keys whose equal values may have different bytes: the state is found by bytes. */
  private def checkKey(emit: Emit, key: Attribute): Unit = {
    val found = RowOrdering.isOrderable(key.dataType) && UnsafeRowUtils.isBinaryStable(key.dataType)
    if (!found) emit.fail("KEY_TYPE_NOT_SUPPORTED", "key" -> key.name, "type" -> key.dataType.sql)
  }

  private def checkWindows(emit: Emit): Unit = {
    val grouping = emit.groupingMetadata
    val hasWatermark = grouping.exists(_.contains(EventTimeWatermark.delayKey))
    emit.strategy match {
      case EmitStrategy.OnWindowClose => if (!hasWatermark) emit.fail("WINDOW_MISSING")
      case _ if emit.reportsSessions => if (!hasWatermark) emit.fail("SESSION_WITHOUT_WATERMARK")
      case EmitStrategy.Every =>
      case strategy =>
        if (grouping.exists(_.contains(SessionWindow.marker))) {
          emit.fail("SESSION_WINDOW", "strategy" -> strategy.sql.stripPrefix("ON "))
        }
    }
  }

  /**
   * Refuses a session window as the only key besides constants, which Spark cannot plan.
   *
   * Errors: EDDYLINE_EMIT.SESSION_WITHOUT_KEY.
   */
  def checkSessionKeys(query: LogicalPlan, place: Origin): Unit = {
    val global = query.exists {
      case aggregate: Aggregate if aggregate.isStreaming =>
        val (windows, others) = aggregate.groupingExpressions.partition {
          case column: NamedExpression => column.metadata.contains(SessionWindow.marker)
          case _ => false
        }
        windows.nonEmpty && others.forall(_.foldable)
      case _ => false
    }
    if (global) EddylineErrors.fail("EDDYLINE_EMIT.SESSION_WITHOUT_KEY", place)
  }

  /**
   * Refuses a join of an aggregation with a stream, which Spark supports in Append mode only, by an
   * error that does not name EMIT. The setting that disables Spark's check disables this one too.
   */
  private def checkJoins(emit: Emit): Unit = {
    val joined = emit.child.exists {
      case join: Join =>
        join.children.forall(_.isStreaming) && join.children.exists(Emit.aggregatesStream)
      case _ => false
    }
    if (joined && SQLConf.get.statefulOperatorCorrectnessCheckEnabled) {
      emit.fail("JOINED_AGGREGATION", "strategy" -> emit.strategy.sql)
    }
  }
}
