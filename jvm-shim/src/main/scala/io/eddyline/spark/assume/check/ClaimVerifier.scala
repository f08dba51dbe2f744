package io.eddyline.spark.assume.check

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.catalyst.plans.physical.HashPartitioning

import io.eddyline.spark.assume.check.ClaimVerifier.Result
import io.eddyline.spark.assume.units.{FileVersion, KeyOrNull, UnitScanExec}
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

/** Checks whether equal keys lie in one file. It reads only the files whose keys are not known. */
private[assume] class UniqueFileVerifier(units: UnitScanExec) extends ClaimVerifier(Seq(units)) {

  private lazy val unitOf = files.zipWithIndex.toMap
  private lazy val keys = new KeyHashScan(sides)

  def keyCheck: DuplicateKeyFinder = new DuplicateKeyFinder(limit)

  override protected def check(): Result = checked(
    keyCheck.run(keys.hashes, knownHashes.map { case (file, hashes) => unitOf(file) -> hashes }))

  /**
   * Whether to check with the keys that the query collects, instead of with a scan of the files
   * whose keys are unknown: true if no verdict is known and fewer than half of the files have known
   * keys. False if the files have changed since the query was planned or listed them.
   */
  def isByGroups: Boolean = isListed && units.isAsPlanned &&
    known.isEmpty && knownHashes.size * 2 < files.size

  /**
   * Checks the claim with the keys that a query has collected while it read all rows.
   *
   * @param collected the key hashes of each unit; None if a unit had too many
   */
  def compare(collected: Map[Int, Option[Array[Long]]]): Result =
    kept(checked(keyCheck.compare(collected)))

  private def checked(found: DuplicateKeyFinder.Result): Result = {
    val read = found.read.map { case (unit, hashes) => files(unit) -> hashes }
    Result(keys.verdict(found), knownHashes ++ read, read.size, found.keysRead)
  }
}

/**
 * Checks whether equal keys lie in units with the same number, in one or several relations.
 *
 * @param relations relations whose keys have the same types
 */
private[assume] class LayoutVerifier(relations: Seq[UnitScanExec])
  extends ClaimVerifier(relations) {

  override protected def check(): Result = {
    val keys = new KeyHashScan(sides)
    val found = new DuplicateKeyFinder(limit).run(keys.hashes, Map.empty)
    Result(keys.verdict(found), Map.empty, files.size, found.keysRead)
  }
}

/**
 * Checks whether each row lies in the unit that the hash of its keys gives. It keeps no keys in
 * memory, and a task stops at the first misplaced row.
 *
 * @param size the number of units
 */
private[assume] class WitnessVerifier(units: UnitScanExec, size: Int)
  extends ClaimVerifier(Seq(units)) {

  override protected def check(): Result = {
    val (keys, rows) = (units.keys, KeyHashScan.rows(sides.head))
    val (partitioning, input) = (HashPartitioning(keys, size), rows.output)
    val number = KeyOrNull.of(keys, partitioning.partitionIdExpression)
    val rdd = rows.execute()
    val tasks = rdd.sparkContext.runJob(rdd,
      (context: TaskContext, partition: Iterator[InternalRow]) => {
        val numberOf = UnsafeProjection.create(Seq(number), input)
        var read = 0L
        val misplaced = partition.find { row =>
          read += 1
          val expected = numberOf(row)
          !expected.isNullAt(0) && expected.getInt(0) != context.partitionId()
        }
        (read,
          misplaced.map { row =>
            val placeOf = UnsafeProjection.create(KeyLocation.fields(keys), input)
            placeOf.initialize(context.partitionId())
            val place = KeyLocation.of(placeOf(row), keys.size)
            (place, context.partitionId(), numberOf(row).getInt(0))
          })
      })
    val verdict = tasks.flatMap(_._2).headOption.fold[Verdict](Verdict.Holds) {
      case (place, unit, expected) => place.file(files)
          .fold[Verdict](Verdict.FilesChanged)(Verdict.Misplaced(place.key, _, unit, expected))
    }
    Result(verdict, Map.empty, files.size, tasks.map(_._1).sum)
  }
}

/** Chooses the verifier for a claim. */
private[assume] object ClaimVerifiers {

  /** Returns the verifier of a claim about one relation. */
  def of(units: UnitScanExec): ClaimVerifier = units.layout.size match {
    case Some(size) if units.layout.hashed => new WitnessVerifier(units, size)
    case _ if units.layout.isNumbered => new LayoutVerifier(Seq(units))
    case _ => new UniqueFileVerifier(units)
  }
}
