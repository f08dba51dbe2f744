package org.apache.spark.eddyline

import scala.jdk.CollectionConverters._

import org.apache.spark.{SparkContext, SparkEnv}

/**
 * The storage memory that executors use. What the driver says of it leaves out the values of
 * broadcasts, of which executors tell the driver the pieces alone.
 */
object StorageMemory {

  /**
   * Returns the bytes that executors use, by their ids. With an executor for each core all are
   * asked, because each gets one of the first tasks.
   */
  def used(context: SparkContext): java.util.Map[String, Long] =
    context.parallelize(1 to TASKS, TASKS)
      .map(_ => SparkEnv.get.executorId -> SparkEnv.get.memoryManager.storageMemoryUsed)
      .collect().toMap.asJava

  private val TASKS = 8
}
