package org.apache.spark.sql.execution.streaming.eddyline

import org.apache.spark.sql.execution.streaming.state.{
  HDFSBackedStateStoreProvider,
  ReadStateStore,
  RocksDBStateStoreProvider,
  StateStore
}

/** Spark's default state store, which may fail before and after a commit. */
class FaultyHdfsStateStoreProvider extends HDFSBackedStateStoreProvider {

  override def getStore(
      version: Long,
      uniqueId: Option[String],
      forceSnapshotOnCommit: Boolean,
      loadEmpty: Boolean): StateStore =
    FaultyStore(super.getStore(version, uniqueId, forceSnapshotOnCommit, loadEmpty))
}

/** Spark's RocksDB state store, which may fail before and after a commit. */
class FaultyRocksDbStateStoreProvider extends RocksDBStateStoreProvider {

  override def getStore(
      version: Long,
      uniqueId: Option[String],
      forceSnapshotOnCommit: Boolean,
      loadEmpty: Boolean): StateStore =
    FaultyStore(super.getStore(version, uniqueId, forceSnapshotOnCommit, loadEmpty))

  override def upgradeReadStoreToWriteStore(
      readStore: ReadStateStore,
      version: Long,
      uniqueId: Option[String],
      forceSnapshotOnCommit: Boolean): StateStore =
    FaultyStore(
      super.upgradeReadStoreToWriteStore(readStore, version, uniqueId, forceSnapshotOnCommit))
}
