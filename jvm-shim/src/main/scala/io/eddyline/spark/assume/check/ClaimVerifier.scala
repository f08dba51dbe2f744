package io.eddyline.spark.assume.check

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.catalyst.plans.physical.HashPartitioning

import io.eddyline.spark.assume.check.ClaimVerifier.Result
import io.eddyline.spark.assume.units.{FileVersion, TryKey, UnitScanExec}
import io.eddyline.spark.assume.verdict.{CheckResult, ClaimFingerprint, Verdict, Verdicts}
import io.eddyline.spark.base.EddylineConf

/**
 * Checks whether claims about files are true: by the stored results of earlier checks or, if no
 * verdict follows from them, by a scan that reads only the keys.
 */
private[assume] abstract class ClaimVerifier(relations: Seq[UnitScanExec]) {
  protected val keyScans: Seq[UnitScanExec] = relations.map(_.ofKeys)
  protected val files: Seq[FileVersion] = keyScans.flatMap(_.files).distinct
  private val session = keyScans.head.session
  protected val limit: Int = session.sessionState.conf.getConf(EddylineConf.ASSUME_MAX_KEYS)
  private val fingerprint = ClaimFingerprint.of(keyScans)
  private val verdicts = Verdicts.of(session)

  /** Whether the listed files have not changed; Spark may have listed them long ago. */
  protected lazy val isListingCurrent: Boolean = filesAreUnchanged

  /** The verdict that follows from earlier checks; None if none does. */
  protected lazy val known: Option[Verdict] =
    if (files.isEmpty) Some(Verdict.Holds) else listedFingerprint.flatMap(verdicts.get(_, subjects))

  /** The fingerprint under which results are stored; None if they must not be stored or used. */
  private def listedFingerprint: Option[ClaimFingerprint] =
    fingerprint.filter(_ => isListingCurrent)

  /** The key hashes of the files whose keys earlier checks have read. */
  protected lazy val knownHashes: Map[FileVersion, Array[Long]] =
    listedFingerprint.fold(Map.empty[FileVersion, Array[Long]])(verdicts.hashes(_, subjects))

  /** Whether a verdict of this verifier also covers these files. */
  def covers(others: Seq[FileVersion]): Boolean = others.toSet.subsetOf(files.toSet)

  /** Runs a scan that checks the claims. It may skip files whose keys are known. */
  protected def scan(): Result

  /** Returns the verdict, from earlier checks if possible. */
  def run(): Result =
    if (relations.exists(_.fileOutsideUnits.isDefined) || files.nonEmpty && !isListingCurrent) {
      Result(Verdict.FilesChanged)
    } else {
      known.fold(store(scan()))(verdict => Result(verdict))
    }

  /** Stores a result for later checks, unless a file has changed, and returns it. */
  protected def store(result: Result): Result = {
    if (isReusable(result.verdict) && filesAreUnchanged) {
      listedFingerprint.foreach(
        verdicts.put(_, CheckResult(subjects, result.verdict, result.hashes)))
    }
    result
  }

  /**
   * The files for which verdicts are stored. With several relations the path of each file is
   * preceded by a digest of the keys that are read from it.
   */
  private lazy val subjects: Set[FileVersion] = keyScans match {
    case Seq(_) => files.toSet
    case several => several.flatMap { keyScan =>
        val keys = ClaimFingerprint.of(Seq(keyScan)).fold("")(_.digest)
        keyScan.files.map(file => file.copy(path = s"$keys ${file.path}"))
      }.toSet
  }

  /** A false verdict on several relations is not stored, because it fails the query. */
  private def isReusable(verdict: Verdict): Boolean = verdict match {
    case Verdict.Holds => true
    case _: Verdict.TooManyKeys | Verdict.ResultsTooLarge | Verdict.FilesChanged => false
    case _ => keyScans.size == 1
  }

  /** Stores a verdict that another query has found, unless a file has changed. */
  def storeVerdict(verdict: Verdict): Unit = fingerprint.filter(_ => filesAreUnchanged)
    .foreach(verdicts.put(_, CheckResult(subjects, verdict, Map.empty)))

  private def filesAreUnchanged: Boolean = keyScans.forall(_.isUnchanged)
}

private[assume] object ClaimVerifier {

  /** Returns the verifier of a claim about one relation. */
  def of(units: UnitScanExec): ClaimVerifier = units.layout.size match {
    case Some(size) if units.layout.hashed => new RowHashVerifier(units, size)
    case _ if units.layout.isNumbered => new LayoutVerifier(Seq(units))
    case _ => new UniqueFileVerifier(units)
  }

  /**
   * The outcome of a check. If the verdict was known before, the other fields are empty.
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
  private lazy val keys = new KeyHashScan(keyScans)

  def duplicateKeyFinder: DuplicateKeyFinder = new DuplicateKeyFinder(limit)

  override protected def scan(): Result = result(duplicateKeyFinder.run(
      keys.hashes, knownHashes.map { case (file, hashes) => unitOf(file) -> hashes }))

  /**
   * Whether to compare the keys that the query collects instead of scanning the files whose keys
   * are unknown: true if no verdict is known and fewer than half of the files have known keys.
   * False if the files have changed since the query was planned or listed them.
   */
  def prefersCollectedKeys: Boolean = isListingCurrent && units.isAsPlanned &&
    known.isEmpty && knownHashes.size * 2 < files.size

  /** Checks the claim with the keys that a query has collected while it read all rows. */
  def verifyCollectedKeys(collected: KeyHashAccumulator.HashesByUnit): Result =
    store(result(duplicateKeyFinder.compare(collected)))

  private def result(found: DuplicateKeyFinder.Result): Result = {
    val read = found.read.map { case (unit, hashes) => files(unit) -> hashes }
    Result(keys.verdict(found), knownHashes ++ read, read.size, found.keysRead)
  }
}

/**
 * Checks whether equal keys lie in units with the same number, in one or several relations.
 *
 * @param relations the scans of relations whose keys have the same types
 */
private[assume] class LayoutVerifier(relations: Seq[UnitScanExec])
  extends ClaimVerifier(relations) {

  override protected def scan(): Result = {
    val keys = new KeyHashScan(keyScans)
    val found = new DuplicateKeyFinder(limit).run(keys.hashes, Map.empty)
    Result(keys.verdict(found), Map.empty, files.size, found.keysRead)
  }
}

/**
 * Checks whether each row lies in the unit that the hash of its keys gives. It keeps no keys in
 * memory, and a task stops at the first misplaced row.
 */
private[assume] class RowHashVerifier(units: UnitScanExec, size: Int)
  extends ClaimVerifier(Seq(units)) {

  override protected def scan(): Result = {
    val (keys, rows) = (units.keys, KeyHashScan.asRows(keyScans.head))
    val (partitioning, input) = (HashPartitioning(keys, size), rows.output)
    val number = TryKey.of(keys, partitioning.partitionIdExpression)
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
            (KeyLocation.of(placeOf(row)), context.partitionId(), numberOf(row).getInt(0))
          })
      })
    val verdict = tasks.flatMap(_._2).headOption.fold[Verdict](Verdict.Holds) {
      case (place, unit, expected) => place.file(files)
          .fold[Verdict](Verdict.FilesChanged)(Verdict.Misplaced(place.key, _, unit, expected))
    }
    Result(verdict, Map.empty, files.size, tasks.map(_._1).sum)
  }
}
