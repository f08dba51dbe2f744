package org.apache.spark.sql.execution.exchange.eddyline

import scala.concurrent.{Await, ExecutionContext, Future}
import scala.concurrent.duration.Duration

import org.apache.spark.{FutureAction, MapOutputStatistics, SparkException}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.plans.logical.Statistics
import org.apache.spark.sql.eddyline.ThreadShim
import org.apache.spark.sql.execution.ShufflePartitionSpec
import org.apache.spark.sql.execution.exchange.{ShuffleExchangeExec, ShuffleExchangeLike}
import org.apache.spark.sql.execution.metric.SQLMetric

/**
 * An Exchange that lets nobody read its rows before all are written and [[verify]] has returned. It
 * is in this package because the type of its job's statistics is private to Spark.
 */
trait DeferredExchange extends ShuffleExchangeLike {

  /** The Spark Exchange that writes the rows. */
  protected def exchange: ShuffleExchangeExec

  /** Whether readers have to wait for [[verify]]; if not, it is never called. */
  protected def blocksReaders: Boolean

  /** Returns `exchange`, or another one to read in its place; or raises the error of the query. */
  protected def verify(): ShuffleExchangeExec

  @transient @volatile private var verified: Option[ShuffleExchangeExec] = None

  private def current: ShuffleExchangeExec = verified.getOrElse(exchange)

  private def verifiedExchange: ShuffleExchangeExec =
    if (blocksReaders && verified.isEmpty) throw new IllegalStateException("the rows are held back")
    else current

  override lazy val metrics: Map[String, SQLMetric] = exchange.metrics

  @transient override lazy val mapOutputStatisticsFuture: Future[MapOutputStatistics] =
    if (blocksReaders) {
      val inQuery = ThreadShim.capture[Future[MapOutputStatistics]](session)
      implicit val pool: ExecutionContext = ShuffleExchangeExec.executionContext
      cancellable(exchange.mapOutputStatisticsFuture).flatMap { statistics =>
        try inQuery(afterVerification(statistics))
        catch {
          case e: Throwable => Future.failed(e) // fatal errors too, or the query would wait forever
        }
      }
    } else {
      exchange.mapOutputStatisticsFuture
    }

  private def afterVerification(statistics: MapOutputStatistics): Future[MapOutputStatistics] = {
    requireNotCancelled()
    val next = verify()
    requireNotCancelled()
    verified = Some(next)
    if (next eq exchange) Future.successful(statistics)
    else cancellable(next.mapOutputStatisticsFuture)
  }

  /** Lets a cancellation of this Exchange cancel the job for which it waits. */
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
    verifiedExchange.getShuffleRDD(partitionSpecs)

  /** Runs without adaptive execution, and so waits for the job itself. */
  override protected def doExecute(): RDD[InternalRow] = {
    if (blocksReaders && verified.isEmpty) {
      Await.result(exchange.mapOutputStatisticsFuture, Duration.Inf)
      verified = Some(verify())
    }
    verifiedExchange.execute()
  }
}
