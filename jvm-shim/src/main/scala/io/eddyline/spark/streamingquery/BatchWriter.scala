package io.eddyline.spark.streamingquery

import org.apache.spark.sql.{classic, DataFrame, Row}
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Literal}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.eddyline.{QualifiedNames, SessionInternals}
import org.apache.spark.sql.execution.streaming.eddyline.MicroBatch
import org.apache.spark.sql.streaming.DataStreamWriter
import org.apache.spark.sql.types.{LongType, StructType}

import io.eddyline.spark.base.EddylineErrors
import io.eddyline.spark.emit.Changes
import io.eddyline.spark.kafka.{TopicTable, TopicWriter}
import io.eddyline.spark.shim.PlanShim

/**
 * Writes micro-batches by Spark's own INSERT, which matches, casts and checks the columns as usual,
 * or by the MERGE of a [[BatchUpsert]]; into a topic, by Spark's writer of topics. A micro-batch
 * that is replayed after a failure is written again, unless the target is a table of Delta.
 *
 * In real-time mode it writes nothing: Spark's own sink writes each row into a topic.
 *
 * A query must not be interrupted while it writes. So `close` lets the running micro-batch end, and
 * makes the next one wait before it writes anything.
 *
 * Errors: EDDYLINE_STREAMING_QUERY.CHANGES_FILTERED, CHANGES_TOPIC_KEY, TARGET_REPLACED,
 * UNRESOLVED_COLUMN, those of a [[BatchUpsert]] and of a [[TopicWriter]], and Spark's of an INSERT
 * or MERGE.
 *
 * @param query the analyzed query
 */
