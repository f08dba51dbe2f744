package io.eddyline.spark.assume

import java.io.FileNotFoundException

import scala.util.control.NonFatal

import org.apache.commons.codec.digest.DigestUtils.sha256Hex
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.internal.Logging
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager

/**
 * What checks have found, as [[VerdictFile]]s that outlive the driver: a folder for each question,
 * in it a file for each of the newest findings, which is renamed into its place.
 *
 * It saves work and nothing depends on it: what cannot be read or written is logged.
 */
private[assume] class VerdictFolder(val root: Path, conf: Configuration) extends Logging {

  private lazy val manager = CheckpointFileManager.create(root, conf)

  /** Oldest first. */
  def findings(question: Question): Seq[Finding] =
    try list(question).flatMap(read(question, _))
    catch {
      case NonFatal(e) =>
        logWarning(s"The verdicts in ${folder(question)} cannot be listed", e)
        Nil
    }

  /** @param replaced what needs to be kept no more */
  def put(question: Question, finding: Finding, replaced: Seq[Finding]): Unit =
    try {
      manager.mkdirs(folder(question))
      write(question, finding)
      val old = list(question).map(_.getPath).dropRight(Finding.KEPT)
      (old ++ replaced.map(path(question, _))).foreach(manager.delete)
    } catch {
      case NonFatal(e) => logWarning(s"A verdict cannot be kept in ${folder(question)}", e)
    }

  private def write(question: Question, finding: Finding): Unit = {
    val out = manager.createAtomic(path(question, finding), overwriteIfPossible = true)
    try {
      VerdictFile.write(question, finding, out)
      out.close()
    } catch {
      case e: Throwable =>
        out.cancel()
        throw e
    }
  }

  private def read(question: Question, file: FileStatus): Option[Finding] =
    try {
      val in = manager.open(file.getPath)
      try Some(VerdictFile.read(question, file.getLen, in)) finally in.close()
    } catch {
      case _: FileNotFoundException => None // replaced just now
      case NonFatal(e) =>
        logWarning(s"${file.getPath} is no verdict that can be read", e)
        None
    }

  private def list(question: Question): Seq[FileStatus] =
    try manager.list(folder(question)).toSeq
      .filter(_.getPath.getName.endsWith(VerdictFolder.SUFFIX)).sortBy(_.getModificationTime)
    catch { case _: FileNotFoundException => Nil }

  /** Options of a reader may be secret: only a digest of them is written. */
  private def folder(question: Question): Path = new Path(root, question.digest)

  private def path(question: Question, finding: Finding): Path = {
    val files = finding.files.toSeq.sortBy(_.path).mkString(",")
    val name = sha256Hex(s"$files ${finding.hashes.size}")
    new Path(folder(question), name + VerdictFolder.SUFFIX)
  }
}

private object VerdictFolder {
  private val SUFFIX = ".verdict"
}
