package io.eddyline.spark.globaltable.refresh

import java.time.Duration

import org.apache.hadoop.fs.Path
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.spark.SparkConf
import org.apache.spark.sql.eddyline.StaticConf

import io.eddyline.spark.base.EddylineConf._
import io.eddyline.spark.globaltable.catalog.TableId

/**
 * The settings of all global tables of an application, read from its SparkConf.
 *
 * Errors: INVALID_CONF_VALUE and the like, of a value that the entry does not allow.
 */
private[globaltable] class GlobalTableSettings(conf: SparkConf) {

  /** Number of the newest snapshots that are kept, whatever their age. */
  val keepVersions: Int = StaticConf.of(conf, GLOBAL_TABLE_KEEP_VERSIONS)

  /** Minimum time for which a snapshot is kept after it was superseded. */
  val retention: Duration = Duration.ofMillis(StaticConf.of(conf, GLOBAL_TABLE_RETENTION))

  /** Whether replicas are in relations of eddyline's own, and not in Spark's. */
  val hasOwnRelations: Boolean = StaticConf.of(conf, GLOBAL_TABLE_COMPACT_RELATIONS)

  /** Time without use after which replicas are released and the source is no longer probed. */
  val idleTimeout: Duration = Duration.ofMillis(StaticConf.of(conf, GLOBAL_TABLE_IDLE_TIMEOUT))

  /** The permissions of the folders with snapshots. */
  val permissions: FsPermission =
    new FsPermission(StaticConf.of(conf, GLOBAL_TABLE_SNAPSHOT_PERMISSIONS))

  /** The folder with the snapshots of a table. */
  def folderOf(id: TableId): Path = new Path(snapshotLocation(conf), id.folder)
}
