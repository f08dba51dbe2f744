package io.eddyline.spark.assume.units

import java.util.ServiceLoader

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.{FileSourceScanExec, SparkPlan, UnaryExecNode}

import io.eddyline.spark.assume.claim.ClaimText

/**
 * Lets another extension read claimed files by units. The implementation is in a jar of its own,
 * which names it in `META-INF/services`. Without an implementation a claim on files that the
 * extension reads is dropped.
 */
trait NativeUnits {

  /** Whether an operator is the one that the extension puts in the place of a scan of files. */
  def replaces(reader: SparkPlan): Boolean

  /**
   * Returns an operator that the extension runs, with the rows and partitions of a claim.
   *
   * @param claim the operator of a claim: a [[UnitScanExec]], or the check above one
   */
  def read(claim: SparkPlan): NativeUnitsExec

  /** Returns the operator of Spark that one of the extension replaces; None for other operators. */
  def original(operator: SparkPlan): Option[SparkPlan]
}

private[spark] object NativeUnits {

  /** Returns the implementation for the extension of an operator; None if there is none. */
  def of(reader: SparkPlan): Option[NativeUnits] = all.find(_.replaces(reader))

  /** Returns the operator of Spark that an operator replaces; itself if it is Spark's. */
  def original(operator: SparkPlan): SparkPlan =
    all.flatMap(_.original(operator)).headOption.getOrElse(operator)

  private lazy val all: Seq[NativeUnits] = ServiceLoader.load(classOf[NativeUnits]).asScala.toSeq
}

/** An operator that another extension runs, or will run, with the rows of the claim below it. */
trait NativeUnitsExec extends UnaryExecNode

/**
 * Finds out whether another extension, such as a native engine, will replace a scan of files by an
 * operator of its own. When a claim is planned, the rules of the other extensions are applied to
 * the scan alone; if they replace it by one that cannot read by units, the claim is dropped, early
 * enough for the extension to replace the shuffle too. A rule that decides by the whole plan may do
 * something else later, which [[io.eddyline.spark.assume.ShuffleReplacedScans]] corrects.
 */
private[assume] object ThirdPartyScans {

  /**
   * Returns how the extension that replaces a scan can read its files by units, or why a claim
   * about them is dropped; None if no extension replaces the scan. The extension must be loaded
   * after eddyline: the rules of eddyline must run while the operators are still those of Spark.
   */
  def of(
      scan: FileSourceScanExec, session: SparkSession): Option[Either[String, NativeUnits]] =
    readerAfter(scan, rulesOfOthers(session)).map { reader =>
      NativeUnits.of(reader).toRight(reason(reader)).filterOrElse(
        _ => readerAfter(scan, rulesBeforeOurs(session)).isEmpty,
        s"${name(reader)} reads the files, since its extension is loaded before eddyline's")
    }

  /** Returns why a claim about the files that an operator reads is dropped. */
  def reason(reader: SparkPlan): String = s"${name(reader)} reads the files, and knows of no units"

  private def name(reader: SparkPlan): String = ClaimText.operator(reader).takeWhile(_ != ' ')

  /** Returns the operator that reads the files after some rules; None if it is Spark's scan. */
  private def readerAfter(
      scan: FileSourceScanExec, rules: Seq[Rule[SparkPlan]]): Option[SparkPlan] =
    rules.foldLeft[SparkPlan](scan)((plan, rule) => rule(plan))
      .collectLeaves().headOption.filterNot(_.isInstanceOf[FileSourceScanExec])

  /** Returns the rules of other extensions in the order in which Spark applies them to a scan. */
  private def rulesOfOthers(session: SparkSession): Seq[Rule[SparkPlan]] = {
    val columnar = session.sessionState.columnarRules.filterNot(isOurs)
    preparationRules(session).filterNot(isOurs) ++
      columnar.map(_.preColumnarTransitions) ++ columnar.reverse.map(_.postColumnarTransitions)
  }

  /** Returns those of them before the first of ours, which with AQE is a preparation rule. */
  private def rulesBeforeOurs(session: SparkSession): Seq[Rule[SparkPlan]] =
    if (session.sessionState.conf.adaptiveExecutionEnabled) {
      preparationRules(session).takeWhile(!isOurs(_))
    } else {
      session.sessionState.columnarRules.takeWhile(!isOurs(_))
        .map(_.preColumnarTransitions)
    }

  private def preparationRules(session: SparkSession): Seq[Rule[SparkPlan]] = {
    val state = session.sessionState
    if (state.conf.adaptiveExecutionEnabled) state.adaptiveRulesHolder.queryStagePrepRules else Nil
  }

  /** Whether a rule is one of eddyline. */
  private def isOurs(rule: AnyRef): Boolean =
    rule.getClass.getName.startsWith("io.eddyline.spark.")
}
