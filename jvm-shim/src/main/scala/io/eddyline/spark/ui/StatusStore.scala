package io.eddyline.spark.ui

import scala.jdk.CollectionConverters._

import org.apache.spark.util.kvstore.KVStore

/** Reads what [[StatusListener]] has written. */
class StatusStore(store: KVStore) {

  /** The global tables that the application has refreshed, by name. */
  def globalTables: Seq[GlobalTableEntity] = all(classOf[GlobalTableEntity])

  /** The refreshes that are kept, the newest first. */
  def refreshes: Seq[GlobalTableRefreshed] = all(classOf[RefreshEntity]).map(_.event).reverse

  /** The queries with clauses that are kept, the newest first. */
  def queries: Seq[ClausesEntity] = all(classOf[ClausesEntity]).reverse

  /** The runs of streaming queries, those with the latest micro-batch first. */
  def streams: Seq[StreamEntity] = all(classOf[StreamEntity]).sortBy(_.time).reverse

  def isEmpty: Boolean = Seq(
    classOf[GlobalTableEntity], classOf[ClausesEntity], classOf[StreamEntity])
    .forall(store.count(_) == 0)

  private def all[T](kind: Class[T]): Seq[T] = store.view(kind).asScala.toSeq
}
