package io.eddyline.spark.globaltable.refresh

import java.time.Duration

import org.apache.hadoop.fs.Path
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.spark.SparkConf

import io.eddyline.spark.base.EddylineConf._
import io.eddyline.spark.globaltable.catalog.TableId

/** The settings of all global tables of an application, read from its SparkConf. */
private[globaltable] class GlobalTableSettings(conf: SparkConf) {

  /** Number of the newest snapshots that are kept, whatever their age. */
  val keepVersions: Int =
    conf.getInt(GLOBAL_TABLE_KEEP_VERSIONS.key, GLOBAL_TABLE_KEEP_VERSIONS.defaultValue.get)

  /** Minimum time for which a snapshot is kept after it was superseded. */
  val retention: Duration = duration(
    GLOBAL_TABLE_RETENTION.key, GLOBAL_TABLE_RETENTION.defaultValueString)

  /** The rows from which on a source that gets files is not read again as a whole. */
  val incrementalMinRows: Long = conf.getLong(
    GLOBAL_TABLE_INCREMENTAL_MIN_ROWS.key, GLOBAL_TABLE_INCREMENTAL_MIN_ROWS.defaultValue.get)

  /** Whether replicas are in relations of eddyline's own, and not in Spark's. */
  val hasOwnRelations: Boolean = conf.getBoolean(
    GLOBAL_TABLE_OWN_RELATIONS.key, GLOBAL_TABLE_OWN_RELATIONS.defaultValue.get)

  /** Time without use after which replicas are released and the source is no longer probed. */
  val idleTimeout: Duration = duration(
    GLOBAL_TABLE_IDLE_TIMEOUT.key, GLOBAL_TABLE_IDLE_TIMEOUT.defaultValueString)

  private val location: String =
    folder(conf, GLOBAL_TABLE_SNAPSHOT_LOCATION.key, "globaltable")

  /** The permissions of the folders with snapshots. */
  val permissions: FsPermission = new FsPermission(conf.get(
      GLOBAL_TABLE_SNAPSHOT_PERMISSIONS.key, GLOBAL_TABLE_SNAPSHOT_PERMISSIONS.defaultValueString))

  /** The folder with the snapshots of a table. */
  def folderOf(id: TableId): Path = new Path(location, id.folder)

  private def duration(key: String, default: String): Duration =
    Duration.ofMillis(conf.getTimeAsMs(key, default))
}
