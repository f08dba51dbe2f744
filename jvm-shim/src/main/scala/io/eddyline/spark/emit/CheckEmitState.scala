package io.eddyline.spark.emit

import java.util.UUID

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.streaming.WriteToStream
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.streaming.runtime.StreamingCheckpointConstants.DIR_NAME_STATE
import org.apache.spark.sql.execution.streaming.state._

import io.eddyline.spark.emit.clause.{Emit, EmitErrors, EmitOption}
import io.eddyline.spark.emit.keyed.KeyState

/**
 * Checks, before the first micro-batch, that a checkpoint was written with the same options of EMIT
 * ON CHANGE. Their amounts and intervals may have changed, since the state does not depend on them.
 *
 * Errors, at the clause: EDDYLINE_EMIT.OPTION_ADDED, OPTION_REMOVED.
 */
private[emit] object CheckEmitState {

  /** Spark numbers the operators of a query from the top, where EMIT is. */
  private val OPERATOR = 0L
  private val PARTITION = 0

  def apply(write: WriteToStream, emit: Emit): Unit =
    schema(write.resolvedCheckpointLocation).foreach { stored =>
      val before = KeyState.options(stored.valueSchema)
      (emit.options -- before).headOption.foreach(fail("OPTION_ADDED", emit, _, write))
      (before -- emit.options).headOption.foreach(fail("OPTION_REMOVED", emit, _, write))
    }

  private def fail(
      condition: String, emit: Emit, option: EmitOption, write: WriteToStream): Nothing =
    EmitErrors.fail(condition, emit, "option" -> option.sql,
      "checkpoint" -> write.resolvedCheckpointLocation)

  private def schema(checkpoint: String): Option[StateStoreColFamilySchema] = {
    val conf = SparkSession.active.sessionState.newHadoopConf()
    val store =
      StateStoreId(new Path(checkpoint, DIR_NAME_STATE).toString, OPERATOR, PARTITION)
    val file = StateSchemaCompatibilityChecker.schemaFile(store.storeCheckpointLocation())
    Option.when(file.getFileSystem(conf).exists(file))(
      new StateSchemaCompatibilityChecker(StateStoreProviderId(store, new UUID(0, 0)), conf)
        .readSchemaFile().headOption).flatten
  }
}
