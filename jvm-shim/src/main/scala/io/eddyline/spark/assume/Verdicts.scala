package io.eddyline.spark.assume

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.classic.SparkSession

import io.eddyline.spark.EddylineConf

/**
 * What checks have found: those of this driver and, with a folder, those of all drivers that share
 * it.
 *
 * @param maxHashes how many hashes of keys memory keeps; see [[VerdictMemory]]
 */
private[assume] class Verdicts(folder: Option[VerdictFolder], maxHashes: Long) {

  /** The verdict on some files, where it follows from what was found. */
  def get(question: Question, files: Set[FileVersion]): Option[Verdict] =
    remembered(question, files).orElse {
      folder.toSeq.flatMap(_.findings(question))
        .foreach(VerdictMemory.put(question, _, maxHashes))
      remembered(question, files)
    }

  private def remembered(question: Question, files: Set[FileVersion]): Option[Verdict] =
    VerdictMemory.findings(question).flatMap(_.on(files)).headOption

  /** The hashes of those files whose keys were read before. */
  def hashes(question: Question, files: Set[FileVersion]): Map[FileVersion, Array[Long]] =
    VerdictMemory.findings(question).flatMap(_.hashes).filter(entry => files(entry._1)).toMap

  def put(question: Question, finding: Finding): Unit = {
    val replaced = VerdictMemory.put(question, finding, maxHashes)
    folder.foreach(_.put(question, finding, replaced))
  }
}

private[assume] object Verdicts {

  /** As a session is set. */
  def of(session: SparkSession): Verdicts = {
    val state = session.sessionState
    val folder = state.conf.getConf(EddylineConf.ASSUME_VERDICTS)
      .map(path => new VerdictFolder(new Path(path), state.newHadoopConf()))
    new Verdicts(folder, state.conf.getConf(EddylineConf.ASSUME_MAX_KEYS))
  }
}
