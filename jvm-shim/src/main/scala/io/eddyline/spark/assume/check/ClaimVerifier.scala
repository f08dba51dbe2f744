package io.eddyline.spark.assume.check

import io.eddyline.spark.assume.units.{FileVersion, UnitScanExec}
import io.eddyline.spark.assume.verdict.{CheckResult, ClaimFingerprint, Verdict, Verdicts}
import io.eddyline.spark.base.EddylineConf

/**
 * Checks whether claims about files are true: with the results of earlier checks, else with a scan
 * of the keys alone.
 *
 * @param relations the relations that the claims are about
 */
private[assume] abstract class ClaimVerifier(relations: Seq[UnitScanExec]) {
  protected val sides: Seq[UnitScanExec] = relations.map(_.ofKeys)
  protected val files: Seq[FileVersion] = sides.flatMap(_.files).distinct
  private val session = sides.head.session
  protected val limit: Int = session.sessionState.conf.getConf(EddylineConf.ASSUME_MAX_KEYS)
  private val fingerprint = ClaimFingerprint.of(sides)
  protected lazy val isListed: Boolean = unchanged // a listing may be older than the files
  private val verdicts = Verdicts.of(session)

  /** The verdict that follows from earlier checks; None if none does. */
  protected lazy val known: Option[Verdict] =
    if (files.isEmpty) Some(Verdict.Holds) else asked.flatMap(verdicts.get(_, subjects))

  private def asked: Option[ClaimFingerprint] = fingerprint.filter(_ => isListed)

  /** The key hashes of the files whose keys earlier checks have read. */
  protected lazy val knownHashes: Map[FileVersion, Array[Long]] =
    asked.fold(Map.empty[FileVersion, Array[Long]])(verdicts.hashes(_, subjects))

  /** Whether a verdict of this verifier also covers these files. */
  def covers(others: Seq[FileVersion]): Boolean = others.toSet.subsetOf(files.toSet)

  /** Checks the claims with a scan, which may skip the files whose keys are known. */
  protected def check(): ClaimVerifier.Result

  /** Returns the verdict, from earlier checks if possible. */
  def run(): ClaimVerifier.Result =
    if (relations.exists(_.misfit.isDefined) || files.nonEmpty && !isListed) {
      ClaimVerifier.Result(Verdict.FilesChanged)
    } else {
      known.fold(kept(check()))(verdict => ClaimVerifier.Result(verdict))
    }

  /** Stores the result for later checks, unless a file has changed, and returns it. */
  protected def kept(checked: ClaimVerifier.Result): ClaimVerifier.Result = {
    if (isKept(checked.verdict) && unchanged) {
      asked.foreach(verdicts.put(_, CheckResult(subjects, checked.verdict, checked.hashes)))
    }
    checked
  }

  /**
   * The files that verdicts are stored for. With several relations the path of each file starts
   * with a digest of the keys that are read from it.
   */
  private lazy val subjects: Set[FileVersion] = sides match {
    case Seq(_) => files.toSet
    case several => several.flatMap { side =>
        val keys = ClaimFingerprint.of(Seq(side)).fold("")(_.digest)
        side.files.map(file => file.copy(path = s"$keys ${file.path}"))
      }.toSet
  }

  /** A false verdict on several relations is not kept, because it fails the query. */
  private def isKept(verdict: Verdict): Boolean = verdict match {
    case Verdict.Holds => true
    case _: Verdict.TooManyKeys | Verdict.ResultsTooLarge | Verdict.FilesChanged => false
    case _ => sides.size == 1
  }

  /** Stores a verdict that was found by other means, unless a file has changed. */
  def keep(verdict: Verdict): Unit = fingerprint.filter(_ => unchanged)
    .foreach(verdicts.put(_, CheckResult(subjects, verdict, Map.empty)))

  private def unchanged: Boolean = sides.forall(_.isUnchanged)
}

private[assume] object ClaimVerifier {

  /**
   * The outcome of a check. It has no more than the verdict if that was known.
   *
   * @param hashes the key hashes of each file that was read, if files are units
   * @param files the number of files that were read
   * @param keys the number of keys that were checked
   */
  case class Result(
      verdict: Verdict,
      hashes: Map[FileVersion, Array[Long]] = Map.empty,
      files: Int = 0,
      keys: Long = 0)
}
