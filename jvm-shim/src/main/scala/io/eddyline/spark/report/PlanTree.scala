package io.eddyline.spark.report

import java.util.IdentityHashMap

import scala.collection.mutable

import org.apache.spark.sql.catalyst.plans.physical.UnspecifiedDistribution
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.adaptive.AQEShuffleReadExec
import org.apache.spark.sql.execution.exchange._

import io.eddyline.spark.assume.check.{CollectKeysExec, VerifyExec}
import io.eddyline.spark.assume.claim.{Claim, ClaimState, ClaimText, ClaimUse}
import io.eddyline.spark.assume.units.{ClaimExec, NativeUnits}
import io.eddyline.spark.base.{Json, Redaction}
import io.eddyline.spark.globaltable.join.GlobalLookupExec

/**
 * The operators of a plan, and the Exchanges that clauses have saved, where they would be. It reads
 * nodes, their tags and metrics, and runs nothing.
 */
private[spark] class PlanTree(plan: SparkPlan) {
  private val places = OperatorWithParents.collectFrom(plan)
  private val hasRun = places.exists(_.operator.metrics.values.exists(!_.isZero))
  private val saved = new IdentityHashMap[SparkPlan, PlanNode]
  places.flatMap(SavedExchanges.of).foreach { case (below, node) => saved.putIfAbsent(below, node) }
  private val found = mutable.ArrayBuffer.empty[PlanNode]
  private val states = places.flatMap(place =>
    StateOperators.of(place).map(place.operator.id -> _)).toMap

  /** Returns the nodes, each after its parent, the sides of a join from left to right. */
  def nodes: Seq[PlanNode] = {
    if (found.isEmpty) visit(plan, None)
    found.toSeq
  }

  private def visit(plan: SparkPlan, parent: Option[Int]): Unit =
    if (OperatorWithParents.isWrapper(plan)) {
      OperatorWithParents.inputs(plan).foreach(visit(_, parent))
    } else {
      val reader = Option(saved.get(plan)).map(add(_, parent)).orElse(parent)
      val number = add(node(plan), reader)
      (OperatorWithParents.inputs(plan) ++ plan.subqueries).foreach(visit(_, Some(number)))
    }

  private def add(node: PlanNode, parent: Option[Int]): Int = {
    found += node.copy(id = found.size, parent = parent)
    found.size - 1
  }

  private def node(plan: SparkPlan): PlanNode = {
    val bare = PlanNode(0, None, "OPERATOR", ClaimText.operator(plan), text(plan),
      rows = rows(plan))
    plan match {
      case _: ReusedExchangeExec => bare.copy(kind = "REUSED", note = Some("reused"))
      case shuffle: ShuffleExchangeLike =>
        bare.copy(kind = "EXCHANGE", bytes = count(shuffle, "shuffleBytesWritten"))
      case broadcast: BroadcastExchangeLike =>
        bare.copy(kind = "EXCHANGE", bytes = count(broadcast, "dataSize"))
      case lookup: GlobalLookupExec =>
        val use = lookup.uses.headOption
        bare.copy(kind = "REPLICA", note = use.flatMap(_.isHit).map(if (_) "hit" else "build"),
          heldRows = use.flatMap(_.rows), heldBytes = use.flatMap(_.bytes))
      case check: VerifyExec if check.metrics.get("fellBack").exists(_.value > 0) =>
        val verdict = ClaimState.of(check).verdict.getOrElse("not checked")
        bare.copy(kind = "EXCHANGE", note = Some(s"the claim is $verdict"))
      case other =>
        states.get(other.id).fold(bare)(state =>
          bare.copy(kind = "STATE", heldRows = state.rows, heldBytes = state.bytes))
    }
  }

  /** Returns the arguments of an operator without its name, to which scans of files add `File`. */
  private def text(plan: SparkPlan): String = {
    val whole = plan.simpleString(plan.conf.maxToStringFields)
    val bare = whole.stripPrefix("File").stripPrefix(plan.nodeName).trim
    val inner = if (bare.startsWith("(") && bare.endsWith(")")) bare.drop(1).dropRight(1) else bare
    Redaction.text(plan.conf, inner)
  }

  private def rows(plan: SparkPlan): Option[Long] = plan match {
    case shuffle: ShuffleExchangeLike => count(shuffle, "shuffleRecordsWritten")
    case _: GlobalLookupExec => None
    case _: UnionExec => sum(plan)
    case _ if plan.metrics.contains("numOutputRows") => count(plan, "numOutputRows")
    case _: ProjectExec | _: SortExec | _: AQEShuffleReadExec | _: VerifyExec |
        _: CollectKeysExec => sum(plan)
    case other if OperatorWithParents.isWrapper(other) => sum(other)
    case _ => None
  }

  /** Returns the number of rows of an operator that returns all rows of those below it. */
  private def sum(plan: SparkPlan): Option[Long] = {
    val counts = OperatorWithParents.inputs(plan).map(rows)
    Option.when(counts.nonEmpty && counts.forall(_.isDefined))(counts.flatten.sum)
  }

  private def count(plan: SparkPlan, name: String): Option[Long] =
    plan.metrics.get(name).filter(_ => hasRun).map(_.value)
}

