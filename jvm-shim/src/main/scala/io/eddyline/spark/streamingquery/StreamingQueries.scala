package io.eddyline.spark.streamingquery

import scala.annotation.tailrec
import scala.collection.mutable

import org.apache.hadoop.fs.{Path, UnsupportedFileSystemException}
import org.apache.spark.sql
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.internal.SQLConf

import io.eddyline.spark.{EddylineErrors, PerApplication, Redaction}

/**
 * The streaming queries that SQL started in any session of this JVM, by name. Names are unique and
 * case-insensitive.
 *
 * Errors: EDDYLINE_STREAMING_QUERY.ALREADY_EXISTS, CHECKPOINT_IN_USE, CHECKPOINT_MISSING,
 * INVALID_CHECKPOINT, NAME_TOO_LONG, NOT_FOUND.
 */
private[streamingquery] class StreamingQueries {
  private val queries = mutable.LinkedHashMap.empty[String, ManagedStreamingQuery]

  def all: Seq[ManagedStreamingQuery] = synchronized(queries.values.toSeq)

  def find(name: String): Option[ManagedStreamingQuery] = synchronized(queries.get(key(name)))

  def get(name: String, place: Origin): ManagedStreamingQuery = find(name).getOrElse(
    fail("NOT_FOUND", place, "name" -> name))

  /** Creates and starts a query; removes it again if it cannot start. */
  @tailrec final def start(
      definition: StreamingQueryDefinition,
      ifNotExists: Boolean,
      session: SparkSession): ManagedStreamingQuery = find(definition.name) match {
    case Some(existing) if ifNotExists && existing.isThere => existing
    case Some(_) if ifNotExists => start(definition, ifNotExists, session)
    case _ =>
      val query = new ManagedStreamingQuery(
        definition, checkpointOf(definition, session), QuerySession.copyOf(session))
      if (add(query, ifNotExists)) {
        try query.start(definition.place)
        catch {
          case e: Throwable =>
            drop(query)
            throw e
        }
        query
      } else {
        start(definition, ifNotExists, session)
      }
  }

  /** Stops a query and removes it. */
  def drop(query: ManagedStreamingQuery): Unit = {
    query.drop()
    synchronized {
      if (queries.get(key(query.name)).exists(_ eq query)) queries.remove(key(query.name))
    }
  }

  /** Adds a query; returns false if one of its name exists and `ifNotExists` allows that. */
  private def add(query: ManagedStreamingQuery, ifNotExists: Boolean): Boolean = synchronized {
    val place = query.definition.place
    find(query.name) match {
      case Some(_) if ifNotExists => false
      case Some(existing) =>
        fail("ALREADY_EXISTS", place, "name" -> query.name, "status" -> existing.status.name)
      case None =>
        queries.values.find(_.checkpoint == query.checkpoint).foreach { other =>
          fail("CHECKPOINT_IN_USE", place, "checkpoint" -> query.shown(query.checkpoint),
            "other" -> s"the streaming query ${other.name}")
        }
        queries.put(key(query.name), query)
        true
    }
  }

  private def checkpointOf(definition: StreamingQueryDefinition, session: SparkSession): String = {
    val conf = session.sessionState.conf
    val checkpoint = definition.checkpoint.orElse(
      conf.getConf(SQLConf.CHECKPOINT_LOCATION).map(root => s"$root/${folderOf(definition)}"))
    val given = checkpoint.getOrElse(
      fail("CHECKPOINT_MISSING", definition.place, "name" -> definition.name))
    try {
      val path = new Path(given)
      path.getFileSystem(session.sessionState.newHadoopConf()).makeQualified(path).toString
    } catch {
      case e @ (_: IllegalArgumentException | _: UnsupportedFileSystemException) =>
        fail("INVALID_CHECKPOINT", definition.place,
          "checkpoint" -> Redaction.text(conf, given),
          "reason" -> Redaction.text(conf, String.valueOf(e.getMessage)))
    }
  }

  private def folderOf(definition: StreamingQueryDefinition): String =
    CheckpointFolder.of(definition.name).getOrElse(fail("NAME_TOO_LONG", definition.place,
        "name" -> definition.name, "bytes" -> CheckpointFolder.MAX_BYTES.toString))

  private def key(name: String): String = CheckpointFolder.key(name)

  private def fail(condition: String, place: Origin, parameters: (String, String)*): Nothing =
    throw EddylineErrors.analysis(
      s"EDDYLINE_STREAMING_QUERY.$condition", parameters.toMap, place)
}

private[streamingquery] object StreamingQueries {
  private val applications = new PerApplication[StreamingQueries]

  def of(session: sql.SparkSession): StreamingQueries =
    applications.of(session.sparkContext)(new StreamingQueries)
}
