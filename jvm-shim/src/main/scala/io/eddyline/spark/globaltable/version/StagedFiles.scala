package io.eddyline.spark.globaltable.version

import java.io.IOException
import java.nio.file.Files

import scala.collection.mutable

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileSystem, FileUtil, LocalFileSystem, Path}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.datasources.{FileIndex, PartitionDirectory}
import org.apache.spark.sql.types.StructType

/**
 * Copies of source files that may be removed before they are read. A further attempt copies only
 * new files, so that it takes less time than the source takes to change.
 */
private[globaltable] class StagedFiles(folder: Path, conf: Configuration) {
  private val copies = mutable.Map.empty[SourceFile, StagedFiles.Copy]
  private lazy val system = {
    val found = folder.getFileSystem(conf)
    found.mkdirs(folder)
    found
  }

  def isEmpty: Boolean = copies.isEmpty

  /** The files that were copied, each with the start of the probe that found it, in ms. */
  def probes: Map[SourceFile, Long] = copies.map { case (file, copy) => file -> copy.probe }.toMap

  /**
   * Copies files that are not copied yet. Skips removed ones, which the next probe will miss.
   *
   * @param probe when the probe that found the files began, in ms since the epoch
   */
  def add(files: Set[SourceFile], probe: Long): Unit = files.foreach { file =>
    if (!copies.contains(file)) {
      val source = file.path.getFileSystem(conf)
      val target = new Path(folder, s"${copies.size}-${file.path.getName}")
      try {
        copy(source, file.path, target)
        copies(file) = StagedFiles.Copy(system.getFileStatus(target), probe)
      } catch { case _: IOException if !source.exists(file.path) => }
    }
  }

  /** Copies a file; without Hadoop if it is local, since Hadoop starts two processes for each. */
  private def copy(source: FileSystem, file: Path, target: Path): Unit = (source, system) match {
    case (from: LocalFileSystem, to: LocalFileSystem) =>
      Files.copy(from.pathToFile(file).toPath, to.pathToFile(target).toPath)
    case _ => FileUtil.copy(source, file, system, target, false, true, conf)
  }

  /** Returns `index` with each file, which must be among `files`, replaced by its copy. */
  def index(index: FileIndex, files: Set[SourceFile]): FileIndex = new FileIndex {
    private val byPath = files.map(file => file.path -> copies(file).status).toMap

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

private object StagedFiles {

  /** A copy, and when the probe that found its file began. */
  private case class Copy(status: FileStatus, probe: Long)
}
