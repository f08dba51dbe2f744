package io.eddyline.spark.shim

/**
 * An entry of a log of offsets.
 *
 * @param batch number of the micro-batch
 * @param sourceCount number of streams whose offsets it has
 * @param conf the confs with which the micro-batch ran
 */
private[spark] case class BatchOffsets(batch: Long, sourceCount: Int, conf: Map[String, String])
