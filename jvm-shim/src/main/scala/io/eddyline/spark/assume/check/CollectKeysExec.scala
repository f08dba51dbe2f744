package io.eddyline.spark.assume.check

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.BindReferences.bindReference
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, CodegenFallback, ExprCode}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.exchange.{ShuffleExchangeExec, ShuffleOrigin}
import org.apache.spark.sql.execution.exchange.eddyline.DeferredExchange

/**
 * Collects the hashes of the claimed keys for the [[VerifyClaimExec]] below. It stands above an
 * aggregate by these keys, where each key occurs about once, and passes every row on unchanged.
 */
case class CollectKeysExec(keys: Seq[Attribute], child: SparkPlan)
  extends UnaryExecNode with CodegenSupport {

  override def output: Seq[Attribute] = child.output

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  @transient private lazy val check: VerifyClaimExec =
    child.collectFirst { case check: VerifyClaimExec if check.keysCollectedAbove => check }
      .getOrElse(throw new IllegalStateException(s"no claim to check: ${child.nodeName}"))

  /** The accumulator that the tasks fill; None if no keys need to be collected. */
  @transient private lazy val collected: Option[KeyHashAccumulator] =
    check.groupKeyVerifier.map { verifier =>
      val collected = new KeyHashAccumulator(verifier.duplicateKeyFinder)
      sparkContext.register(collected)
      collected
    }

  private[assume] def isCollecting: Boolean = collected.isDefined

  /**
   * Checks the claim after all tasks are done. Returns the plan of a shuffle that must replace the
   * check below if the claim is false or unproven; None if the claim is true.
   */
  private[assume] def fallback(): Option[SparkPlan] = collected.flatMap { collected =>
    val rows = check.verifyCollectedKeys(collected.value)
    collected.reset()
    Option.when(rows ne check.child)(rows)
  }

  private def hash: Expression = KeyHashScan.hash(keys)

  /** Spark decides by the expressions of an operator, and the hash is not one of them. */
  override def supportCodegen: Boolean = !hash.exists(_.isInstanceOf[CodegenFallback])

  override protected def doExecute(): RDD[InternalRow] =
    collected.fold(child.execute()) { collected =>
      val (hash, output) = (this.hash, child.output)
      child.execute().mapPartitionsWithIndex { (unit, rows) =>
        val hashOf = UnsafeProjection.create(Seq(hash), output)
        val task = collected.collectorOf(unit)
        rows.map { row =>
          task.add(hashOf(row).getLong(0))
          row
        } ++ {
          task.end()
          Iterator.empty
        }
      }
    }

  private def inStage: CodegenSupport = child.asInstanceOf[CodegenSupport]

  override def inputRDDs(): Seq[RDD[InternalRow]] = inStage.inputRDDs()

  /** The name of the collector's variable in the generated code; None if nothing is collected. */
  @transient private var task: Option[String] = None

  override protected def doProduce(ctx: CodegenContext): String = {
    task = collected.map { collected =>
      val reference = ctx.addReferenceObj("collectedKeys", collected)
      ctx.addMutableState(classOf[KeyHashCollector].getName, "keysOfTask",
        task => s"$task = $reference.collectorOf(partitionIndex);")
    }
    inStage.produce(ctx, this) + task.fold("")(task => s"\n$task.end();")
  }

  override def doConsume(ctx: CodegenContext, input: Seq[ExprCode], row: ExprCode): String = {
    val add = task.fold("") { task =>
      ctx.currentVars = input
      val code = bindReference(hash, child.output).genCode(ctx)
      s"${code.code}\n$task.add(${code.value});\n"
    }
    add + consume(ctx, input)
  }

  override protected def withNewChildInternal(newChild: SparkPlan): CollectKeysExec =
    copy(child = newChild)
}

/**
 * An Exchange whose job also collects the keys of a claim below it. Its rows are read only after
 * the claim is checked with these keys. If it is false, a second job shuffles and writes them anew.
 *
 * @param child a plan that contains a [[CollectKeysExec]]
 */
case class CheckedExchangeExec(
    override val outputPartitioning: Partitioning,
    child: SparkPlan,
    shuffleOrigin: ShuffleOrigin,
    advisoryPartitionSize: Option[Long])
  extends DeferredExchange {

  @transient override protected lazy val exchange: ShuffleExchangeExec =
    ShuffleExchangeExec(outputPartitioning, child, shuffleOrigin, advisoryPartitionSize)

  @transient private lazy val collector: CollectKeysExec =
    child.collectFirst { case collector: CollectKeysExec => collector }
      .getOrElse(throw new IllegalStateException(s"no keys are collected: ${child.nodeName}"))

  override protected def blocksReaders: Boolean = collector.isCollecting

  override protected def verify(): ShuffleExchangeExec =
    collector.fallback().fold(exchange) { rows =>
      val fresh = VerifyClaimExec.withoutCodegen(child).transformUp {
        case check: VerifyClaimExec if check.keysCollectedAbove => rows
        case CollectKeysExec(_, plan) => plan
      }
      exchange.copy(child = CollapseCodegenStages()(fresh))
    }

  override protected def withNewChildInternal(newChild: SparkPlan): CheckedExchangeExec =
    copy(child = newChild)
}
