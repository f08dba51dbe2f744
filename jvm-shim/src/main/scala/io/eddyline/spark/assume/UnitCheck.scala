package io.eddyline.spark.assume

import io.eddyline.spark.EddylineConf

/**
 * Finds whether claims about files are true: by what is known of the files, else by a scan of the
 * keys alone.
 *
 * @param sides the relations that the claims are about
 * @param every as of [[KeyCheck]]
 */
private[assume] abstract class UnitCheck(sides: Seq[UnitScanExec], every: Int) {
  protected val files: Seq[FileVersion] = sides.flatMap(_.files).distinct
  private val session = sides.head.session
  protected val limit: Int = session.sessionState.conf.getConf(EddylineConf.ASSUME_MAX_KEYS)
  private val question = Question.of(sides, every)
  private val verdicts = Verdicts.of(session)

  /** @param known the hashes of the keys of some files */
  protected def check(known: Map[FileVersion, Array[Long]]): UnitCheck.Checked

  def run(): UnitCheck.Result = {
    val asked = question.filter(_ => unchanged) // a listing may be older than the files
    asked.flatMap(verdicts.get(_, files.toSet)).map(UnitCheck.Result(_, 0, 0)).getOrElse {
      val known = asked.fold(Map.empty[FileVersion, Array[Long]])(verdicts.hashes(_, files.toSet))
      val checked = check(known)
      if (!checked.verdict.isInstanceOf[Verdict.TooManyKeys] && unchanged) {
        asked.foreach(verdicts.put(_, Finding(files.toSet, checked.verdict, checked.hashes)))
      }
      UnitCheck.Result(checked.verdict, checked.files, checked.keys)
    }
  }

  /** Keeps a verdict that was found by other means, unless a file has changed. */
  def keep(verdict: Verdict): Unit = question.filter(_ => unchanged)
    .foreach(verdicts.put(_, Finding(files.toSet, verdict, Map.empty)))

  private def unchanged: Boolean = sides.forall(_.isUnchanged)
}

private[assume] object UnitCheck {

  /** How a claim about one relation is checked. */
  def apply(units: UnitScanExec, every: Int): UnitCheck = units.layout.size match {
    case Some(size) if units.layout.hashed => new WitnessCheck(units, size, every)
    case _ if units.layout.isNumbered => new LayoutCheck(Seq(units), every)
    case _ => new FileCheck(units, every)
  }

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