private[streamingquery] class BatchWriter(own: QuerySession, sink: TableSink, query: LogicalPlan)
  extends ((DataFrame, Long) => Unit) {
  private val session = own.session
  private val pauseLock = new Object
  private var closed = false
  private var paused = false

  /** The target table, marked with the write privilege as by Spark's parser for an INSERT. */
  private def target: LogicalPlan = CurrentOrigin.withOrigin(sink.table.origin) {
    PlanShim.insertable(FreshCopy.of(sink.table))
  }

  private val insert =
    session.sessionState.sqlParser.parsePlan("INSERT INTO t TABLE t") match {
      case insert: InsertIntoStatement => insert.copy(byName = sink.byName)
    }

  /** The column list of the INSERT; empty if it has none. */
  private lazy val columnList: Seq[String] = sink.batchId match {
    case None => sink.columns
    case Some(_) if sink.byName => Nil
    case Some(batchId) if sink.columns.nonEmpty => sink.columns :+ batchId
    case Some(batchId) =>
      requireColumns(Seq(batchId))
      tableColumns.filterNot(session.sessionState.conf.resolver(_, batchId)) :+ batchId
  }

  private def tableColumns: Seq[String] =
    SessionInternals.frame(session, FreshCopy.of(sink.table)).columns.toSeq

  private def requireColumns(names: Seq[String]): Unit = {
    val known = tableColumns
    names.filterNot(name => known.exists(session.sessionState.conf.resolver(_, name)))
      .foreach { missing =>
        EddylineErrors.fail("EDDYLINE_STREAMING_QUERY.UNRESOLVED_COLUMN", sink.table.origin,
          "table" -> sink.tableName, "column" -> missing, "columns" -> known.mkString(", "))
      }
  }

  /** The changes that the query reports, if a column has their type; None: it has only data. */
  private val changes = Changes.of(query).filter(_.column.nonEmpty)

  private lazy val topic: Option[TopicWriter] = TopicTable.find(session, sink.name).map { table =>
    val listed = if (sink.byName) None else Some(sink.columns ++ sink.batchId)
    new TopicWriter(table, listed, changes.flatMap(_.column).map(_.name), sink.table.origin)
  }

  private val delta = new DeltaBatches(session, sink.name)

  private val upsert =
    Option.when(sink.key.nonEmpty)(new BatchUpsert(session, sink, query, changes))

  private val targetTable = new TargetTable(session, sink.name)

  private val identity = targetTable.identity

  /** The folders in which the target has its files. */
  def folders: Seq[TableFolder] = {
    val plan = SessionInternals.plan(SessionInternals.frame(session, target))
    TableFolder.in(plan, session.sessionState.newHadoopConf())
  }

  /** Analyzes a write of rows with this schema, and raises its errors. */
  def check(schema: StructType): Unit = (topic, upsert) match {
    case (Some(_), Some(upsert)) => upsert.refuse(
        "It is a topic, in which each record replaces that of the same key: use INSERT INTO.")
    case (Some(writer), None) =>
      requireUnfiltered()
      SessionInternals.frame(session, target): Unit // its privileges
      val written = sink.batchId.fold(schema)(schema.add(_, LongType))
      writer.check(written)
      changes.foreach(requireTopicKey(_, writer.keyIndex(written)))
    case (None, _) =>
      upsert.foreach { upsert =>
        val names = schema.fieldNames.toSeq ++ sink.batchId
        requireUnfiltered()
        upsert.requireKey(names)
        requireColumns(upsert.storedNames(names))
        upsert.requireChanges(upsertColumns)
      }
      val rows = toWrite(LocalRelation(toAttributes(schema)), 0, upsertColumns)
      val execution = session.sessionState.executePlan(statement(rows))
      execution.assertAnalyzed()
      upsert.foreach(_.requireSupported(execution.analyzed))
  }

  /** Checks that no filter hides the change that says that a row is gone. */
  private def requireUnfiltered(): Unit = if (changes.exists(_.isFiltered)) {
    EddylineErrors.fail("EDDYLINE_STREAMING_QUERY.CHANGES_FILTERED", sink.table.origin,
      "table" -> sink.tableName)
  }

  /** Checks that a tombstone has the key of the row that is gone, and of no other one. */
  private def requireTopicKey(changes: Changes, index: Int): Unit = {
    val key = query.output.filterNot(changes.column.contains)(index)
    if (!changes.isTopicKey(key)) {
      val columns = changes.identitySql
      EddylineErrors.fail("EDDYLINE_STREAMING_QUERY.CHANGES_TOPIC_KEY", sink.table.origin,
        "table" -> sink.tableName,
        "columns" -> (if (columns.isEmpty) "no column" else columns.mkString(", ")),
        "advice" -> changes.topicKeyAdvice)
    }
  }

  /**
   * Checks that the target takes single rows, as real-time mode writes them.
   *
   * Errors: EDDYLINE_STREAMING_QUERY.REAL_TIME_CLAUSE, REAL_TIME_SINK.
   */
  def requireRealTime(): Unit = {
    val place = sink.table.origin
    if (topic.isEmpty) {
      EddylineErrors.fail(
        "EDDYLINE_STREAMING_QUERY.REAL_TIME_SINK", place, "table" -> sink.tableName)
    }
    if (sink.batchId.isDefined) {
      EddylineErrors.fail(
        "EDDYLINE_STREAMING_QUERY.REAL_TIME_CLAUSE", place, "clause" -> "WITH BATCH ID")
    }
  }

  /** Returns the writer of rows in real-time mode, into a target that was checked. */
  def realTimeWriter(rows: DataFrame): DataStreamWriter[Row] = topic.get.stream(rows)

  override def apply(batch: DataFrame, id: Long): Unit = {
    val rows = batch.asInstanceOf[classic.Dataset[Row]]
    SessionInternals.useCatalogOf(session, clone = rows.sparkSession)
    pauseLock.synchronized { paused = true } // it may wait for another query's INSERT
    def write(): Unit = {
      waitIfClosed()
      own.requireMayWrite()
      requireTableOf(this)
      topic match {
        case Some(writer) => writer.write(rows)
        case None => writeTable(rows, id)
      }
      own.requireMayWrite() // before Spark commits: the checkpoint may have another owner now
    }
    if (topic.isDefined) write() else TargetTables.writeInto(sink.name, session)(write())
  }

  private def writeTable(batch: classic.Dataset[Row], id: Long): Unit = {
    val running = batch.sparkSession
    val columns = upsertColumns
    val latest = upsert.fold(batch)(_.latest(batch))
    val rows = SessionInternals.frame(running, toWrite(SessionInternals.plan(latest), id, columns))
    def run(): Unit = delta.once(running, id) {
      SessionInternals.frame(running, statement(SessionInternals.plan(rows))): Unit
    }
    if (upsert.isEmpty && !delta.mayHaveNextBatch) {
      run()
    } else {
      rows.persist() // they are read here and by the write, which Delta may skip
      try {
        upsert.filterNot(_.hasUniqueKeys(columns)) match {
          case Some(upsert) => upsert.requireUnique(rows, id)
          case None => if (delta.mayHaveNextBatch) rows.count(): Unit // the state needs them
        }
        run()
      } finally rows.unpersist(): Unit
    }
  }

  /** Checks that the table is the one into which a run of the query wrote, or began to. */
  def requireTableOf(run: BatchWriter): Unit =
    if (run.identity.exists(id => targetTable.identity.exists(_ != id))) {
      EddylineErrors.fail("EDDYLINE_STREAMING_QUERY.TARGET_REPLACED", sink.table.origin,
        "table" -> sink.tableName)
    }

  /** Lets no further micro-batch begin to write. */
  def close(): Unit = pauseLock.synchronized { closed = true }

  /** Whether a micro-batch waits before it writes: after `close`, or for another query's INSERT. */
  def isPaused: Boolean = pauseLock.synchronized(paused)

  private def waitIfClosed(): Unit = pauseLock.synchronized {
    while (closed) pauseLock.wait() // until the query's thread is interrupted
    paused = false
  }

  /** The columns of the table, to cast an upsert's key; none for an INSERT, which casts itself. */
  private def upsertColumns: Seq[Attribute] = if (upsert.isEmpty) Nil else targetTable.columns

  /** Returns rows with the number of the micro-batch, and a key as the table has it. */
  private def toWrite(rows: LogicalPlan, id: Long, columns: Seq[Attribute]): LogicalPlan = {
    val numbered = sink.batchId.fold(rows) { column =>
      Project(rows.output :+ Alias(Literal(id, LongType), column)(), rows)
    }
    upsert.fold(numbered)(_.withKeysCast(numbered, columns))
  }

  private def statement(rows: LogicalPlan): LogicalPlan =
    upsert.fold[LogicalPlan](
      insert.copy(table = target, userSpecifiedCols = columnList, query = rows))(_.statement(rows))
}

