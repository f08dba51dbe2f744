package org.apache.spark.sql.execution.streaming.eddyline

import java.lang.reflect.{InvocationHandler, InvocationTargetException, Proxy}

import io.eddyline.spark.faults.FaultPoint
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

private object FaultyStore {

  /** Wraps a store in a proxy, because a hand-written class would repeat its forty methods. */
  def apply(store: StateStore): StateStore = {
    val handler: InvocationHandler = (_, method, arguments) => {
      val commits = method.getName == "commit"
      if (commits) FaultPoint.reach(FaultPoint.BeforeStateCommit)
      val result =
        try method.invoke(store, Option(arguments).toSeq.flatten: _*)
        catch { case failed: InvocationTargetException => throw failed.getCause }
      if (commits) FaultPoint.reach(FaultPoint.AfterStateCommit)
      result
    }
    Proxy
      .newProxyInstance(store.getClass.getClassLoader, store.getClass.getInterfaces, handler)
      .asInstanceOf[StateStore]
  }
}
