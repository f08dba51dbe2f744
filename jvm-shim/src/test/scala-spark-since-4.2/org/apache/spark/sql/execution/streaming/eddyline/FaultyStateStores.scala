package org.apache.spark.sql.execution.streaming.eddyline

import org.apache.spark.sql.execution.streaming.state.{
  HDFSBackedStateStoreProvider,
  ReadStateStore,
  RocksDBStateStoreProvider,
  StateStore,
  StateStoreProvider
}

/** A provider whose stores may fail before and after a commit. */
trait FaultyStateStores extends StateStoreProvider {

  abstract override def getStore(
      version: Long,
      uniqueId: Option[String],
      forceSnapshotOnCommit: Boolean,
      loadEmpty: Boolean): StateStore =
    FaultyStore(super.getStore(version, uniqueId, forceSnapshotOnCommit, loadEmpty))
}

/** Spark's default state store, which may fail before and after a commit. */
class FaultyHdfsStateStoreProvider extends HDFSBackedStateStoreProvider with FaultyStateStores

/** Spark's RocksDB state store, which may fail before and after a commit. */
class FaultyRocksDbStateStoreProvider extends RocksDBStateStoreProvider with FaultyStateStores {

  override def upgradeReadStoreToWriteStore(
      readStore: ReadStateStore,
      version: Long,
      uniqueId: Option[String],
      forceSnapshotOnCommit: Boolean): StateStore =
    FaultyStore(
      super.upgradeReadStoreToWriteStore(readStore, version, uniqueId, forceSnapshotOnCommit))
}
