package io.eddyline.spark.assume.units

import java.util.ServiceLoader

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

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
