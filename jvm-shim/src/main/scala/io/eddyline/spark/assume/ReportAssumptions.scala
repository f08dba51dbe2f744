package io.eddyline.spark.assume

import org.apache.spark.sql.catalyst.expressions.{Expression, TransformExpression}
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.{Origin, TreeNodeTag}
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.adaptive.{AdaptiveSparkPlanExec, QueryStageExec}
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec
import org.apache.spark.sql.execution.exchange._
import org.apache.spark.sql.execution.joins.ShuffledJoin

import io.eddyline.spark.{EddylineConf, EddylineErrors}
import io.eddyline.spark.assume.ClaimUse._

/**
 * Writes onto each [[ClaimExec]] what became of its claim, once Spark has decided where an
 * Exchange stands. It runs as a query stage preparation rule, or without adaptive execution as a
 * columnar rule; a plan that has been seen is not looked at again.
 *
 * Errors, at the clause: EDDYLINE_ASSUME.NOT_USED if `spark.eddyline.assume.strict` is set.
 */
object ReportAssumptions extends Rule[SparkPlan] {
  val USES: TreeNodeTag[Seq[ClaimUse]] = TreeNodeTag("eddyline.assume.uses")
  val VERDICT: TreeNodeTag[String] = TreeNodeTag("eddyline.assume.verdict")
  val DROPPED: TreeNodeTag[Seq[DroppedClaim]] = TreeNodeTag("eddyline.assume.dropped")

  /** The columnar rule; under adaptive execution it sees pieces of a plan that have their uses. */
  object WithoutAdaptive extends ColumnarRule {
    override def preColumnarTransitions: Rule[SparkPlan] = plan => {
      val units = plan.collect { case unit: ClaimExec => unit }
      if (units.exists(_.getTagValue(USES).isEmpty)) {
        ReportAssumptions(plan)
      } else {
        requireNoneDropped(plan)
        plan
      }
    }
  }

  override def apply(plan: SparkPlan): SparkPlan =
    if (plan.isInstanceOf[AdaptiveSparkPlanExec]) {
      plan
    } else {
      visit(plan, Nil)
      requireUsed(plan)
      requireNoneDropped(plan)
      val without = withoutUnused(plan)
      if ((without eq plan) || ValidateRequirements.validate(without)) without else plan
    }

  /** A claim that nothing builds on neither regroups files nor checks them. */
  private def withoutUnused(plan: SparkPlan): SparkPlan = plan.transformUp {
    case units: UnitScanExec if units.used && !units.getTagValue(USES).exists(isUsed) =>
      val scan = units.copy(used = false)(units.planned)
      scan.copyTagsFrom(units)
      scan
    case CheckUnitsExec(_, _, units: UnitScanExec, _) if !units.used => units
    case CheckLayoutExec(_, _, units: UnitScanExec) if !units.used => units
  }

  private def isUsed(uses: Seq[ClaimUse]): Boolean = uses.exists(_.isInstanceOf[Cancelled])

  private def visit(plan: SparkPlan, above: List[SparkPlan]): Unit = {
    plan match {
      case unit: ClaimExec => unit.setTagValue(USES, usesOf(unit, above))
      case _ =>
    }
    plan.children.foreach(visit(_, plan :: above))
  }

  private def requireUsed(plan: SparkPlan): Unit = if (isRefused(plan)) {
    plan.foreach {
      case unit: ClaimExec =>
        val uses = unit.getTagValue(USES).getOrElse(Nil)
        if (!isUsed(uses)) {
          notUsed(unit.keys, uses.flatMap(_.reason).headOption.mkString, unit.origin)
        }
      case _ =>
    }
  }

  private def requireNoneDropped(plan: SparkPlan): Unit = if (isRefused(plan)) {
    plan.foreach(_.getTagValue(DROPPED).toSeq.flatten.headOption.foreach(claim =>
      notUsed(claim.keys, claim.reason, claim.origin)))
  }

  /** Not what adaptive execution makes of it, which depends on what the stages have found. */
  private def isRefused(plan: SparkPlan): Boolean =
    conf.getConf(EddylineConf.ASSUME_STRICT) && !plan.exists(_.isInstanceOf[QueryStageExec])

  private def notUsed(keys: Seq[Expression], reason: String, origin: Origin): Nothing =
    throw EddylineErrors.analysis("EDDYLINE_ASSUME.NOT_USED",
      Map("keys" -> ClaimText.keys(keys), "reason" -> reason), origin)

  /** From the units up to the first Exchange: the operators that need rows of a key together. */
  private def usesOf(unit: ClaimExec, above: List[SparkPlan]): Seq[ClaimUse] = {
    val (path, rest) = above.span(!_.isInstanceOf[Exchange])
    val nodes = unit +: path
    val cancelled = nodes.zip(path).flatMap { case (below, operator) =>
      operator.requiredChildDistribution(operator.children.indexWhere(_ eq below)) match {
        case need: ClusteredDistribution if unit.serves(need, below.outputPartitioning) =>
          Some(Cancelled(typedKeys(need.clustering, unit), name(operator)))
        case _ => None
      }
    }
    val kept = rest.headOption.collect { case exchange: ShuffleExchangeLike =>
      Kept(need(exchange, unit), consumer(rest.tail), whyKept(unit, nodes, exchange, rest.tail))
    }
    val uses = cancelled ++ kept
    if (uses.isEmpty) Seq(Unused) else uses
  }

