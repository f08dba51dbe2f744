package io.eddyline.spark.streamingquery

import java.time.Duration

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types._

import io.eddyline.spark.base.{DescriptionRows, EddylineErrors, RowsCommand}
import io.eddyline.spark.placeholder.StatementText

/** A statement about existing streaming queries. */
sealed trait StreamingQueryCommand extends RowsCommand {
  protected def rows(queries: StreamingQueries): Seq[Row]

  override protected def columns: StructType = QueryRows.CONTROL

  override protected def rows(session: SparkSession): Seq[Row] = rows(StreamingQueries.of(session))
}

/** START STREAMING QUERY name … AS sink query. */
case class StartStreamingQueryCommand(definition: StreamingQueryDefinition, ifNotExists: Boolean)
  extends DefinesStreamingQuery {
  override protected def columns: StructType = QueryRows.CONTROL

  override protected def rows(session: SparkSession): Seq[Row] =
    Seq(StreamingQueries.of(session).start(definition, ifNotExists, session))
}

/**
 * CREATE STREAMING QUERY name … AS sink query, which stores the definition too.
 *
 * @param text the statement as typed
 */
case class CreateStreamingQueryCommand(
    definition: StreamingQueryDefinition, text: String, mode: CreateMode)
  extends DefinesStreamingQuery with StatementText {
  override protected def columns: StructType = QueryRows.CONTROL

  override def withText(text: String): CreateStreamingQueryCommand = copy(text = text)

  override protected def rows(session: SparkSession): Seq[Row] =
    Seq(StreamingQueries.of(session).create(this, mode, session))
}

/**
 * VALIDATE STREAMING QUERY name … AS sink query: compares a new definition with an existing query
 * and its checkpoint.
 *
 * @param text the statement as typed
 */
case class ValidateStreamingQueryCommand(definition: StreamingQueryDefinition, text: String)
  extends DefinesStreamingQuery with StatementText {
  override protected def columns: StructType = QueryRows.DIFFERENCES

  override def withText(text: String): ValidateStreamingQueryCommand = copy(text = text)

  override protected def rows(session: SparkSession): Seq[Row] =
    StreamingQueries.of(session).replacement(this, session).differences.map(QueryRows.difference)
}

/**
 * START, STOP, RESTART or DROP of an existing query.
 *
 * @param purge whether DROP deletes the checkpoint too
 */
case class ControlStreamingQueryCommand(
    action: ControlAction, name: String, place: Origin, purge: Boolean)
  extends StreamingQueryCommand {
  import ControlAction._

  override protected def rows(queries: StreamingQueries): Seq[Row] = action match {
    case Drop | DropIfExists => queries.drop(name, action == DropIfExists, purge, place).toSeq
    case Start => Seq(queries.change(name, place)(_.start(place)))
    case Restart => Seq(queries.change(name, place)(_.restart(place)))
    case Stop => Seq(queries.change(name, place)(_.stop(place)))
  }
}

/**
 * AWAIT STREAMING QUERY: waits until the query has ended, for at most the timeout.
 *
 * Errors: EDDYLINE_STREAMING_QUERY.FAILED.
 */
case class AwaitStreamingQueryCommand(name: String, timeout: Option[Duration], place: Origin)
  extends StreamingQueryCommand {
  override protected def rows(queries: StreamingQueries): Seq[Row] = {
    val query = queries.get(name, place)
    val failed = query.await(timeout).orElse(
      if (query.status == QueryStatus.Failed) query.lastError else None)
    failed.foreach { error =>
      EddylineErrors.fail("EDDYLINE_STREAMING_QUERY.FAILED", place,
        "name" -> quoteIfNeeded(query.name), "error" -> error)
    }
    Seq(QueryRows.control(query))
  }
}

/** SHOW STREAMING QUERIES: those of this application as they were defined, then others by name. */
case object ShowStreamingQueriesCommand extends StreamingQueryCommand {
  override protected def columns: StructType = QueryRows.OVERVIEW

  override protected def rows(queries: StreamingQueries): Seq[Row] = queries.overview
}

/**
 * A statement that shows one query.
 *
 * @param show returns the rows about it
 */
sealed abstract class ShowsStreamingQuery(
    override protected val columns: StructType)(show: ManagedStreamingQuery => Seq[Row])
  extends StreamingQueryCommand {
  def name: String
  def place: Origin

  override protected def rows(queries: StreamingQueries): Seq[Row] = show(queries.get(name, place))
}

case class DescribeStreamingQueryCommand(name: String, place: Origin)
  extends ShowsStreamingQuery(DescriptionRows.SCHEMA)(QueryRows.description)

case class ShowStreamingQueryProgressCommand(name: String, place: Origin)
  extends ShowsStreamingQuery(QueryRows.PROGRESS)(_.progress.map(QueryRows.progress))

case class ExplainStreamingQueryCommand(name: String, place: Origin) extends ShowsStreamingQuery(
    new StructType().add("plan", StringType))(query => Seq(Row(query.explain)))

case class ShowCreateStreamingQueryCommand(name: String, place: Origin) extends ShowsStreamingQuery(
    new StructType().add("statement", StringType))(query => Seq(Row(query.sql)))

/**
 * What a statement does to an existing query.
 *
 * @param word the word for it in the placeholder
 */
sealed abstract class ControlAction(val word: String)

object ControlAction {
  case object Start extends ControlAction("start")
  case object Stop extends ControlAction("stop")
  case object Restart extends ControlAction("restart")
  case object Drop extends ControlAction("drop")
  case object DropIfExists extends ControlAction("drop_if_exists")

  /** The action of a word; None if there is none, as in a placeholder that was typed by hand. */
  def of(word: String): Option[ControlAction] =
    Seq(Start, Stop, Restart, Drop, DropIfExists).find(_.word == word)
}