/**
 * An operator in a picture of its plan, or an Exchange that a clause has saved. The fields are
 * those of `PlanNode` in Python.
 *
 * @param id its number in the plan, from 0
 * @param parent the number of the operator that reads its rows; None for the root
 * @param kind OPERATOR, EXCHANGE, REUSED, SAVED, REPLICA or STATE
 * @param text its arguments, as EXPLAIN shows them
 * @param note a remark of the report about it
 * @param rows number of rows that it has returned; None before the run, or if nothing counts them
 * @param bytes size of these rows
 * @param heldRows number of rows in the replica or the state
 * @param heldBytes memory of the replica or the state
 */
private[spark] case class PlanNode(
    id: Int,
    parent: Option[Int],
    kind: String,
    name: String,
    text: String,
    note: Option[String] = None,
    rows: Option[Long] = None,
    bytes: Option[Long] = None,
    heldRows: Option[Long] = None,
    heldBytes: Option[Long] = None)

private[spark] object PlanNode {

  /** Returns the nodes as a JSON array of objects. */
  def json(nodes: Seq[PlanNode]): String = Json.mapper.writeValueAsString(nodes)
}

/** Finds the Exchanges that clauses have saved. */
private[report] object SavedExchanges {

  /** Returns the Exchanges that an operator saves, each with the operator whose rows it sends. */
  def of(place: OperatorWithParents): Seq[(SparkPlan, PlanNode)] = place.operator match {
    case lookup: GlobalLookupExec => Seq(lookup -> node("broadcast", "GLOBAL TABLE"))
    case claim: ClaimExec if !isRefuted(place) =>
      val uses = ClaimState.of(claim).outcomes.collect { case use: ClaimUse.Used => use }
      edges(uses, (claim +: place.parents).zip(place.parents))
    case _ => Nil
  }

  /**
   * Finds the operators that use a claim, from the claim upwards, by their names: the plan has
   * changed since the uses were found.
   *
   * @param path each operator from the claim up to the root, with its parent
   */
  private def edges(
      uses: Seq[ClaimUse.Used], path: Seq[(SparkPlan, SparkPlan)]): Seq[(SparkPlan, PlanNode)] =
    uses match {
      case Nil => Nil
      case use +: others =>
        val rest = path.dropWhile { case (_, reader) => !isReader(reader, use.consumer) }
        rest.headOption.toSeq.flatMap { case (below, _) =>
          (below -> node(use.keys, "ASSUME")) +: edges(others, rest.tail)
        }
    }

  private def node(keys: String, clause: String): PlanNode =
    PlanNode(0, None, "SAVED", "Exchange", keys, Some(s"by $clause"))

  private def isReader(operator: SparkPlan, name: String): Boolean = {
    val reader = NativeUnits.original(operator)
    ClaimText.operator(reader) == name &&
    reader.requiredChildDistribution.exists(_ != UnspecifiedDistribution)
  }

  private def isRefuted(place: OperatorWithParents): Boolean =
    place.parents.takeWhile(!_.isInstanceOf[Exchange])
      .collectFirst { case check: VerifyExec => check }
      .flatMap(ClaimState.of(_).verdict).exists(_ != Claim.HOLDS)
}
