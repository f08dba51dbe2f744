package io.eddyline.spark.assume.units

import java.util.ServiceLoader

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

/**
 * Reads claimed files with the operators of another extension, which reads whole tables otherwise.
 * A jar that links to the extension names its implementation in `META-INF/services`. Without one, a
 * claim on files that the extension reads is dropped.
 */
trait NativeUnits {

  /** Whether this is an operator by which the extension replaces a scan of files. */
  def replaces(reader: SparkPlan): Boolean

  /**
   * Returns an operator that the extension runs, with the rows and partitions of a claim.
   *
   * @param claim a [[UnitScanExec]], or the check above one
   */
  def read(claim: SparkPlan): NativeUnitsExec

  /** Returns the operator of Spark in whose place the extension runs one; None if it is none. */
  def original(operator: SparkPlan): Option[SparkPlan]
}

private[spark] object NativeUnits {

  /** Returns what reads claimed files for the extension that has an operator; None if nothing. */
  def of(reader: SparkPlan): Option[NativeUnits] = all.find(_.replaces(reader))

  /** Returns the operator of Spark that another extension may have replaced. */
  def original(operator: SparkPlan): SparkPlan =
    all.flatMap(_.original(operator)).headOption.getOrElse(operator)

  private lazy val all: Seq[NativeUnits] =
    ServiceLoader.load(classOf[NativeUnits]).asScala.toSeq
}

/** An operator that another extension runs, or will run, with the rows of the claim below it. */
trait NativeUnitsExec extends UnaryExecNode