  private def whyKept(
      unit: ClaimExec,
      below: Seq[SparkPlan],
      exchange: ShuffleExchangeLike,
      above: List[SparkPlan]): String = {
    val claimed = ClaimText.keys(unit.unitKeys)
    def notContained = s"(${need(exchange, unit)}) does not contain ($claimed)"
    (exchange.outputPartitioning, below.find(claim(_).isEmpty)) match {
      case (SinglePartition, _) => "all rows are needed in one task"
      case (_: RangePartitioning, _) => "all rows are sorted"
      case (_, Some(derived: DerivedClaimExec)) =>
        s"the rows of ${name(derived.source)} are not partitioned by a hash"
      case (_, Some(_: UnionExec)) =>
        s"the claim on ($claimed) ends at Union, whose branches are not all partitioned so"
      case (_, Some(_: ProjectExec | _: BaseAggregateExec)) => notContained
      case (_, Some(lost)) => s"the claim on ($claimed) ends at ${name(lost)}"
      case (partitioning: HashPartitioningLike, None)
          if !claim(below.last).get.forall(key =>
            partitioning.expressions.exists(_.semanticEquals(key))) =>
        notContained
      case _ if consumerNode(above).exists(_.isInstanceOf[ShuffledJoin]) =>
        "the sides of the join are not partitioned alike"
      case _ => s"Spark needs another partitioning than by ($claimed)"
    }
  }

  private def claim(plan: SparkPlan): Option[Seq[Expression]] = plan.outputPartitioning match {
    case keyed: KeyedPartitioning => Some(keysOf(keyed))
    case assumed: AssumedPartitioning => Some(assumed.keys)
    case hash: HashPartitioning => Some(hash.expressions)
    case PartitioningCollection(several) =>
      several.collectFirst {
        case keyed: KeyedPartitioning => keysOf(keyed)
        case assumed: AssumedPartitioning => assumed.keys
        case hash: HashPartitioning => hash.expressions
      }
    case _ => None
  }

  private def keysOf(partitioning: KeyedPartitioning): Seq[Expression] =
    partitioning.expressions.flatMap {
      case function: TransformExpression => function.children
      case key => Seq(key)
    }

  private def need(exchange: ShuffleExchangeLike, unit: ClaimExec): String =
    exchange.outputPartitioning match {
      case hash: HashPartitioningLike => typedKeys(hash.expressions, unit)
      case SinglePartition => "single"
      case range: RangePartitioning => s"range(${typedKeys(range.ordering.map(_.child), unit)})"
      case other => other.getClass.getSimpleName
    }

  /** A name that eddyline or Spark made, as that of a COGROUP's key, is none that a user knows. */
  private def typedKeys(keys: Seq[Expression], unit: ClaimExec): String = {
    val text = ClaimText.keys(keys)
    val isMade = Seq("__eddyline_", "_groupingexpression").exists(text.contains)
    if (isMade) ClaimText.keys(unit.unitKeys) else text
  }

  private def consumerNode(above: List[SparkPlan]): Option[SparkPlan] =
    above.find(_.requiredChildDistribution.exists(_ != UnspecifiedDistribution))

  private def consumer(above: List[SparkPlan]): String =
    consumerNode(above).fold("the result")(name)

  def name(plan: SparkPlan): String = plan.nodeName.takeWhile(_ != '(').trim

  /** Every claim of a plan, in the order of the plan's text. */
  def claims(plan: SparkPlan): Seq[Claim] = {
    val own = plan match {
      case unit: UnitScanExec =>
        val uses = unit.getTagValue(USES).getOrElse(Nil)
        Seq(Claim(ClaimText.keys(unit.keys), unit.layout, ClaimText.relation(unit.scan),
          unit.proof.name, Some(unit.numUnits), uses))
      case derived: DerivedClaimExec =>
        val uses = derived.getTagValue(USES).getOrElse(Nil)
        Seq(Claim(ClaimText.keys(derived.keys), Layout.Unnumbered, name(derived.source),
          Proof.Trusted.name, None, uses))
      case _ => Nil
    }
    val dropped = plan.getTagValue(DROPPED).toSeq.flatten.map { claim =>
      Claim(ClaimText.keys(claim.keys), claim.layout,
        claim.relation.getOrElse(relation(plan)), "none", None, Seq(Dropped(claim.reason)))
    }
    val inside = plan match {
      case adaptive: AdaptiveSparkPlanExec => claims(adaptive.executedPlan)
      case stage: QueryStageExec => claims(stage.plan)
      case _: ReusedExchangeExec => Nil
      case check: CheckExec =>
        val verdict = check.getTagValue(VERDICT)
        check.children.flatMap(claims).map(claim => claim.copy(verdict = verdict))
      case other => other.children.flatMap(claims)
    }
    dropped ++ own ++ inside ++ plan.subqueries.flatMap(claims)
  }

  private def relation(plan: SparkPlan): String = plan match {
    case scan: FileSourceScanExec => ClaimText.relation(scan)
    case other => name(other)
  }
}
