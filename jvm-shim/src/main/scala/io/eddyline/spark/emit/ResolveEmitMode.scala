package io.eddyline.spark.emit

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.WriteToStreamStatement
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.execution.streaming.{AvailableNowTrigger, ProcessingTimeTrigger}
import org.apache.spark.sql.streaming.{OutputMode, Trigger}

import io.eddyline.spark.base.{Intervals, RealTime}
import io.eddyline.spark.emit.clause.{Emit, EmitStrategy}

/**
 * Sets the output mode that EMIT needs when a streaming query is started.
 *
 * Spark cannot distinguish the default mode Append from an explicit one, so Append counts as unset.
 * The rule runs in the batch Hints, before Spark turns the statement into a `WriteToStream` and
 * checks the mode.
 *
 * Errors: EDDYLINE_EMIT.CHANGE_TYPE_DROPPED, CHANGE_TYPE_SINK, NOT_LAST, OUTPUT_MODE_MISMATCH,
 * OUTPUT_MODE_MISSING, REAL_TIME, TRIGGER_MISMATCH.
 */
object ResolveEmitMode extends Rule[LogicalPlan] {

  /**
   * Class names of the sinks that get the mode when a query starts, and not when they are created.
   * Files only have the mode Append; they append the rows of each micro-batch.
   */
  private val MODE_FROM_QUERY = Set(
    "ForeachBatchSink", "ForeachWriterTable", "ConsoleTable", "MemorySink", "NoopTable",
    "KafkaTable", "FileStreamSink")

  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case write: WriteToStreamStatement =>
      Emit.findIn(write.inputQuery).fold[LogicalPlan](write) { emit =>
        CheckEmit.checkOperatorsAbove(write.inputQuery)
        checkChanges(write, emit)
        checkTrigger(emit, write.trigger)
        val needed = if (RealTime.isTrigger(write.trigger)) Update else emit.outputMode
        write.copy(outputMode = requiredMode(emit, needed, write.outputMode, write.sink))
      }
    case other => other
  }

  /** Returns the output mode of a query, which may be given as `needed` or not at all. */
  private def requiredMode(
      emit: Emit, needed: OutputMode, given: OutputMode, sink: Table): OutputMode = {
    val completes = emit.strategy == EmitStrategy.Every || emit.isKeyed
    given match {
      case Append if needed == Append => given
      case Append if MODE_FROM_QUERY(simpleName(sink)) => needed
      case Append =>
        emit.fail(
          "OUTPUT_MODE_MISSING", "strategy" -> emit.strategy.sql, "sink" -> simpleName(sink))
      case Update if !emit.emitsFinalRowsOnly => given
      case Complete if completes => given
      case _ =>
        emit.fail("OUTPUT_MODE_MISMATCH", "strategy" -> emit.strategy.sql,
          "mode" -> given.toString.toLowerCase(java.util.Locale.ROOT),
          "expected" -> (if (emit.emitsFinalRowsOnly) "append" else "update"))
    }
  }

  /** Checks that the type of changes is used, so that a deleted row is not taken for a new one. */
  private def checkChanges(write: WriteToStreamStatement, emit: Emit): Unit =
    Changes.of(write.inputQuery).foreach { changes =>
      if (!changes.isUsed) {
        emit.fail("CHANGE_TYPE_DROPPED", "column" -> emit.output.last.name)
      }
      if (changes.column.nonEmpty && simpleName(write.sink) == "KafkaTable") {
        emit.fail("CHANGE_TYPE_SINK", "column" -> emit.output.last.name)
      }
    }

  private def checkTrigger(emit: Emit, trigger: Trigger): Unit = {
    if (RealTime.isTrigger(trigger)) checkRealTime(emit)
    emit.every.foreach { interval =>
      trigger match {
        case ProcessingTimeTrigger(ms) if ms == interval.toMillis =>
        case other =>
          emit.fail(
            "TRIGGER_MISMATCH", "every" -> Intervals.sql(interval), "trigger" -> textOf(other))
      }
    }
  }

  private def textOf(trigger: Trigger): String = trigger match {
    case ProcessingTimeTrigger(ms) => s"""processingTime="$ms milliseconds""""
    case AvailableNowTrigger => "availableNow=True"
    case other => other.toString
  }

  /** Checks that real-time mode can fulfil EMIT. Errors: EDDYLINE_EMIT.REAL_TIME. */
  private[spark] def checkRealTime(emit: Emit): Unit =
    emit.realTimeObstacle.foreach(part => emit.fail("REAL_TIME", "strategy" -> part))

  private def simpleName(value: AnyRef): String = value.getClass.getSimpleName.stripSuffix("$")

  private val Append = OutputMode.Append()
  private val Update = OutputMode.Update()
  private val Complete = OutputMode.Complete()
}
