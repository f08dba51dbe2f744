package io.eddyline.spark.assume.verdict

import java.io.{FileNotFoundException, InputStream}
import java.nio.ByteBuffer

import scala.util.Using
import scala.util.control.NonFatal

import com.fasterxml.jackson.core.JsonGenerator
import org.apache.commons.codec.digest.DigestUtils.sha256Hex
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.internal.Logging
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager

import io.eddyline.spark.assume.units.FileVersion
import io.eddyline.spark.base.{AtomicWrite, Json}

/**
 * Stores check results as files of JSON, which outlive the driver. Each fingerprint has a folder
 * with one file for each of its newest results; a file is renamed into place when it is complete.
 *
 * The folder only saves work, so a failed read or write is logged and never fails a query; a file
 * in another form counts as absent.
 */
private[assume] class VerdictFolder(val root: Path, conf: Configuration) extends Logging {
  import VerdictFolder._

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
      AtomicWrite.replace(manager, path(fingerprint, result)) { out =>
        WRITER.writeValue(out, StoredResult.of(fingerprint, result))
      }
      val old = list(fingerprint).dropRight(CheckResult.MAX_KEPT)
      (old ++ replaced.map(path(fingerprint, _))).foreach(manager.delete)
    } catch {
      case NonFatal(e) => logWarning(s"A verdict cannot be kept in ${folder(fingerprint)}", e)
    }

  private def read(fingerprint: ClaimFingerprint, file: Path): Option[CheckResult] =
    try
      Using.resource[InputStream, Option[CheckResult]](manager.open(file)) { in =>
        Some(Json.mapper.readValue(in, classOf[StoredResult]).result(fingerprint))
      }
    catch {
      case _: FileNotFoundException => None // deleted since the folder was listed
      case NonFatal(e) =>
        logWarning(s"$file is no verdict that can be read", e)
        None
    }

  private def list(fingerprint: ClaimFingerprint): Seq[Path] =
    try manager.list(folder(fingerprint)).toSeq.sortBy(_.getModificationTime).map(_.getPath)
        .filter(_.getName.endsWith(SUFFIX))
    catch { case _: FileNotFoundException => Nil }

  /**
   * Returns the folder of a fingerprint; its name is a digest, since reader options may be secret.
   */
  private def folder(fingerprint: ClaimFingerprint): Path = new Path(root, fingerprint.digest)

  private def path(fingerprint: ClaimFingerprint, result: CheckResult): Path = {
    val files = result.files.toSeq.sortBy(_.path).mkString(",")
    val name = sha256Hex(s"$files ${result.hashes.size}")
    new Path(folder(fingerprint), name + SUFFIX)
  }
}

private object VerdictFolder {
  private val SUFFIX = ".verdict"
  private val WRITER = Json.mapper.writer.without(JsonGenerator.Feature.AUTO_CLOSE_TARGET)
}

/**
 * A result as its file has it: one of a claim that holds has neither `violated` nor `misplaced`.
 *
 * @param claim the digest of the fingerprint
 */
private case class StoredResult(
    claim: String,
    violated: Option[Verdict.Violated],
    misplaced: Option[Verdict.Misplaced],
    files: Seq[StoredFile]) {

  /** Fails if the result is about another claim, or if something is missing. */
  def result(fingerprint: ClaimFingerprint): CheckResult = {
    require(claim == fingerprint.digest, "it is about another claim")
    val versions = files.map(file => FileVersion(file.path, file.length, file.modified) -> file)
    val hashes = for ((version, file) <- versions; bytes <- file.hashes)
      yield version -> StoredFile.hashesIn(bytes)
    CheckResult(
      versions.map(_._1).toSet, violated.orElse(misplaced).getOrElse(Verdict.Holds), hashes.toMap)
  }
}

private object StoredResult {
  def of(fingerprint: ClaimFingerprint, result: CheckResult): StoredResult = StoredResult(
    fingerprint.digest,
    Some(result.verdict).collect { case violated: Verdict.Violated => violated },
    Some(result.verdict).collect { case misplaced: Verdict.Misplaced => misplaced },
    result.files.toSeq.map { file =>
      StoredFile(
        file.path, file.length, file.modified, result.hashes.get(file).map(StoredFile.bytesOf))
    })
}

/** @param hashes its key hashes of eight bytes each, which JSON has as base64; None: unknown */
private case class StoredFile(
    path: String, length: Long, modified: Long, hashes: Option[Array[Byte]])

private object StoredFile {
  def bytesOf(hashes: Array[Long]): Array[Byte] = {
    val bytes = ByteBuffer.allocate(hashes.length * java.lang.Long.BYTES)
    bytes.asLongBuffer.put(hashes)
    bytes.array
  }

  def hashesIn(bytes: Array[Byte]): Array[Long] = {
    require(bytes.length % java.lang.Long.BYTES == 0, "a hash is cut")
    val hashes = new Array[Long](bytes.length / java.lang.Long.BYTES)
    ByteBuffer.wrap(bytes).asLongBuffer.get(hashes)
    hashes
  }
}
