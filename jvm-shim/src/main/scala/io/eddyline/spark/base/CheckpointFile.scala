package io.eddyline.spark.base

import java.io.{FileNotFoundException, OutputStream}

import scala.reflect.ClassTag
import scala.util.Using

import com.fasterxml.jackson.core.JacksonException
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager
import org.apache.spark.sql.internal.SQLConf

/** A file in the folder `eddyline` of a checkpoint, which has a case class as JSON. */
private[spark] class CheckpointFile[T <: Product: ClassTag](
    checkpoint: Path, name: String, conf: Configuration) {
  import CheckpointFile.FOLDER

  private val folder = new Path(checkpoint, FOLDER)
  private val file = new Path(folder, name)
  private lazy val files = CheckpointFileManager.create(folder, conf)

  def exists: Boolean = files.exists(file)

  /**
   * Returns the content; None if there is no file.
   *
   * Errors: EDDYLINE_STREAMING_QUERY.CHECKPOINT_DAMAGED.
   */
  def read(): Option[T] =
    try Some(Json.read[T](Using.resource(files.open(file))(_.readAllBytes())))
    catch {
      case _: FileNotFoundException => None
      case broken @ (_: JacksonException | _: IllegalArgumentException) =>
        val root = CheckpointGeneration.checkpointOf(checkpoint, conf)
        val shown = root.toUri.relativize(file.toUri)
        throw EddylineErrors.analysis("EDDYLINE_STREAMING_QUERY.CHECKPOINT_DAMAGED",
          Map(
            "checkpoint" -> Redaction.text(SQLConf.get, root.toString),
            "reason" -> s"its file $shown cannot be read (${broken.getMessage})"))
    }

  /** Writes the file atomically: a kill leaves the old content or the new one. */
  def write(content: T): Unit = {
    if (!files.exists(folder)) files.mkdirs(folder)
    AtomicWrite.replace(files, file)(_.write(Json.write(content)))
  }

  def delete(): Unit = files.delete(file)
}

private[spark] object CheckpointFile {

  /** The folder of eddyline's files in a checkpoint. */
  val FOLDER: String = CheckpointGeneration.FILES
}

private[spark] object AtomicWrite {

  /** Writes or replaces a file atomically: a kill or an error leaves the file as it was before. */
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
