package io.eddyline.spark.globaltable.catalog

import java.time.Duration

import org.apache.hadoop.fs.Path
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.spark.SparkConf
import org.apache.spark.sql.internal.StaticSQLConf

import io.eddyline.spark.EddylineConf._

/** What is fixed for all global tables of an application, from its SparkConf. */
private[globaltable] class GlobalTableSettings(conf: SparkConf) {

  /** How many snapshots stay, however old. */
  val keepVersions: Int =
    conf.getInt(GLOBAL_TABLE_KEEP_VERSIONS.key, GLOBAL_TABLE_KEEP_VERSIONS.defaultValue.get)

  /** How old a snapshot is before it goes. */
  val retention: Duration = duration(
    GLOBAL_TABLE_RETENTION.key, GLOBAL_TABLE_RETENTION.defaultValueString)

  /** After how long without use replicas are released and the source is no more looked at. */
  val idleTimeout: Duration = duration(
    GLOBAL_TABLE_IDLE_TIMEOUT.key, GLOBAL_TABLE_IDLE_TIMEOUT.defaultValueString)

  private val location: String = conf.getOption(GLOBAL_TABLE_SNAPSHOT_LOCATION.key).getOrElse {
    val warehouse = conf.getOption(StaticSQLConf.WAREHOUSE_PATH.key)
      .getOrElse(StaticSQLConf.WAREHOUSE_PATH.defaultValueString)
    s"${warehouse.stripSuffix("/")}-eddyline/globaltable"
  }

  /** Of the folders of snapshots. */
  val permissions: FsPermission = new FsPermission(conf.get(
    GLOBAL_TABLE_SNAPSHOT_PERMISSIONS.key, GLOBAL_TABLE_SNAPSHOT_PERMISSIONS.defaultValueString))

  /** Of a table's snapshots. */
  def folder(id: TableId): Path = new Path(location, id.folder)

  private def duration(key: String, default: String): Duration =
    Duration.ofMillis(conf.getTimeAsMs(key, default))
}
