package io.eddyline.spark.globaltable.version

import java.io.IOException

import scala.collection.mutable

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileUtil, Path}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.datasources.{FileIndex, PartitionDirectory}
import org.apache.spark.sql.types.StructType

/**
 * Copies of source files that may be removed before they are read. A further attempt copies only
 * new files, so that it takes less time than the source takes to change.
 */
private[globaltable] class StagedFiles(folder: Path, conf: Configuration) {
  private val copies = mutable.Map.empty[SourceFile, FileStatus]
  private lazy val system = folder.getFileSystem(conf)

  def isEmpty: Boolean = copies.isEmpty

  /** Copies files that are not copied yet. Skips removed ones, which the next probe will miss. */
  def add(files: Set[SourceFile]): Unit = files.foreach { file =>
    if (!copies.contains(file)) {
      val copy = new Path(folder, s"${copies.size}-${file.path.getName}")
      try {
        FileUtil.copy(
          file.path.getFileSystem(conf), file.path, system, copy, false, true, conf)
        copies(file) = system.getFileStatus(copy)
      } catch { case _: IOException if !file.path.getFileSystem(conf).exists(file.path) => }
    }
  }

  /** Returns `index` with each file, which must be among `files`, replaced by its copy. */
  def index(index: FileIndex, files: Set[SourceFile]): FileIndex = new FileIndex {
    private val byPath = files.map(file => file.path -> copies(file)).toMap

    override def rootPaths: Seq[Path] = index.rootPaths

    override def listFiles(
        partitionFilters: Seq[Expression],
        dataFilters: Seq[Expression]): Seq[PartitionDirectory] =
      index.listFiles(partitionFilters, dataFilters).map(directory =>
        directory.copy(files = directory.files.map(file =>
          file.copy(fileStatus = byPath(file.getPath)))))

    override def inputFiles: Array[String] =
      index.inputFiles.map(path => byPath(new Path(path)).getPath.toString)

    override def refresh(): Unit = ()

    override def sizeInBytes: Long = index.sizeInBytes

    override def partitionSchema: StructType = index.partitionSchema
  }

  def remove(): Unit = system.delete(folder, true)
}
