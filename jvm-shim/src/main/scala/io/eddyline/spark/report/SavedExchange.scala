package io.eddyline.spark.report

import org.apache.spark.sql.catalyst.plans.physical.UnspecifiedDistribution
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.exchange.Exchange

import io.eddyline.spark.assume.check.VerifyExec
import io.eddyline.spark.assume.claim.{Claim, ClaimState, ClaimText, ClaimUse}
import io.eddyline.spark.assume.units.{ClaimExec, NativeUnits}
import io.eddyline.spark.globaltable.join.GlobalLookupExec

/**
 * An Exchange that a clause has saved.
 *
 * @param below the operator whose rows it would send
 */
private[report] case class SavedExchange(below: SparkPlan, keys: String, clause: String) {
  def node: PlanNode = PlanNode(0, None, "SAVED", "Exchange", keys, Some(s"by $clause"))
}

private[report] object SavedExchange {

  /** Returns the Exchanges that an operator saves between the operators above it. */
  def above(place: Placed): Seq[SavedExchange] = place.operator match {
    case lookup: GlobalLookupExec =>
      Seq(SavedExchange(lookup, "broadcast", "GLOBAL TABLE"))
    case claim: ClaimExec if !isRefuted(place) =>
      val uses = ClaimState.of(claim).outcomes
        .collect { case use: ClaimUse.Used => use }
      edges(uses, (claim +: place.above).zip(place.above))
    case _ => Nil
  }

  /**
   * Finds the operators that need the rows of a key together, from the claim upwards. The plan was
   * changed since the uses were found, so they are found by their names.
   *
   * @param path each operator on the way from the claim to the root, with its reader
   */
  private def edges(
      uses: Seq[ClaimUse.Used], path: Seq[(SparkPlan, SparkPlan)]): Seq[SavedExchange] =
    uses match {
      case Nil => Nil
      case use +: others =>
        val rest = path.dropWhile { case (_, reader) => !isReader(reader, use.consumer) }
        rest.headOption.toSeq.flatMap { case (below, _) =>
          SavedExchange(below, use.keys, "ASSUME") +: edges(others, rest.tail)
        }
    }

  private def isReader(operator: SparkPlan, name: String): Boolean = {
    val reader = NativeUnits.original(operator)
    ClaimText.operator(reader) == name &&
    reader.requiredChildDistribution.exists(_ != UnspecifiedDistribution)
  }

  private def isRefuted(place: Placed): Boolean =
    place.above.takeWhile(!_.isInstanceOf[Exchange])
      .collectFirst { case check: VerifyExec => check }
      .flatMap(ClaimState.of(_).verdict).exists(_ != Claim.HOLDS)
}
