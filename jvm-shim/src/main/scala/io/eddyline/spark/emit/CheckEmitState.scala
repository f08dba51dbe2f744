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

import io.eddyline.spark.emit.clause.{ChangeType, Emit}
import io.eddyline.spark.emit.keyed.{KeyState, RowHash}

/**
 * Checks, before the first micro-batch, that a checkpoint was written with the same options of EMIT
 * ON CHANGE. Their amounts and intervals may have changed, since the state does not depend on them.
 * With KEY it also checks the columns in the state, of which Spark compares the types alone.
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
    val checkpoint = "checkpoint" -> write.resolvedCheckpointLocation
    def fail(condition: String)(option: String): Nothing =
      emit.fail(condition, "option" -> option, checkpoint)
    schema(write.resolvedCheckpointLocation).foreach { stored =>
      val before = KeyState.options(stored.valueSchema)
      val needed = Option.when(emit.isKeyed)(KeyState.of(emit, SQLConf.get))
      (emit.options -- before).map(_.sql).headOption
        .orElse(emit.changeType.filterNot(_ => needed.forall(keepsRow(stored, _)))
            .map(_ => s"the columns that ${ChangeType.SQL} needs"))
        .foreach(fail("OPTION_ADDED"))
      (before -- emit.options).map(_.sql).headOption
        .foreach(fail("OPTION_REMOVED"))
      needed.flatMap(changedColumn(stored, _, emit)).foreach { case (before, now) =>
        emit.fail("COLUMNS_CHANGED", "before" -> quoteIfNeeded(before), "now" -> quoteIfNeeded(now),
          checkpoint)
      }
    }
  }

  /** Spark refuses other encodings for its own operators, but does not know that EMIT has state. */
  private def checkEncoding(emit: Emit): Unit = {
    val encoding = SQLConf.STREAMING_STATE_STORE_ENCODING_FORMAT
    val format = SQLConf.get.getConf(encoding)
    if (format != encoding.defaultValueString) {
      emit.fail("STATE_ENCODING", "format" -> format, "conf" -> encoding.key)
    }
  }

  /**
   * A column of the state in whose place the query has another one, although it has that column
   * too, or one of them is a hash; a column that is gone may have been renamed.
   */
  private def changedColumn(
      stored: StateStoreColFamilySchema,
      needed: KeyState,
      emit: Emit): Option[(String, String)] = {
    val values = KeyState.content(stored.valueSchema)
    def names(fields: Seq[StructField], columns: Seq[Attribute]) =
      fields.map(_.name).zip(columns.map(_.name))
    (names(stored.keySchema, needed.keys) ++ names(values, needed.content)).find {
      case (before, now) =>
        val isSame = SQLConf.get.resolver(before, _: String)
        !isSame(now) && (RowHash.isOne(values) != needed.hashed ||
          emit.resultAttributes.exists(column => isSame(column.name)))
    }
  }

  /** Whether a state has all that a deleted row is reported with; over an aggregation it does. */
  private def keepsRow(stored: StateStoreColFamilySchema, needed: KeyState): Boolean = {
    val values = KeyState.content(stored.valueSchema)
    RowHash.isOne(values) == needed.hashed && values.size == needed.content.size &&
    values.zip(needed.content).forall { case (a, b) =>
      DataType.equalsIgnoreNullability(a.dataType, b.dataType)
    }
  }

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
