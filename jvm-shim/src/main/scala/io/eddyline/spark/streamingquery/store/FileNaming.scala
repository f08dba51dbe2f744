package io.eddyline.spark.streamingquery.store

import java.io.{FileNotFoundException, IOException}
import java.nio.file.{
  FileAlreadyExistsException, Files, FileSystemException, NoSuchFileException, Path => LocalPath
}
import java.nio.file.StandardCopyOption.ATOMIC_MOVE

import scala.util.Try

import org.apache.hadoop.fs.{FileContext, FileSystem, Path, RawLocalFileSystem}
import org.apache.hadoop.fs.Options.Rename.OVERWRITE

/** Gives files their names, as safely as their file system can. */
private[store] sealed trait FileNaming {

  /**
   * Gives a draft a name that no file has; returns false if one has it, which stays as it is. The
   * draft may be left.
   */
  def publish(draft: Path, target: Path): Boolean

  /** Gives a file the name of another one, which is gone then. */
  def replace(file: Path, target: Path): Unit
}

private[store] object FileNaming {
  def of(files: FileSystem): FileNaming = files match {
    case local: RawLocalFileSystem if local.getUri.getScheme == "file" => new LocalNaming(local)
    case other => new Renaming(other)
  }
}

/** A file system such as HDFS, whose `rename` does not take a name that exists. */
private class Renaming(files: FileSystem) extends FileNaming {

  /** By this interface HDFS replaces a file in one step; None: its class is not there. */
  private lazy val context: Option[FileContext] =
    Try(FileContext.getFileContext(files.getUri, files.getConf)).toOption

  override def publish(draft: Path, target: Path): Boolean = {
    val isNew = !files.exists(target) && files.rename(draft, target)
    if (!isNew && !files.exists(target)) throw new IOException(s"$target could not be written")
    isNew
  }

  override def replace(file: Path, target: Path): Unit = context match {
    case Some(context) =>
      try context.rename(file, target, OVERWRITE)
      catch { case _: FileNotFoundException => } // another application has done it
    case None =>
      files.delete(target, false)
      if (!files.rename(file, target)) {
        throw new IOException(s"$file could not be renamed to $target")
      }
  }
}

/**
 * The local file system, whose rename replaces a file that another application has just written.
 * Its links do not; where it has none, a writer that pauses before the rename may replace a file.
 */
private class LocalNaming(files: RawLocalFileSystem) extends FileNaming {
  private val renaming = new Renaming(files)

  override def publish(draft: Path, target: Path): Boolean =
    try {
      Files.createLink(local(target), local(draft))
      true
    } catch {
      case _: FileAlreadyExistsException => false
      case _: UnsupportedOperationException | _: FileSystemException =>
        renaming.publish(draft, target)
    }

  override def replace(file: Path, target: Path): Unit =
    try Files.move(local(file), local(target), ATOMIC_MOVE): Unit
    catch { case _: NoSuchFileException => } // another application has done it

  private def local(path: Path): LocalPath = files.pathToFile(path).toPath
}
