package org.apache.spark.rpc.eddyline

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.LongType
import org.scalatest.funsuite.AnyFunSuite

class LiveBroadcastSuite extends AnyFunSuite {
  private val toRow = UnsafeProjection.create(Seq(BoundReference(0, LongType, nullable = false)))

  private def row(value: Long): UnsafeRow = toRow(InternalRow(value)).copy()

  private class Sent(value: String) extends Broadcast[Any](0) {
    override protected def getValue(): Any = value
    override protected def doUnpersist(blocking: Boolean): Unit = ()
    override protected def doDestroy(blocking: Boolean): Unit = ()
  }

  /** A value whose broadcast has all changes up to the number 1. */
  private class Live {
    private val live = new LiveBroadcast(new LiveBroadcast.Version(1, "first"))

    /** Takes a reply; changes are a number, a key and its row. */
    def take(last: Long, base: Option[Long])(changes: (Long, Long, Option[Long])*): Boolean =
      live.add((base.map(_ -> new Sent("")),
          changes.map { case (at, key, value) => (at, row(key), value.map(row).orNull) }, last))

    def fetch(base: Long, value: String): Unit = live.updateTo(base, new Sent(value))

    /** What lookups see: the value, and the changed rows of keys. */
    def seen: (Any, Map[Long, Option[Long]]) = live.newest.value ->
      live.newest.changes.map { case (key, (_, row)) =>
        key.getLong(0) -> Option(row).map(_.getLong(0))
      }

    def known: (Long, Long) = live.known
  }

  test("changes are seen at once, also a key that has no row any more") {
    val live = new Live
    assert(live.take(3, None)((2, 7, Some(70)), (3, 8, Some(80))))
    assert(live.take(4, None)((4, 7, None)))
    assert(live.seen === ("first", Map(7 -> None, 8 -> Some(80))))
    assert(live.known === (1, 4))
  }

  test("a reply that comes after a later one takes nothing back") {
    val live = new Live
    live.take(3, None)((2, 7, Some(70)), (3, 7, Some(71)))
    live.take(2, None)((2, 7, Some(70)))
    assert(live.seen === ("first", Map(7 -> Some(71))) && live.known === (1, 3))
  }

  test("changes since a broadcast that has others, too, wait for it") {
    val live = new Live
    live.take(2, None)((2, 7, Some(70)))
    assert(!live.take(6, Some(5))((6, 8, Some(80))))
    assert(!live.take(7, None)((7, 8, Some(81))))
    assert(live.seen === ("first", Map(7 -> Some(70))))
    live.fetch(5, "fifth")
    assert(live.seen === ("fifth", Map(8 -> Some(81))) && live.known === (5, 7))
  }

  test("a broadcast of changes that were sent already stops no other change") {
    val live = new Live
    live.take(3, None)((2, 7, Some(70)), (3, 8, Some(80)))
    assert(live.take(4, Some(2))((4, 9, Some(90))))
    assert(live.seen === ("first", Map(7 -> Some(70), 8 -> Some(80), 9 -> Some(90))))
    live.fetch(2, "second")
    assert(live.seen === ("second", Map(8 -> Some(80), 9 -> Some(90))) && live.known === (2, 4))
    live.fetch(1, "first")
    assert(live.seen._1 === "second")
  }
}
