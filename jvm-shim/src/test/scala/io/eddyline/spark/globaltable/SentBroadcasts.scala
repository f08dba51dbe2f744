package io.eddyline.spark.globaltable

import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.scheduler.{SparkListener, SparkListenerBlockUpdated}
import org.apache.spark.storage.BroadcastBlockId

/**
 * Counts the bytes of each broadcast that the driver has made and that each executor has fetched.
 * Both store it in pieces, serialized and compressed as they are sent, and report each of them.
 */
class SentBroadcasts extends SparkListener {

  /** By the number of the broadcast and the id of the executor, in one text. */
  val bytes = new ConcurrentHashMap[String, java.lang.Long]

  override def onBlockUpdated(event: SparkListenerBlockUpdated): Unit = {
    val block = event.blockUpdatedInfo
    block.blockId match {
      case BroadcastBlockId(number, field) if field.nonEmpty && block.storageLevel.isValid =>
        val place = s"$number ${block.blockManagerId.executorId}"
        bytes.merge(place, block.memSize + block.diskSize, (a, b) => a + b)
      case _ =>
    }
  }
}
