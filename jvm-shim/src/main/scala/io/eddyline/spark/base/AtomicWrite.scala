package io.eddyline.spark.base

import java.io.OutputStream

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager

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