/**
 * Writes each micro-batch into a table of Delta once. Delta's log keeps the number of the last
 * micro-batch of each query, which confs tell it, and a write with that number is left out.
 */
private[streamingquery] class DeltaBatches(session: SparkSession, name: Seq[String]) {
  import DeltaBatches._

  private var isFirst = true

  /** Whether the table is one of Delta: of the session catalog, or named by its path. */
  private lazy val isTarget: Boolean =
    name.size == 2 && name.head.equalsIgnoreCase(PROVIDER) ||
      QualifiedNames.sessionMetadata(session, name)
        .exists(_.provider.exists(_.equalsIgnoreCase(PROVIDER)))

  /**
   * Whether the table may have the next micro-batch already; only the first one of a run may be
   * written again. If so, its rows must be computed before the write: Delta may skip the write, but
   * the state of the query must be committed.
   */
  def mayHaveNextBatch: Boolean = isTarget && isFirst

  /**
   * Runs the write of a micro-batch, which leaves it out if the table has it.
   *
   * @param running the session in which the query runs
   */
  def once(running: SparkSession, id: Long)(write: => Unit): Unit =
    if (!isTarget) {
      write
    } else {
      running.conf.set(APPLICATION, s"eddyline-${MicroBatch.queryId(running).get}")
      running.conf.set(VERSION, id)
      try write
      finally Seq(APPLICATION, VERSION).foreach(running.conf.unset)
      isFirst = false
    }
}

private object DeltaBatches {
  private val PROVIDER = "delta"
  private val APPLICATION = "spark.databricks.delta.write.txnAppId"
  private val VERSION = "spark.databricks.delta.write.txnVersion"
}
