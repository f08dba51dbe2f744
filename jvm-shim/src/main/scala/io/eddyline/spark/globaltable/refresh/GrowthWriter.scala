package io.eddyline.spark.globaltable.refresh

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.{classic, functions, Observation}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.internal.SQLConf

import io.eddyline.spark.base.FreeName
import io.eddyline.spark.globaltable.version._

/**
 * Writes the rows of files that a source has got since its last version, so that the others are not
 * read again.
 *
 * @param probe a probe, with the new files only
 * @param staged copies of the files, which are read instead; None: the files themselves are read
 */
private[refresh] class GrowthWriter(
    source: Source,
    probe: Probe,
    staged: Option[StagedFiles],
    snapshots: Snapshots,
    session: SparkSession) {
  import GrowthWriter._

  private val options = source.options
  private val reader = new SnapshotWriter(source, probe, staged, session)

  /**
   * Writes a version that has the new rows too into `draft`.
   *
   * @return the version without its fingerprint; None, and nothing is written, if the source must
   *         be read as a whole: its columns are others than those of `last`, a key that must be
   *         unique comes again, a snapshot was removed, or the new keys are too many for a
   *         broadcast
   */
  def write(draft: Path, last: Version): Option[Version] = {
    val read = Observation()
    val rows = reader.rows(read)
    val keys = options.primaryKey.flatMap(key =>
      rows.schema.fieldNames.find(SQLConf.get.resolver(_, key)))
    val writer = new ChangeWriter(source, rows.schema, keys, snapshots, session)
    if (!snapshots.isThere(last) || !hasColumnsOf(last, rows)) None
    else {
      val count = FreeName.of(COUNT, keys)
      val news = reader.rows(Observation()).groupBy(writer.keyColumns: _*)
        .agg(functions.count(functions.lit(1)).as(count))
      val size = news.agg(
        functions.count(functions.lit(1)), functions.count_if(functions.col(count) > 1)).head()
      val isUnique = options.latestBy.isEmpty
      if (!writer.areFew(size.getLong(0), last) || isUnique && size.getLong(1) > 0) None
      else {
        val before = writer.rowsOf(last)
          .join(functions.broadcast(news.select(writer.keyColumns: _*)), keys, "left_semi")
        if (isUnique && !before.isEmpty) None
        else {
          val changes = writer.stage(
            newest(rows, before).withColumn(writer.deleted.name, functions.lit(false)), draft)
          Some(writer.apply(last, draft, changes).copy(
              nullKeys = last.nullKeys + reader.nullKeys(read)))
        }
      }
    }
  }

  /** Returns the new rows that are newer than those of their keys in the last version. */
  private def newest(rows: classic.DataFrame, before: classic.DataFrame): classic.DataFrame =
    if (options.latestBy.isEmpty) rows
    else {
      val isNew = FreeName.of(IS_NEW, rows.columns.toSeq)
      val all = rows.withColumn(isNew, functions.lit(true))
        .unionByName(before.withColumn(isNew, functions.lit(false)))
      reader.latest(all, isNew).where(functions.col(isNew)).drop(isNew)
    }

  /** Whether the snapshot of a version, or of its base, has the columns that the source has. */
  private def hasColumnsOf(last: Version, rows: classic.DataFrame): Boolean = {
    val stored = SnapshotRelation.reader(session)
      .parquet(snapshots.path(snapshots.baseOf(last)).toString).schema
    DataTypeUtils.equalsIgnoreNullability(stored, rows.schema)
  }
}

private object GrowthWriter {
  private val IS_NEW = "__eddyline_new"
  private val COUNT = "__eddyline_count"
}
