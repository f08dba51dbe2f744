package org.apache.spark.sql.execution.exchange.eddyline

import scala.concurrent.{Await, ExecutionContext, Future}
import scala.concurrent.duration.Duration

import org.apache.spark.{FutureAction, MapOutputStatistics, SparkException}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.plans.logical.Statistics
import org.apache.spark.sql.execution.{ShufflePartitionSpec, SQLExecution}
import org.apache.spark.sql.execution.exchange.{ShuffleExchangeExec, ShuffleExchangeLike}
import org.apache.spark.sql.execution.metric.SQLMetric

/**
 * An Exchange that lets nobody read its rows before all are written and something is decided. The
 * statistics of its job have a type that only code in Spark's packages can name.
 */
trait DeferredExchange extends ShuffleExchangeLike {

  /** As it would be if nothing were to be decided. */
  protected def exchange: ShuffleExchangeExec

  protected def isHeld: Boolean

  /** The same Exchange if its rows may be read, else one to be read in its place; or an error. */
  protected def decide(): ShuffleExchangeExec

  @transient @volatile private var decided: Option[ShuffleExchangeExec] = None

  private def current: ShuffleExchangeExec = decided.getOrElse(exchange)

  private def readable: ShuffleExchangeExec =
    if (isHeld && decided.isEmpty) throw new IllegalStateException("the rows are held back")
    else current

  override lazy val metrics: Map[String, SQLMetric] = exchange.metrics

  @transient override lazy val mapOutputStatisticsFuture: Future[MapOutputStatistics] =
    if (isHeld) {
      val locals = SQLExecution.captureThreadLocals(session)
      implicit val pool: ExecutionContext = ShuffleExchangeExec.executionContext
      cancellable(exchange.mapOutputStatisticsFuture).flatMap { statistics =>
        try locals.runWith(afterDecision(statistics)) catch {
          case e: Throwable => Future.failed(e) // a fatal one too, or the query would wait for ever
        }
      }
    } else {
      exchange.mapOutputStatisticsFuture
    }

  private def afterDecision(statistics: MapOutputStatistics): Future[MapOutputStatistics] = {
    requireNotCancelled()
    val next = decide()
    requireNotCancelled()
    decided = Some(next)
    if (next eq exchange) Future.successful(statistics)
    else cancellable(next.mapOutputStatisticsFuture)
  }

  /** Who cancels this Exchange cancels the job that it waits for. */
  private def cancellable(written: Future[MapOutputStatistics]): Future[MapOutputStatistics] = {
    written match {
      case job: FutureAction[MapOutputStatistics] => futureAction.set(Some(job))
      case _ =>
    }
    written
  }

  private def requireNotCancelled(): Unit =
    if (futureAction.get.exists(_.isCancelled)) throw new SparkException("Shuffle cancelled.")

  override def numMappers: Int = current.numMappers

  override def numPartitions: Int = current.numPartitions

  override def shuffleId: Int = current.shuffleId

  override def runtimeStatistics: Statistics = current.runtimeStatistics

  override def getShuffleRDD(partitionSpecs: Array[ShufflePartitionSpec]): RDD[_] =
    readable.getShuffleRDD(partitionSpecs)

  /** Without adaptive execution, which waits for the job by itself. */
  override protected def doExecute(): RDD[InternalRow] = {
    if (isHeld && decided.isEmpty) {
      Await.result(exchange.mapOutputStatisticsFuture, Duration.Inf)
      decided = Some(decide())
    }
    readable.execute()
  }
}
