package io.eddyline.spark.assume.verdict

import scala.util.control.NonFatal

import org.apache.hadoop.fs.Path
import org.apache.spark.internal.Logging
import org.apache.spark.sql.classic.SparkSession

import io.eddyline.spark.assume.units.FileVersion
import io.eddyline.spark.base.EddylineConf

/**
 * The results of earlier checks: those of this driver and, with a verdict folder, those of all
 * drivers that share it.
 *
 * @param folder the shared verdict folder; None if the session has none
 * @param maxHashes how many key hashes are kept in memory; see [[VerdictMemory]]
 */
private[assume] class Verdicts(folder: Option[VerdictFolder], maxHashes: Long) {
  private val memory = new VerdictMemory(folder.map(_.root))

  /** Returns the verdict about some files; None if it does not follow from earlier results. */
  def get(fingerprint: ClaimFingerprint, files: Set[FileVersion]): Option[Verdict] =
    remembered(fingerprint, files).orElse {
      folder.toSeq.flatMap(_.results(fingerprint))
        .foreach(memory.put(fingerprint, _, maxHashes))
      remembered(fingerprint, files)
    }

  private def remembered(fingerprint: ClaimFingerprint, files: Set[FileVersion]): Option[Verdict] =
    memory.results(fingerprint).flatMap(_.verdictOn(files)).headOption

  /** Returns the key hashes of those files whose keys this driver has read or loaded before. */
  def hashes(
      fingerprint: ClaimFingerprint,
      files: Set[FileVersion]): Map[FileVersion, Array[Long]] =
    memory.results(fingerprint).flatMap(_.hashes).filter(entry => files(entry._1)).toMap

  /** Keeps a result, in memory and in the folder if there is one. */
  def put(fingerprint: ClaimFingerprint, result: CheckResult): Unit = {
    val replaced = memory.put(fingerprint, result, maxHashes)
    folder.foreach(_.put(fingerprint, result, replaced))
  }
}

private[assume] object Verdicts extends Logging {

  /** Returns the results of earlier checks that a session may use by its settings. */
  def of(session: SparkSession): Verdicts = {
    val state = session.sessionState
    val folder = state.conf.getConf(EddylineConf.ASSUME_VERDICTS).flatMap(folderAt(_, session))
    new Verdicts(folder, state.conf.getConf(EddylineConf.ASSUME_MAX_KEYS))
  }

  private def folderAt(path: String, session: SparkSession): Option[VerdictFolder] =
    try Some(new VerdictFolder(new Path(path), session.sessionState.newHadoopConf()))
    catch {
      case NonFatal(e) =>
        logWarning(s"${EddylineConf.ASSUME_VERDICTS.key} names no folder: '$path'", e)
        None
    }
}
