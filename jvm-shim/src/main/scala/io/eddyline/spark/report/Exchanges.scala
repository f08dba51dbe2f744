package io.eddyline.spark.report

import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.exchange._

import io.eddyline.spark.assume.claim.{Claim, ClaimState, ClaimText, ClaimUse, DroppedClaims}
import io.eddyline.spark.assume.units.ClaimExec
import io.eddyline.spark.globaltable.join.GlobalLookupExec

/** Reports the Exchanges of a plan, and those that clauses have saved. */
private[report] object Exchanges {

  /** Returns the Exchanges that claims save, and those that false claims have not saved. */
  def savedBy(claims: Seq[Claim]): Seq[ExchangeFinding] = {
    val used = claims.flatMap(claim =>
      claim.uses.collect { case use: ClaimUse.Used => use -> claim })
    used.map(_._1).distinctBy(_.childId).map { use =>
      val by = used.collect { case (other, claim) if other.childId == use.childId => claim }
      val refuted = by.filter(_.isRefuted).map(claim =>
        s"the claim (${claim.keys}) is ${claim.verdict.mkString}")
      val reasons =
        if (refuted.nonEmpty) refuted
        else by.map(claim => s"${claim.relation} is partitioned by (${claim.keys})")
      ExchangeFinding("SHUFFLE", use.keys, use.consumer,
        if (refuted.isEmpty) "SAVED" else "KEPT",
        Some(reasons.distinct.mkString(", ")),
        Option.when(refuted.isEmpty)("ASSUME"))
    }
  }

  /** Returns what an operator is if it is an Exchange, or saves a broadcast; None for others. */
  def of(place: OperatorWithParents): Option[ExchangeFinding] = {
    val OperatorWithParents(operator, parents) = place
    lazy val consumer = ClaimText.consumer(parents)
    def keys(shuffle: ShuffleExchangeLike) = ClaimText.exchange(shuffle, ClaimText.keys)
    operator match {
      case lookup: GlobalLookupExec =>
        val tables = lookup.uses.map(_.table).mkString(", ")
        Some(ExchangeFinding("BROADCAST", tables, consumer, "SAVED",
            Some("each executor has a replica"), Some("GLOBAL TABLE")))
      case shuffle: ShuffleExchangeLike =>
        Some(ExchangeFinding("SHUFFLE", keys(shuffle), consumer, "KEPT",
            Some(whyKept(shuffle)), None, Some(shuffle.outputPartitioning.numPartitions),
            metric(shuffle, "shuffleRecordsWritten"), metric(shuffle, "shuffleBytesWritten")))
      case broadcast: BroadcastExchangeLike =>
        Some(ExchangeFinding("BROADCAST", "all rows", consumer, "KEPT",
            Some("Spark sends this side of the join to each executor"), None, None,
            metric(broadcast, "numOutputRows"), metric(broadcast, "dataSize")))
      case ReusedExchangeExec(_, exchange) =>
        val (kind, by) = exchange match {
          case shuffle: ShuffleExchangeLike => ("SHUFFLE", keys(shuffle))
          case _ => ("BROADCAST", "all rows")
        }
        Some(ExchangeFinding(kind, by, consumer, "REUSED",
            Some("an equal Exchange stands elsewhere in the plan")))
      case _ => None
    }
  }

  /** Returns why an Exchange is in the plan. */
  private def whyKept(exchange: ShuffleExchangeLike): String = exchange.shuffleOrigin match {
    case ENSURE_REQUIREMENTS =>
      val claims = claimsBelow(exchange)
      val dropped = claims.flatMap(DroppedClaims.at)
      val unused = claims.flatMap(ClaimState.of(_).outcomes).collectFirst {
        case ClaimUse.NotUsed(_, _, why) => why
      }
      unused.orElse(dropped.headOption.map(claim =>
          s"the claim (${ClaimText.keys(claim.keys)}) was dropped: ${claim.reason}"))
        .getOrElse(exchange.outputPartitioning match {
          case SinglePartition => "all rows are needed in one task"
          case _: RangePartitioning => "all rows are sorted"
          case _ => "no claim says that the rows of a key lie together"
        })
    case REQUIRED_BY_STATEFUL_OPERATOR => "a key must be where its state is"
    case _ => "the query asks for it"
  }

  /** Returns the operators with claims below an Exchange, down to the next Exchanges. */
  private def claimsBelow(exchange: SparkPlan): Seq[SparkPlan] =
    OperatorWithParents.inputs(exchange).flatMap {
      case _: Exchange => Nil
      case claim: ClaimExec => claim +: claimsBelow(claim)
      case other if DroppedClaims.at(other).nonEmpty => other +: claimsBelow(other)
      case other => claimsBelow(other)
    }

  /** Returns the value of a metric; None if the operator has not run or does not have it. */
  private def metric(plan: SparkPlan, name: String): Option[Long] =
    plan.metrics.get(name).filterNot(_.isZero).map(_.value)
}
