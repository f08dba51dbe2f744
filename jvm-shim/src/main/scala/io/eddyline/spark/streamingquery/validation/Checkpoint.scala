package io.eddyline.spark.streamingquery.validation

import java.nio.file.Files

import scala.util.Using

import org.apache.commons.io.{FileUtils, IOUtils}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileSystem, FileUtil, Path}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.streaming.runtime.StreamMetadata
import org.apache.spark.sql.execution.streaming.runtime.StreamingCheckpointConstants._

import io.eddyline.spark.shim.{BatchOffsets, OffsetShim, RealTimeShim}

/**
 * The checkpoint of a streaming query, which is only read.
 *
 * @param folder its qualified path
 */
private[streamingquery] class Checkpoint(folder: String, session: SparkSession) {
  import Checkpoint._

  private val root = new Path(folder)
  private val conf: Configuration = session.sessionState.newHadoopConf()
  private val files: FileSystem = root.getFileSystem(conf)

  private lazy val offsets: Option[BatchOffsets] = {
    val log = new Path(root, DIR_NAME_OFFSETS)
    if (files.exists(log)) OffsetShim.newest(session, log) else None
  }

  /**
   * Whether a query has begun a micro-batch in it. One in real-time mode writes its offsets when it
   * ends; until then the checkpoint has where its sources begin, and files of the state.
   */
  def isUsed: Boolean =
    offsets.isDefined || names(DIR_NAME_STATE, _ => true).nonEmpty ||
      names(SOURCES, _.isDirectory).exists(source => names(s"$SOURCES/$source", _.isFile).nonEmpty)

  /** The number of streams whose offsets it has; None if it has no offsets. */
  def sourceCount: Option[Int] = offsets.map(_.sourceCount)

  /**
   * Whether a query can go on from it in real-time mode. A commit begins with the version of its
   * format, as in `v1`, which all later commits keep.
   */
  def servesRealTime: Boolean = newest(DIR_NAME_COMMITS).forall { case (_, content) =>
    val version = content.takeWhile(_ != '\n').map(_.toChar).mkString.trim.stripPrefix("v")
    RealTimeShim.continues(version.toInt, session.sessionState.conf)
  }

  /** The confs that hold for every query on this checkpoint, such as the number of partitions. */
  def confs: Map[String, String] = offsets.fold(Map.empty[String, String])(_.conf)

  private[validation] def nextBatch: Long = offsets.fold(0L)(_.batch + 1)

  /** Whether another one is of the same query, because it was copied. */
  def isCopyOf(other: Checkpoint): Boolean = id.exists(other.id.contains)

  private def id: Option[String] =
    StreamMetadata.read(new Path(root, DIR_NAME_METADATA), conf).map(_.id)

  /** Whether its last micro-batch is that of a copy. */
  def isAsFarAs(other: Checkpoint): Boolean =
    Seq(DIR_NAME_OFFSETS, DIR_NAME_COMMITS).forall(log => newest(log) == other.newest(log))

  /** The number and content of the newest entry of a log; None if it has none. */
  private def newest(log: String): Option[(Long, Seq[Byte])] =
    names(log, _.isFile).flatMap(_.toLongOption).maxOption.map { batch =>
      val file = new Path(root, s"$log/$batch")
      batch -> Using.resource(files.open(file))(IOUtils.toByteArray(_).toSeq)
    }

  /** Runs something with a copy of what it knows of the state, but not of the state. */
  private[validation] def withCopy[T](body: Path => T): T = {
    val target = Files.createTempDirectory("eddyline-checkpoint").toFile
    try {
      copyFolders(target.toURI.toString)
      body(new Path(target.toURI))
    } finally FileUtils.deleteQuietly(target): Unit
  }

  private def copyFolders(target: String): Unit = {
    def below(folder: String) = names(folder, _.isDirectory).map(name => s"$folder/$name")
    val operators = below(DIR_NAME_STATE)
    val partitions = operators.map(operator => s"$operator/$PARTITION")
    val stores = partitions.flatMap(below).filterNot(_.endsWith(s"/$STATE_METADATA"))
    for (folder <- operators ++ partitions ++ stores) {
      val name = s"$folder/$STATE_METADATA"
      val (path, to) = (new Path(root, name), new Path(target, name))
      if (files.exists(path)) {
        FileUtil.copy(files, path, to.getFileSystem(conf), to, false, true, conf): Unit
      }
    }
  }

  private def names(folder: String, isAsked: FileStatus => Boolean): Seq[String] = {
    val path = new Path(root, folder)
    if (!files.exists(path)) Nil
    else files.listStatus(path).filter(isAsked).map(_.getPath.getName).toSeq
  }
}

private object Checkpoint {
  private val SOURCES = "sources"
  private val PARTITION = "0"
  private val STATE_METADATA = "_metadata"
}
