package io.eddyline.spark.assume

import scala.util.control.NonFatal

import org.apache.hadoop.fs.Path
import org.apache.spark.internal.Logging
import org.apache.spark.sql.classic.SparkSession

import io.eddyline.spark.EddylineConf

/**
 * What checks have found: those of this driver and, with a folder, those of all drivers that share
 * it.
 *
 * @param maxHashes how many hashes of keys memory keeps; see [[VerdictMemory]]
 */
private[assume] class Verdicts(folder: Option[VerdictFolder], maxHashes: Long) {
  private val memory = VerdictMemory.of(folder)

  /** The verdict on some files, where it follows from what was found. */
  def get(question: Question, files: Set[FileVersion]): Option[Verdict] =
    remembered(question, files).orElse {
      folder.toSeq.flatMap(_.findings(question))
        .foreach(memory.put(question, _, maxHashes))
      remembered(question, files)
    }

  private def remembered(question: Question, files: Set[FileVersion]): Option[Verdict] =
    memory.findings(question).flatMap(_.on(files)).headOption

  /** The hashes of those files whose keys were read before. */
  def hashes(question: Question, files: Set[FileVersion]): Map[FileVersion, Array[Long]] =
    memory.findings(question).flatMap(_.hashes).filter(entry => files(entry._1)).toMap

  def put(question: Question, finding: Finding): Unit = {
    val replaced = memory.put(question, finding, maxHashes)
    folder.foreach(_.put(question, finding, replaced))
  }
}

private[assume] object Verdicts extends Logging {

  /** As a session is set. */
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
