package io.eddyline.spark.assume.units

import java.util.ServiceLoader

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.{FileSourceScanExec, SparkPlan, UnaryExecNode}

import io.eddyline.spark.assume.claim.ClaimText

/**
 * Lets another extension read claimed files by units. The jar that links to the extension names its
 * implementation in `META-INF/services`. Without an implementation a claim on files that the
 * extension reads is dropped.
 */
trait NativeUnits {

  /** Whether an operator is one by which the extension replaces a scan of files. */
  def replaces(reader: SparkPlan): Boolean

  /**
   * Returns an operator that the extension runs, with the rows and partitions of a claim.
   *
   * @param claim a [[UnitScanExec]], or the check above one
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
 * operator of its own, which does not read by units. When a claim is planned, the rules of the
 * other extensions are applied to the scan alone; if they replace it, the claim is dropped early
 * enough for the extension to replace the shuffle too. A rule that decides by the whole plan may do
 * something else later, which [[io.eddyline.spark.assume.ShuffleReplacedScans]] corrects.
 */
private[assume] object ThirdPartyScans {

  /**
   * Returns how the extension that replaces a scan can read its files by units, or why a claim
   * about them is dropped; None if no extension replaces the scan. The extension must be loaded
   * after eddyline, whose rules find the operators that use a claim only if they are Spark's.
   */
  def of(
      scan: FileSourceScanExec, session: SparkSession): Option[Either[String, NativeUnits]] =
    reader(scan, rulesOfOthers(session)).map { found =>
      NativeUnits.of(found).toRight(reason(found)).filterOrElse(
        _ => reader(scan, rulesBeforeOurs(session)).isEmpty,
        s"${name(found)} reads the files, since its extension is loaded before eddyline's")
    }

  /** Returns why a claim about the files that an operator reads is dropped. */
  def reason(reader: SparkPlan): String = s"${name(reader)} reads the files, and knows of no units"

  private def name(reader: SparkPlan): String = ClaimText.operator(reader).takeWhile(_ != ' ')

  /** Returns the operator that reads the files after some rules; None if it is Spark's scan. */
  private def reader(
      scan: FileSourceScanExec, rules: Seq[Rule[SparkPlan]]): Option[SparkPlan] =
    rules.foldLeft[SparkPlan](scan)((plan, rule) => rule(plan))
      .collectLeaves().headOption.filterNot(_.isInstanceOf[FileSourceScanExec])

  /** Returns the rules of other extensions in the order in which Spark applies them to a scan. */
  private def rulesOfOthers(session: SparkSession): Seq[Rule[SparkPlan]] = {
    val columnar = session.sessionState.columnarRules.filterNot(isEddylines)
    preparationRules(session).filterNot(isEddylines) ++
      columnar.map(_.preColumnarTransitions) ++ columnar.reverse.map(_.postColumnarTransitions)
  }

  /** Returns those of them that Spark applies before the rules of eddyline. */
  private def rulesBeforeOurs(session: SparkSession): Seq[Rule[SparkPlan]] =
    if (session.sessionState.conf.adaptiveExecutionEnabled) {
      preparationRules(session).takeWhile(!isEddylines(_))
    } else {
      session.sessionState.columnarRules.takeWhile(!isEddylines(_))
        .map(_.preColumnarTransitions)
    }

  private def preparationRules(session: SparkSession): Seq[Rule[SparkPlan]] = {
    val state = session.sessionState
    if (state.conf.adaptiveExecutionEnabled) state.adaptiveRulesHolder.queryStagePrepRules else Nil
  }

  /** Whether a rule is one of eddyline. */
  private def isEddylines(rule: AnyRef): Boolean =
    rule.getClass.getName.startsWith("io.eddyline.spark.")
}
