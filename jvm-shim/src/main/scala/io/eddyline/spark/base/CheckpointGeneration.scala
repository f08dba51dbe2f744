package io.eddyline.spark.base

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

/**
 * The folders of a checkpoint that SQL has defined, in one of which its query keeps its state:
 * generation 0 is the checkpoint itself, generation n the folder `generation/n` in it. A generation
 * above 0 is complete when it has the file `eddyline/complete`, which is written after all else.
 */
private[spark] object CheckpointGeneration {

  /** The folder of a checkpoint that has the generations above 0. */
  val FOLDER = "generation"

  /** The folder of eddyline's files in a checkpoint, and in each of its generations. */
  private[base] val FILES = "eddyline"

  private val OWN = Seq("global", "shape.json", ".shape.json.")

  /** Whether a file or folder of `eddyline` belongs to a generation, and not to all of them. */
  def isOwn(name: String): Boolean = OWN.exists(name.startsWith)

  def folder(checkpoint: Path, number: Int): Path =
    if (number == 0) checkpoint else new Path(checkpoint, s"$FOLDER/$number")

  /** The file that says that a generation above 0 is complete. */
  def marker(generation: Path): Path = new Path(generation, s"$FILES/complete")

  /** Returns the checkpoint to which the folder of a streaming query belongs. */
  def checkpointOf(folder: Path, conf: Configuration): Path = {
    val checkpoint = Option(folder.getParent).filter(_.getName == FOLDER).map(_.getParent)
    checkpoint.filter(_ => folder.getFileSystem(conf).exists(marker(folder))).getOrElse(folder)
  }
}
