package io.eddyline.spark.assume.verdict

import java.io.FileNotFoundException

import scala.util.control.NonFatal

import org.apache.commons.codec.digest.DigestUtils.sha256Hex
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.internal.Logging
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager

import io.eddyline.spark.base.AtomicWrite

/**
 * Stores check results as [[VerdictFile]]s that outlive the driver. Each fingerprint has a folder
 * with a file for each of its newest results. A file gets its name when it is complete.
 *
 * The folder only saves work: a read or write that fails is logged and never fails a query.
 */
private[assume] class VerdictFolder(val root: Path, conf: Configuration) extends Logging {

  private lazy val manager = CheckpointFileManager.create(root, conf)

  /** Returns the results that can be read, the oldest first. */
  def results(fingerprint: ClaimFingerprint): Seq[CheckResult] =
    try list(fingerprint).flatMap(read(fingerprint, _))
    catch {
      case NonFatal(e) =>
        logWarning(s"The verdicts in ${folder(fingerprint)} cannot be listed", e)
        Nil
    }

  /**
   * Stores a result, and deletes the oldest ones beyond the limit.
   *
   * @param replaced the results that `result` makes redundant, which are deleted too
   */
  def put(fingerprint: ClaimFingerprint, result: CheckResult, replaced: Seq[CheckResult]): Unit =
    try {
      manager.mkdirs(folder(fingerprint))
      AtomicWrite.replace(manager, path(fingerprint, result))(
        VerdictFile.write(fingerprint, result, _))
      val old = list(fingerprint).map(_.getPath).dropRight(CheckResult.MAX_KEPT)
      (old ++ replaced.map(path(fingerprint, _))).foreach(manager.delete)
    } catch {
      case NonFatal(e) => logWarning(s"A verdict cannot be kept in ${folder(fingerprint)}", e)
    }

  private def read(fingerprint: ClaimFingerprint, file: FileStatus): Option[CheckResult] =
    try {
      val in = manager.open(file.getPath)
      try Some(VerdictFile.read(fingerprint, file.getLen, in))
      finally in.close()
    } catch {
      case _: FileNotFoundException => None // deleted since the folder was listed
      case NonFatal(e) =>
        logWarning(s"${file.getPath} is no verdict that can be read", e)
        None
    }

  private def list(fingerprint: ClaimFingerprint): Seq[FileStatus] =
    try manager.list(folder(fingerprint)).toSeq
        .filter(_.getPath.getName.endsWith(VerdictFolder.SUFFIX)).sortBy(_.getModificationTime)
    catch { case _: FileNotFoundException => Nil }

  /**
   * Returns the folder of a fingerprint; its name is a digest, since reader options may be secret.
   */
  private def folder(fingerprint: ClaimFingerprint): Path = new Path(root, fingerprint.digest)

  private def path(fingerprint: ClaimFingerprint, result: CheckResult): Path = {
    val files = result.files.toSeq.sortBy(_.path).mkString(",")
    val name = sha256Hex(s"$files ${result.hashes.size}")
    new Path(folder(fingerprint), name + VerdictFolder.SUFFIX)
  }
}

private object VerdictFolder {
  private val SUFFIX = ".verdict"
}
