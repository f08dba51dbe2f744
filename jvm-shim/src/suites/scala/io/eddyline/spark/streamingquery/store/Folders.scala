package io.eddyline.spark.streamingquery.store

import java.nio.file.Files

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileUtil, Path}

/** Gives each test a folder that is removed after it. */
trait Folders {
  protected val conf = new Configuration

  /** Runs a test with the path of a folder that does not exist yet. */
  protected def withFolder(body: Path => Unit): Unit = {
    val parent = Files.createTempDirectory("eddyline").toFile
    try body(new Path(parent.getPath, "folder"))
    finally FileUtil.fullyDelete(parent)
  }
}
