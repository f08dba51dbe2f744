package io.eddyline.spark.streamingquery.state

import scala.util.Using

import com.fasterxml.jackson.core.JacksonException
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager
import org.apache.spark.sql.internal.SQLConf

import io.eddyline.spark.base.{AtomicWrite, EddylineErrors, Json, Redaction}

/**
 * The file `eddyline/shape.json` of a checkpoint, which is written before the first task of a
 * query: a JSON object with what the state consists of.
 *
 * Errors, from `read`: EDDYLINE_STREAMING_QUERY.CHECKPOINT_DAMAGED.
 */
private[state] class StateShapeFile(checkpoint: Path, conf: Configuration) {
  import StateShapeFile._

  private val folder = new Path(checkpoint, FOLDER)
  private val file = new Path(folder, NAME)
  private val files = CheckpointFileManager.create(folder, conf)

  /** The shape in the file; None if there is no file. */
  def read(): Option[StateShape] = Option.when(files.exists(file)) {
    val content = Using.resource(files.open(file))(_.readAllBytes())
    try Json.read[StateShape](content)
    catch {
      case broken @ (_: JacksonException | _: IllegalArgumentException) =>
        throw EddylineErrors.analysis("EDDYLINE_STREAMING_QUERY.CHECKPOINT_DAMAGED",
          Map(
            "checkpoint" -> Redaction.text(SQLConf.get, checkpoint.toString),
            "reason" -> s"its file $FOLDER/$NAME cannot be read (${broken.getMessage})"))
    }
  }

  /** Replaces the file in one step. */
  def write(shape: StateShape): Unit = {
    files.mkdirs(folder)
    AtomicWrite.replace(files, file) { out =>
      out.write(Json.write(shape))
    }
  }
}

private object StateShapeFile {
  private val FOLDER = "eddyline"
  private val NAME = "shape.json"
}
