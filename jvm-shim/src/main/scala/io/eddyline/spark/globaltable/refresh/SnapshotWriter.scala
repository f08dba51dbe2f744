package io.eddyline.spark.globaltable.refresh

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.{classic, functions, Column, Observation, Row}
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.eddyline.SessionInternals
import org.apache.spark.sql.expressions.Window
import org.apache.spark.sql.types._

import io.eddyline.spark.base.{ContentHash, EddylineErrors, FreeName, RepeatedKeys}
import io.eddyline.spark.globaltable.catalog.{GlobalTableOptions, TableId}
import io.eddyline.spark.globaltable.version._

/**
 * Writes the rows of a source as a snapshot and returns its [[Version]].
 *
 * Rows with a NULL in the primary key are dropped and counted (KIP-99). LATEST BY keeps one of
 * several rows with the same key; without it they are an error.
 *
 * Errors: EDDYLINE_GLOBAL_TABLE.DUPLICATE_KEY, TOO_LARGE, UNRESOLVED_COLUMN.
 */
private[globaltable] class SnapshotWriter(source: Source, probe: Probe, session: SparkSession) {
  import SnapshotWriter._

  private val id = source.relation.id
  private val options = source.options
  private lazy val keys = options.primaryKey.map(name => functions.col(quoteIfNeeded(name)))

  /**
   * Writes the Parquet files of a version into `draft`.
   *
   * @param fingerprint the fingerprint of the source; None: the hash of all rows is used
   */
  def write(draft: Path, fingerprint: Option[String]): Version = {
    val (read, written) = (Observation(), Observation())
    val kept = latest(rows(read))
    val sums = hashesOf(kept).zip(HASHES).map { case (hash, name) =>
      functions.sum(hash.cast(HASH_SUM)).as(name)
    }
    kept.observe(
      written, functions.count(functions.lit(1)).as(ROWS), bytesOf(kept).as(BYTES) +: sums: _*)
      .write.parquet(draft.toString)
    val count = written.get(ROWS).asInstanceOf[Long]
    requireSize(id, options, count, bytes(written.get(BYTES)))
    val snapshot = SnapshotRelation.reader(session).schema(kept.schema).parquet(draft.toString)
    if (options.latestBy.isEmpty) requireUnique(id, options, snapshot)
    val hashes = HASHES.map(name => Option(written.get(name)).mkString)
    val content = Probe.digest(count.toString +: hashes, bits = 128)
    Version(
      name = "",
      number = 0,
      fingerprint = fingerprint.getOrElse(content),
      rows = Some(count),
      nullKeys = read.get(NULL_KEYS).asInstanceOf[Long],
      content = Some(content))
  }

  /**
   * Returns the rows of the source that have a primary key.
   *
   * @param read counts the others
   */
  private def rows(read: Observation): classic.DataFrame = {
    val all = SessionInternals.frame(session, source.scan(probe))
    requireKeys(id, options, all.schema)
    all.observe(read, functions.count_if(isNullKey).as(NULL_KEYS)).where(!isNullKey)
  }

  private def isNullKey: Column =
    keys.map(_.isNull).reduceOption(_ || _).getOrElse(functions.lit(false))

  /** Keeps one row per key; a hash of the row breaks ties, so that a retry keeps the same row. */
  private def latest(rows: classic.DataFrame): classic.DataFrame =
    options.latestBy.fold(rows) { expression =>
      val hashes = hashesOf(rows)
      val newestFirst = Window.partitionBy(keys: _*)
        .orderBy(functions.expr(expression).desc_nulls_last +: hashes: _*)
      val columns = rows.columns.map(name => functions.col(quoteIfNeeded(name)))
      val rank = FreeName.of(RANK, rows.columns.toSeq)
      rows.withColumn(rank, functions.row_number().over(newestFirst))
        .where(functions.col(rank) === 1)
        .select(columns.toIndexedSeq: _*)
    }
}

private[globaltable] object SnapshotWriter {
  private val NULL_KEYS = "nullKeys"
  private val ROWS = "rows"
  private val BYTES = "bytes"

  /** The seeds of the two 64-bit hashes of a row. */
  private val SEEDS = Seq(42L, -7046029254386353131L)
  private val HASHES = SEEDS.indices.map(i => s"hash$i")

  /** The type in which hashes are summed: independent of order, and equal rows do not cancel. */
  private val HASH_SUM = DecimalType(38, 0)
  private val RANK = "__eddyline_rank"
  private val SHOWN = 3

  /** Checks that the columns of the primary key exist; errors are at the place of a column. */
  def requireKeys(
      id: TableId,
      options: GlobalTableOptions,
      schema: StructType,
      placeOf: String => Origin = _ => Origin()): Unit = {
    val resolver = org.apache.spark.sql.internal.SQLConf.get.resolver
    options.primaryKey.filterNot(key => schema.exists(field => resolver(field.name, key)))
      .foreach { missing =>
        EddylineErrors.fail("EDDYLINE_GLOBAL_TABLE.UNRESOLVED_COLUMN", placeOf(missing),
          "table" -> id.shortName, "column" -> missing,
          "columns" -> schema.fieldNames.mkString(", "))
      }
  }

  /** Checks rows that are not copied; returns their number. */
  def check(id: TableId, options: GlobalTableOptions, rows: classic.DataFrame): Long = {
    requireKeys(id, options, rows.schema)
    val size = rows.agg(functions.count(functions.lit(1)), bytesOf(rows)).head()
    requireSize(id, options, size.getLong(0), bytes(size.get(1)))
    requireUnique(id, options, rows)
    size.getLong(0)
  }

  /** The size of all rows in memory; NULL if there are none. */
  def bytesOf(rows: classic.DataFrame): Column =
    functions.sum(SessionInternals.column(RowBytes(rows.queryExecution.analyzed.output)))

  private def hashesOf(rows: classic.DataFrame): Seq[Column] = SEEDS.map(seed =>
    SessionInternals.column(ContentHash(rows.queryExecution.analyzed.output, seed)))

  private[refresh] def bytes(sum: Any): Long = Option(sum).fold(0L)(_.asInstanceOf[Long])

  /** Checks rows and bytes against MAX ROWS and MAX BYTES. */
  def requireSize(id: TableId, options: GlobalTableOptions, rows: Long, bytes: Long): Unit = {
    if (rows > options.maxRows) {
      throw SizeLimit.exceeded(id.shortName, s"$rows rows", s"MAX ROWS ${options.maxRows}")
    }
    if (bytes > options.maxBytes) {
      throw SizeLimit.exceeded(
        id.shortName, s"$bytes bytes of rows", s"MAX BYTES ${options.maxBytes}")
    }
  }

  /** Checks that each key occurs once; the error lists a few that do not. */
  def requireUnique(id: TableId, options: GlobalTableOptions, rows: classic.DataFrame): Unit =
    if (options.primaryKey.nonEmpty) {
      val repeated = RepeatedKeys.of(rows, options.primaryKey)
      val shown: Array[Row] = repeated.limit(SHOWN).collect()
      if (shown.nonEmpty) {
        EddylineErrors.fail("EDDYLINE_GLOBAL_TABLE.DUPLICATE_KEY", Origin(),
          "table" -> id.shortName,
          "keys" -> options.primaryKeySql.mkString,
          "examples" -> shown.map(row => s"${row.getString(0)} ${row.getLong(1)} times")
            .mkString(", "),
          "count" -> repeated.count().toString)
      }
    }
}
