package io.eddyline.spark.streamingquery.store

import java.io.{File, IOException}
import java.net.URI

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{
  AbstractFileSystem, FileStatus, FileSystem, FilterFs, FSDataInputStream, FSDataOutputStream, Hdfs,
  Path, RawLocalFileSystem
}
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.hdfs.DistributedFileSystem
import org.apache.hadoop.util.Progressable

/** The steps of file systems, each of which a test may interrupt, also one that only reads. */
object Steps {
  private var left = Int.MaxValue
  private var action = () => ()

  /**
   * Does something before the n-th step of a body, counted from 0, as another application would;
   * returns whether there was such a step.
   */
  def meanwhile(n: Int)(other: => Unit)(body: => Unit): Boolean = {
    var isDone = false
    action = () => {
      isDone = true
      other
    }
    left = n
    try body
    finally left = Int.MaxValue
    isDone
  }

  /** Runs something that dies before its n-th step, as all that follow; returns whether it did. */
  def diesAt(n: Int)(body: => Unit): Boolean = meanwhile(n) {
    left = 0
    throw new IOException("the program is dead")
  } {
    try body
    catch { case _: IOException if left == 0 => }
  }

  private[store] def step(): Unit =
    if (left > 0) left -= 1
    else {
      left = Int.MaxValue
      action()
    }
}

/** The local file system by steps. */
class SteppedFileSystem extends RawLocalFileSystem {
  override def pathToFile(path: Path): File = {
    Steps.step()
    super.pathToFile(path)
  }
}

/** A file system each change of which is a step. */
trait SteppedChanges extends FileSystem {
  protected def step[T](action: => T): T = {
    Steps.step()
    action
  }

  abstract override def create(
      path: Path,
      permission: FsPermission,
      overwrite: Boolean,
      buffer: Int,
      replication: Short,
      block: Long,
      progress: Progressable): FSDataOutputStream =
    step(super.create(path, permission, overwrite, buffer, replication, block, progress))

  abstract override def rename(from: Path, to: Path): Boolean = step(super.rename(from, to))

  abstract override def delete(path: Path, recursive: Boolean): Boolean =
    step(super.delete(path, recursive))
}

/** HDFS by steps. */
class SteppedHdfs extends DistributedFileSystem with SteppedChanges {

  override def getFileStatus(path: Path): FileStatus = step(super.getFileStatus(path))

  override def listStatus(path: Path): Array[FileStatus] = step(super.listStatus(path))

  override def open(path: Path, buffer: Int): FSDataInputStream = step(super.open(path, buffer))
}

/** HDFS by steps, as `FileContext` has it, of which only a rename that replaces a file is used. */
class SteppedHdfsContext(uri: URI, conf: Configuration)
  extends FilterFs(AbstractFileSystem.createFileSystem(uri, SteppedHdfsContext.inner(conf))) {

  override def renameInternal(from: Path, to: Path, overwrite: Boolean): Unit = {
    Steps.step()
    super.renameInternal(from, to, overwrite)
  }
}

object SteppedHdfsContext {
  val SETTING = "fs.AbstractFileSystem.hdfs.impl"

  private def inner(conf: Configuration): Configuration = {
    val plain = new Configuration(conf)
    plain.setClass(SETTING, classOf[Hdfs], classOf[AbstractFileSystem])
    plain
  }
}
