package io.eddyline.spark.base

import java.io.{FileNotFoundException, OutputStream}

import scala.reflect.ClassTag
import scala.util.Using

import com.fasterxml.jackson.core.JacksonException
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager
import org.apache.spark.sql.internal.SQLConf

/**
 * A file of the folder `eddyline` of a checkpoint, which holds a case class as JSON.
 *
 * Errors, from `read`: EDDYLINE_STREAMING_QUERY.CHECKPOINT_DAMAGED.
 *
 * @param checkpoint root folder of the checkpoint
 */
private[spark] class CheckpointFile[T <: Product: ClassTag](
    checkpoint: Path, name: String, conf: Configuration) {
  import CheckpointFile.FOLDER

  private val folder = new Path(checkpoint, FOLDER)
  private val file = new Path(folder, name)
  private lazy val files = CheckpointFileManager.create(folder, conf)

  def exists: Boolean = files.exists(file)

  /** The content; None if there is no file. */
  def read(): Option[T] =
    try {
      val content = Using.resource(files.open(file))(_.readAllBytes())
      Some(Json.read[T](content))
    } catch {
      case _: FileNotFoundException => None
      case broken @ (_: JacksonException | _: IllegalArgumentException) =>
        throw EddylineErrors.analysis("EDDYLINE_STREAMING_QUERY.CHECKPOINT_DAMAGED",
          Map(
            "checkpoint" -> Redaction.text(SQLConf.get, checkpoint.toString),
            "reason" -> s"its file $FOLDER/$name cannot be read (${broken.getMessage})"))
    }

  /** Replaces the file in one step: a kill leaves the old content or the new one. */
  def write(content: T): Unit = {
    if (!files.exists(folder)) files.mkdirs(folder)
    AtomicWrite.replace(files, file)(_.write(Json.write(content)))
  }

  def delete(): Unit = files.delete(file)
}

private[spark] object CheckpointFile {

  /** The folder of a checkpoint that has eddyline's files. */
  val FOLDER = "eddyline"
}

private[spark] object AtomicWrite {

  /** Writes a file in the place of the one before: a kill or an error leaves that one. */
  def replace(files: CheckpointFileManager, file: Path)(write: OutputStream => Unit): Unit = {
    val out = files.createAtomic(file, overwriteIfPossible = true)
    try {
      write(out)
      out.close()
    } catch {
      case e: Throwable =>
        out.cancel()
        throw e
    }
  }
}
