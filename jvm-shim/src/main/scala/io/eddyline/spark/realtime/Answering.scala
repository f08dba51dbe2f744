package io.eddyline.spark.realtime

import java.io.FileNotFoundException

import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager

import io.eddyline.spark.base.{AtomicWrite, Json}

/**
 * What a checkpoint says of rows that were written and that no committed micro-batch accounts for.
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

/**
 * The file with it, which is written before the first row of a micro-batch in real-time mode leaves
 * and deleted when a micro-batch is committed that has passed the ends.
 */
private[realtime] class AnsweringFile(checkpoint: Path, conf: Configuration) {
  private val file = new Path(checkpoint, AnsweringFile.NAME)
  private lazy val files = CheckpointFileManager.create(file.getParent, conf)

  def read(): Option[Answering] =
    try Some(Using.resource(files.open(file))(in => Json.read[Answering](in.readAllBytes())))
    catch { case _: FileNotFoundException => None }

  /** Writes it in the place of the one before: a kill leaves either. */
  def write(answering: Answering): Unit = {
    if (!files.exists(file.getParent)) files.mkdirs(file.getParent)
    AtomicWrite.replace(files, file) { out =>
      out.write(Json.write(answering))
    }
  }

  def delete(): Unit = files.delete(file)
}

private[realtime] object AnsweringFile {
  private val NAME = "eddyline/answering"
}
