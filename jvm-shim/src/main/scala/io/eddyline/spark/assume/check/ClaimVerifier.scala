package io.eddyline.spark.assume.check

import io.eddyline.spark.EddylineConf
import io.eddyline.spark.assume.units.{FileVersion, UnitScanExec}
import io.eddyline.spark.assume.verdict.{CheckResult, ClaimFingerprint, Verdict, Verdicts}

/**
 * Finds whether claims about files are true: by what is known of the files, else by a scan of the
 * keys alone.
 *
 * @param relations that the claims are about
 * @param sampleStride as of [[DuplicateKeyFinder]]
 */
private[assume] abstract class ClaimVerifier(relations: Seq[UnitScanExec], sampleStride: Int) {
  protected val sides: Seq[UnitScanExec] = relations.map(_.ofKeys)
  protected val files: Seq[FileVersion] = sides.flatMap(_.files).distinct
  private val session = sides.head.session
  protected val limit: Int = session.sessionState.conf.getConf(EddylineConf.ASSUME_MAX_KEYS)
  private val fingerprint = ClaimFingerprint.of(sides, sampleStride)
  protected lazy val isListed: Boolean = unchanged // a listing may be older than the files
  private val verdicts = Verdicts.of(session)

  /** The verdict, if it follows from what was found before. */
  protected lazy val known: Option[Verdict] =
    if (files.isEmpty) Some(Verdict.Holds) else asked.flatMap(verdicts.get(_, subjects))

  private def asked: Option[ClaimFingerprint] = fingerprint.filter(_ => isListed)

  /** The hashes of the keys of some files. */
  protected lazy val knownHashes: Map[FileVersion, Array[Long]] =
    asked.fold(Map.empty[FileVersion, Array[Long]])(verdicts.hashes(_, subjects))

  /** Whether a verdict is about these files too. */
  def covers(others: Seq[FileVersion]): Boolean = others.toSet.subsetOf(files.toSet)

  /** By a scan, which may leave out the files whose keys are known. */
  protected def check(): ClaimVerifier.Checked

  def run(): ClaimVerifier.Result =
    if (relations.exists(_.misfit.isDefined) || files.nonEmpty && !isListed) {
      ClaimVerifier.Result(Verdict.FilesChanged, 0, 0)
    } else {
      known.fold(kept(check()))(ClaimVerifier.Result(_, 0, 0))
    }

  /** Keeps what was found, unless a file has changed. */
  protected def kept(checked: ClaimVerifier.Checked): ClaimVerifier.Result = {
    if (isKept(checked.verdict) && unchanged) {
      asked.foreach(verdicts.put(_, CheckResult(subjects, checked.verdict, checked.hashes)))
    }
    ClaimVerifier.Result(checked.verdict, checked.files, checked.keys)
  }

  /** The files; of several relations each with what tells the keys that are read from it. */
  private lazy val subjects: Set[FileVersion] = sides match {
    case Seq(_) => files.toSet
    case several => several.flatMap { side =>
      val keys = ClaimFingerprint.of(Seq(side), sampleStride).fold("")(_.digest)
      side.files.map(file => file.copy(path = s"$keys ${file.path}"))
    }.toSet
  }

  /** A false verdict on several relations is not kept, because it fails the query. */
  private def isKept(verdict: Verdict): Boolean = verdict match {
    case Verdict.Holds => true
    case _: Verdict.TooManyKeys | Verdict.ResultsTooLarge | Verdict.FilesChanged => false
    case _ => sides.size == 1
  }

  /** Keeps a verdict that was found by other means, unless a file has changed. */
  def keep(verdict: Verdict): Unit = fingerprint.filter(_ => unchanged)
    .foreach(verdicts.put(_, CheckResult(subjects, verdict, Map.empty)))

  private def unchanged: Boolean = sides.forall(_.isUnchanged)
}

private[assume] object ClaimVerifier {

  /**
   * @param hashes of the keys of each file, where a file is a unit
   * @param files how many were read
   * @param keys how many keys were compared
   */
  case class Checked(
      verdict: Verdict, hashes: Map[FileVersion, Array[Long]], files: Int, keys: Long)

  /**
   * @param files how many were read
   * @param keys how many of them were checked
   */
  case class Result(verdict: Verdict, files: Int, keys: Long)
}
