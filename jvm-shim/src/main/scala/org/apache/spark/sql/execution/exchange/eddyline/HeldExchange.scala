package org.apache.spark.sql.execution.exchange.eddyline

import scala.concurrent.{Await, ExecutionContext, Future}
import scala.concurrent.duration.Duration

import org.apache.spark.{FutureAction, MapOutputStatistics}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.plans.logical.Statistics
import org.apache.spark.sql.execution.{ShufflePartitionSpec, SQLExecution}
import org.apache.spark.sql.execution.exchange.{ShuffleExchangeExec, ShuffleExchangeLike}
import org.apache.spark.sql.execution.metric.SQLMetric

/**
 * An Exchange that lets nobody read its rows before all are written and something is decided. The
 * job of an Exchange is a type that only code in Spark's packages can name.
 */
trait HeldExchange extends ShuffleExchangeLike {

  /** As it would be if nothing were to be decided. */
  protected def exchange: ShuffleExchangeExec

  protected def isHeld: Boolean

  /** None if the rows may be read, else what is to be read in their place. An error ends the query. */
  protected def decide(): Option[ShuffleExchangeExec]

  @transient @volatile private var other: Option[ShuffleExchangeExec] = None

  private def decided: ShuffleExchangeExec = other.getOrElse(exchange)

  override lazy val metrics: Map[String, SQLMetric] = exchange.metrics

  @transient override lazy val mapOutputStatisticsFuture: Future[MapOutputStatistics] = {
    val written = exchange.mapOutputStatisticsFuture
    if (isHeld) {
      written match {
        case job: FutureAction[MapOutputStatistics] => futureAction.set(Some(job)) // to be cancelled
        case _ =>
      }
      val locals = SQLExecution.captureThreadLocals(session)
      implicit val pool: ExecutionContext = ShuffleExchangeExec.executionContext
      written.flatMap { statistics =>
        locals.runWith {
          other = decide()
          other.fold(Future.successful(statistics))(_.submitShuffleJob())
        }
      }
    } else {
      written
    }
  }

  override def numMappers: Int = decided.numMappers

  override def numPartitions: Int = decided.numPartitions

  override def shuffleId: Int = decided.shuffleId

  override def getShuffleRDD(partitionSpecs: Array[ShufflePartitionSpec]): RDD[_] =
    decided.getShuffleRDD(partitionSpecs)

  override def runtimeStatistics: Statistics = decided.runtimeStatistics

  /** Without adaptive execution, which waits for the job by itself. */
  override protected def doExecute(): RDD[InternalRow] = {
    if (isHeld) Await.result(submitShuffleJob(), Duration.Inf)
    decided.execute()
  }
}
