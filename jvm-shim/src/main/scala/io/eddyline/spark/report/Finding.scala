package io.eddyline.spark.report

import java.util.Locale

import io.eddyline.spark.assume.claim.{Claim, ClaimUse}
import io.eddyline.spark.cogroup.CoGroupPlan
import io.eddyline.spark.globaltable.join.GlobalTableUse

/**
 * What a report says about one part of a plan: a row of EXPLAIN CLAUSES, or an entry in Python.
 *
 * @param part the kind of the finding, such as ASSUME or EXCHANGE
 */
sealed abstract class Finding(val part: String) extends Product {

  /** What the finding is about: a relation, keys, a table or an operator. */
  def subject: String

  def outcome: String

  /** The reason of the outcome, as a sentence without a full stop; None if there is none. */
  def reason: Option[String]

  /** All fields by their names in Python and JSON, the constructor's by default; None is NULL. */
  def details: Seq[(String, Any)] =
    productElementNames.map(_.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT))
      .zip(productIterator).toSeq
}

/** One outcome of one claim. */
case class ClaimFinding(claim: Claim, use: ClaimUse) extends Finding("ASSUME") {
  override def subject: String = s"${claim.relation} (${claim.keys})${claim.layout.sql}"
  override def outcome: String = use.outcome
  override def reason: Option[String] = use.reason
  override def details: Seq[(String, Any)] = Seq(
    "keys" -> (claim.keys + claim.layout.sql),
    "relation" -> claim.relation,
    "proof" -> claim.proof,
    "units" -> claim.units,
    "outcome" -> outcome,
    "exchange" -> use.exchange,
    "exchange_avoided" -> use.exchangeAvoided,
    "operator" -> use.operator,
    "reason" -> reason,
    "verdict" -> claim.verdict,
    "check_ms" -> claim.checkTime)
}

/**
 * An Exchange that the plan has, or that it would have without a clause.
 *
 * @param kind SHUFFLE or BROADCAST
 * @param keys the keys of the shuffle, or `single`, `range(…)` and so on
 * @param operator the operator that reads its rows
 * @param outcome SAVED, KEPT or REUSED
 * @param partitions number of partitions that it writes
 * @param rows number of rows that were written; None before the run, or if nothing counts them
 * @param bytes size of the rows that were written
 */
case class ExchangeFinding(
    kind: String,
    keys: String,
    operator: String,
    outcome: String,
    reason: Option[String],
    savedBy: Option[String] = None,
    partitions: Option[Int] = None,
    rows: Option[Long] = None,
    bytes: Option[Long] = None)
  extends Finding("EXCHANGE") {
  override def subject: String = s"$kind ($keys) for $operator"
}

/**
 * A version of a global table that a plan reads.
 *
 * @param join the type of the join with it, as in SQL; None if no join reads it
 * @param side LEFT or RIGHT, the side of the join on which it stands
 */
case class GlobalTableFinding(
    use: GlobalTableUse, join: Option[String], side: Option[String], reason: Option[String])
  extends Finding("GLOBAL TABLE") {
  override def subject: String = use.table
  override def outcome: String = if (use.keys.isDefined) "LOOKUP" else "SCAN"

  /** The finding as a line of EXPLAIN. */
  def summary: String = s"GLOBAL TABLE ${use.sentence}${reason.fold("")(why => s": $why")}"

  override def details: Seq[(String, Any)] = Seq(
    "table" -> use.table,
    "version" -> use.version,
    "outcome" -> outcome,
    "reason" -> reason,
    "join" -> join,
    "side" -> side,
    "keys" -> use.keys.map(_.mkString(", ")),
    "replica" -> use.isHit.map(hit => if (hit) "hit" else "build"),
    "rows" -> use.rows,
    "bytes" -> use.bytes,
    "age_ms" -> use.age,
    "last_error" -> use.lastError)
}

/**
 * A stateful operator of a streaming query, after its last micro-batch.
 *
 * @param outcome what it emits: CHANGES, UPDATES, CLOSED, ALL, NEW or CUSTOM
 * @param rows number of rows in its state; None if it has not run yet, as the counts below
 * @param bytes memory of its state on the executors
 * @param dropped idempotent updates that it dropped; None if it does not compare
 * @param late rows that were behind the watermark
 */
case class StateFinding(
    operator: String,
    id: Option[Long],
    keys: String,
    outcome: String,
    reason: Option[String],
    rows: Option[Long],
    bytes: Option[Long],
    updated: Option[Long],
    removed: Option[Long],
    dropped: Option[Long],
    late: Option[Long])
  extends Finding("STATE") {
  override def subject: String = if (keys.isEmpty) operator else s"$operator ($keys)"
}

/** A COGROUP and how its branches are aggregated. */
case class CoGroupFinding(plan: CoGroupPlan) extends Finding("COGROUP") {
  override def subject: String = plan.branches.map(_._1).mkString(", ")
  override def outcome: String = plan.strategy.name
  override def reason: Option[String] = Some(plan.strategy.reason)

  /** The finding as a line of EXPLAIN. */
  def summary: String = s"COGROUP ${branches.mkString(", ")}: $outcome: ${plan.strategy.reason}"

  private def branches: Seq[String] = plan.branches.map { case (name, keys) =>
    if (keys.size == 1) s"$name BY ${keys.head}" else s"$name BY (${keys.mkString(", ")})"
  }

  override def details: Seq[(String, Any)] = Seq(
    "branches" -> branches,
    "keys" -> plan.keys.mkString(", "),
    "outcome" -> outcome,
    "reason" -> reason)
}

/**
 * The clause EMIT.
 *
 * @param outcome USED, or REMOVED in a batch query
 */
case class EmitFinding(clause: String, outcome: String, reason: Option[String])
  extends Finding("EMIT") {
  override def subject: String = clause

  /** The finding as a line of EXPLAIN. */
  def summary: String = s"$clause: $outcome${reason.fold("")(why => s": $why")}"
}

/**
 * Something that a clause promises and the plan does not do.
 *
 * @param clause the part of the finding that says more about it
 * @param outcome what the plan does instead
 */
case class FallbackFinding(clause: String, subject: String, outcome: String, why: String)
  extends Finding("FALLBACK") {
  override def reason: Option[String] = Some(why)
  override def details: Seq[(String, Any)] =
    Seq("clause" -> clause, "about" -> subject, "outcome" -> outcome, "reason" -> reason)
}

/**
 * The operators that a native engine runs, or one that it leaves to Spark.
 *
 * @param outcome NATIVE or SPARK
 * @param reason the engine's own words
 */
case class NativeFinding(operators: String, outcome: String, reason: Option[String])
  extends Finding("NATIVE") {
  override def subject: String = operators
}

/**
 * A micro-batch among the last ones of a streaming query.
 *
 * @param versions the version of each global table that it joined
 */
case class MicroBatchFinding(
    batch: Long,
    inputRows: Long,
    emitted: Option[Long],
    dropped: Long,
    stateRows: Long,
    stateBytes: Long,
    versions: Map[String, String])
  extends Finding("MICRO-BATCH") {
  override def subject: String = batch.toString
  override def outcome: String = "DONE"
  override def reason: Option[String] = None
}
