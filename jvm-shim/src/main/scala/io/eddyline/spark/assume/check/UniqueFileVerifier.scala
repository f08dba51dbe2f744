package io.eddyline.spark.assume.check

import io.eddyline.spark.assume.check.ClaimVerifier.Result
import io.eddyline.spark.assume.units.UnitScanExec

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
