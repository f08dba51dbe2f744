package io.eddyline.spark.realtime

/**
 * What the file `eddyline/answering` of a checkpoint says of rows that were written and that no
 * committed micro-batch accounts for. It is written before the first row of a micro-batch in
 * real-time mode leaves, and deleted when a micro-batch is committed that has passed the ends.
 *
 * @param batch the micro-batch in real-time mode that has written rows last
 * @param runs the runs in real-time mode that may still be writing: their ids by the id of their
 *             application
 * @param ends where the topics of each stream end, as Spark's Kafka source writes it: a record
 *             before it may have been answered by a micro-batch that is lost; empty if none is
 * @param until when those runs have ended, in milliseconds since the epoch; 0 if nobody has seen
 *              yet that they do not go on
 */
private[realtime] case class Answering(
    batch: Long, runs: Map[String, String], ends: Seq[String], until: Long = 0)
