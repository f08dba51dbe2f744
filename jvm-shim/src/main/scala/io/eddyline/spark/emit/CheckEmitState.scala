package io.eddyline.spark.emit

import java.util.UUID

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.streaming.WriteToStream
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.streaming.runtime.StreamingCheckpointConstants.DIR_NAME_STATE
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{DataType, StructField}

import io.eddyline.spark.base.CheckpointGeneration
import io.eddyline.spark.emit.clause.{ChangeType, Emit}
import io.eddyline.spark.emit.keyed.{KeyState, RowHash}

/**
 * Checks, before the first micro-batch, that a checkpoint was written with the same options of EMIT
 * ON CHANGE. Their amounts and intervals may have changed, since the state does not depend on them.
 * With KEY it also checks the names of the columns in the state; Spark only compares their types.
 *
 * Errors, at the clause: EDDYLINE_EMIT.COLUMNS_CHANGED, OPTION_ADDED, OPTION_REMOVED,
 * STATE_ENCODING.
 */
private[emit] object CheckEmitState {

  /** Spark numbers the operators of a query from the top, where EMIT is. */
  private val OPERATOR = 0L
  private val PARTITION = 0

  def apply(write: WriteToStream, emit: Emit): Unit = {
    if (emit.isKeyed) checkEncoding(emit)
    def checkpoint = "checkpoint" -> CheckpointGeneration.checkpointOf(
      new Path(write.resolvedCheckpointLocation),
      SparkSession.active.sessionState.newHadoopConf()).toString
    def fail(condition: String)(option: String): Nothing =
      emit.fail(condition, "option" -> option, checkpoint)
    schema(write.resolvedCheckpointLocation).foreach { stored =>
      val before = KeyState.options(stored.valueSchema)
      val needed = Option.when(emit.isKeyed)(KeyState.of(emit, SQLConf.get))
      (emit.options -- before).map(_.sql).headOption
        .orElse(emit.changeType.filterNot(_ => needed.forall(keepsRow(stored, _)))
            .map(_ => s"the columns that ${ChangeType.SQL} needs"))
        .foreach(fail("OPTION_ADDED"))
      (before -- emit.options).map(_.sql).headOption.foreach(fail("OPTION_REMOVED"))
      needed.flatMap(changedColumn(stored, _, emit)).foreach { case (before, now) =>
        emit.fail("COLUMNS_CHANGED", "before" -> quoteIfNeeded(before), "now" -> quoteIfNeeded(now),
          checkpoint)
      }
    }
  }

  /** Refuses other encodings of the state, since Spark does so only for operators of its own. */
  private def checkEncoding(emit: Emit): Unit = {
    val encoding = SQLConf.STREAMING_STATE_STORE_ENCODING_FORMAT
    val format = SQLConf.get.getConf(encoding)
    if (format != encoding.defaultValueString) {
      emit.fail("STATE_ENCODING", "format" -> format, "conf" -> encoding.key)
    }
  }

  /**
   * Finds a column of the state at whose position the query has another column. It counts if the
   * query still has the column elsewhere, or if only one of the two states is a hash; otherwise the
   * column may have been renamed. Returns both names.
   */
  private def changedColumn(
      stored: StateStoreColFamilySchema, needed: KeyState, emit: Emit): Option[(String, String)] = {
    val values = KeyState.content(stored.valueSchema)
    def names(fields: Seq[StructField], columns: Seq[Attribute]) =
      fields.map(_.name).zip(columns.map(_.name))
    (names(stored.keySchema, needed.keys) ++ names(values, needed.content)).find {
      case (before, now) =>
        val isSame = SQLConf.get.resolver(before, _: String)
        !isSame(now) && (RowHash.isHash(values) != needed.hashed ||
          emit.resultAttributes.exists(column => isSame(column.name)))
    }
  }

  /** Whether a state has the rows that WITH CHANGE TYPE reports as deleted. */
  private def keepsRow(stored: StateStoreColFamilySchema, needed: KeyState): Boolean = {
    val values = KeyState.content(stored.valueSchema)
    RowHash.isHash(values) == needed.hashed && values.size == needed.content.size &&
    values.zip(needed.content).forall { case (a, b) =>
      DataType.equalsIgnoreNullability(a.dataType, b.dataType)
    }
  }

  /** Returns the schema of the state in a checkpoint; None if it has no state. */
  private def schema(checkpoint: String): Option[StateStoreColFamilySchema] = {
    val conf = SparkSession.active.sessionState.newHadoopConf()
    val store = StateStoreId(new Path(checkpoint, DIR_NAME_STATE).toString, OPERATOR, PARTITION)
    val file = StateSchemaCompatibilityChecker.schemaFile(store.storeCheckpointLocation())
    Option.when(file.getFileSystem(conf).exists(file))(
      new StateSchemaCompatibilityChecker(StateStoreProviderId(store, new UUID(0, 0)), conf)
        .readSchemaFile().headOption).flatten
  }
}
