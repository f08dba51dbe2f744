package io.eddyline.spark.assume.check

import org.apache.spark.internal.Logging
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}

import io.eddyline.spark.assume.claim.{ClaimState, ClaimText, Enforcement}
import io.eddyline.spark.assume.units.{TryKey, UnitScanExec}
import io.eddyline.spark.assume.verdict.Verdict
import io.eddyline.spark.base.EddylineErrors

/**
 * Checks before the first row whether the claim about its files is true. If it is not, this
 * operator shuffles the rows into as many partitions as it has reported, so the plan above stays
 * valid. The check is a scan of the keys or, where [[HoistChecks]] has put a [[CollectKeysExec]]
 * above, a comparison of the keys that the query itself has read.
 *
 * Its code is generated when the verdict is known. So without adaptive execution EXPLAIN CODEGEN
 * also runs the check, if that is a scan.
 *
 * Errors, at the clause: EDDYLINE_ASSUME.VIOLATED, WRONG_UNIT, if it says ON VIOLATION FAIL.
 *
 * @param child a [[UnitScanExec]], possibly below a conversion of vectors to rows; or rows that are
 *              already shuffled, where another extension reads the files
 * @param keysCollectedAbove whether a [[CollectKeysExec]] stands above
 */
case class VerifyClaimExec(
    keys: Seq[Expression], enforcement: Enforcement, child: SparkPlan,
    keysCollectedAbove: Boolean = false)
  extends VerifyExec with CodegenSupport with Logging {

  override lazy val metrics: Map[String, SQLMetric] = checkMetrics + (
    "fellBack" -> SQLMetrics.createMetric(sparkContext, "number of fallbacks to a shuffle"))

  @transient private lazy val units: Option[UnitScanExec] =
    child.collectFirst { case units: UnitScanExec => units }

  /** The verifier of the claim; None if there are fewer than two units, so that it is true. */
  @transient private lazy val verifier: Option[ClaimVerifier] =
    units.filter(_.numUnits > 1).map(ClaimVerifier.of)

  /** The verifier if it compares the keys that are collected above; None if it scans the files. */
  @transient private[assume] lazy val groupKeyVerifier: Option[UniqueFileVerifier] =
    verifier.collect {
      case files: UniqueFileVerifier if keysCollectedAbove && files.prefersCollectedKeys => files
    }

  /** The plan of the rows that this operator returns: the child, or a shuffle of it. */
  @transient private lazy val verifiedChild: SparkPlan = {
    val rows = if (groupKeyVerifier.isDefined) child else verifyByScan()
    if (rows eq child) child else CollapseCodegenStages()(rows)
  }

  override def isConfirmed: Boolean = groupKeyVerifier.isEmpty && (verifiedChild eq child)

  /** Checks the claim with collected keys. Returns the child if true, else a shuffle of it. */
  private[assume] def verifyCollectedKeys(collected: KeyHashAccumulator.HashesByUnit): SparkPlan =
    units.zip(groupKeyVerifier).collect {
      case (units, verifier) if units.numUnits == collected.size =>
        childOrShuffle(units, verifier.verifyCollectedKeys(collected))
    }.getOrElse(verifyByScan())

  private def verifyByScan(): SparkPlan = units.fold(child) { units =>
    childOrShuffle(units, verifier.fold(ClaimVerifier.Result(Verdict.Holds))(_.run()))
  }

  private def childOrShuffle(units: UnitScanExec, result: => ClaimVerifier.Result): SparkPlan = {
    val verdict = measured(result)
    ClaimState.update(this)(_.copy(verdict = Some(verdict.text)))
    try verdict match {
        case Verdict.Holds => child
        case Verdict.Violated(key, file1, file2) if enforcement.failsQuery =>
          fail(units, "VIOLATED", "key" -> key, "unit1" -> units.nameOf(file1),
            "unit2" -> units.nameOf(file2),
            "statement" -> ClaimText.check(keys, units.layout, units.scan))
        case Verdict.Misplaced(key, file, _, expected) if enforcement.failsQuery =>
          fail(units, "WRONG_UNIT", "layout" -> units.layout.sql, "key" -> key,
            "file" -> units.nameOf(file), "unit" -> expected.toString)
        case Verdict.Violated(key, file1, file2) =>
          val places = Seq(file1, file2).map(units.nameOf).mkString(" and in ")
          shuffled(units, s"is false, so its rows are shuffled: $key is in $places")
        case misplaced: Verdict.Misplaced =>
          shuffled(units, s"is false, so its rows are shuffled: ${misplaced.text}")
        case Verdict.TooManyKeys(limit) =>
          shuffled(units,
            s"has more than $limit keys to check, so its rows are shuffled; " +
              "see spark.eddyline.assume.check.maxKeys")
        case Verdict.ResultsTooLarge =>
          shuffled(units,
            "has keys that exceed spark.driver.maxResultSize, so its rows are shuffled")
        case Verdict.FilesChanged =>
          shuffled(units,
            "is about files that have changed since they were listed, so its rows " +
              "are shuffled; REFRESH TABLE lists them again")
      }
    finally postMetrics()
  }

  override protected def doExecute(): RDD[InternalRow] = verifiedChild.execute()

  override def inputRDDs(): Seq[RDD[InternalRow]] = inStage.inputRDDs()

  override protected def doProduce(ctx: CodegenContext): String = inStage.produce(ctx, this)

  override def doConsume(ctx: CodegenContext, input: Seq[ExprCode], row: ExprCode): String =
    consume(ctx, input)

  override def usedInputs: AttributeSet = AttributeSet.empty

  private def inStage: CodegenSupport = verifiedChild match {
    case generated: CodegenSupport => generated
    case other => InputAdapter(other)
  }

  private def shuffled(units: UnitScanExec, why: String): SparkPlan = {
    logWarning(s"The claim PARTITIONED BY (${ClaimText.keys(keys)})${units.layout.sql} on " +
      s"${ClaimText.relation(units.scan)} $why")
    longMetric("fellBack").set(1)
    ShuffleExchangeExec(
      TryKey.hashed(keys, outputPartitioning.numPartitions),
      VerifyClaimExec.withoutCodegen(child).transformUp {
        case units: UnitScanExec => units.copy(used = false)(units.planned)
      })
  }

  private def fail(units: UnitScanExec, condition: String, parameters: (String, String)*): Nothing =
    EddylineErrors.fail(s"EDDYLINE_ASSUME.$condition", origin,
      Seq("keys" -> ClaimText.keys(keys), "relation" -> ClaimText.relation(units.scan)) ++
        parameters: _*)

  override def simpleString(maxFields: Int): String =
    s"$nodeName ${ClaimText.list(
        keys)} ${enforcement.sql}${if (keysCollectedAbove) " by CollectKeys" else ""}"

  override protected def withNewChildInternal(newChild: SparkPlan): VerifyClaimExec =
    copy(child = newChild)
}

private[assume] object VerifyClaimExec {

  /** Returns the plan as it was before Spark chose the stages of generated code. */
  def withoutCodegen(plan: SparkPlan): SparkPlan = plan.transformUp {
    case InputAdapter(child) => child
    case WholeStageCodegenExec(child) => child
  }
}
