package io.eddyline.spark.base

import java.util.UUID
import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.streaming.eddyline.MicroBatch

/** Keeps one value for each run of a streaming query, until another run begins after its end. */
private[spark] class PerRun[T] {
  private val applications = new PerApplication[ConcurrentHashMap[UUID, T]]

  /** The values of the application's runs; asked for by a run, with its id. */
  def of(session: SparkSession, run: UUID): ConcurrentHashMap[UUID, T] = {
    val values = applications.of(session.sparkContext)(new ConcurrentHashMap[UUID, T])
    if (!values.containsKey(run)) values.keySet.retainAll(MicroBatch.activeRuns(session).asJava)
    values
  }
}
