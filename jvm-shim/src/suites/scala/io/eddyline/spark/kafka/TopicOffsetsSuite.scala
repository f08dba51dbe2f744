package io.eddyline.spark.kafka

import scala.collection.immutable.SortedMap

import org.scalatest.funsuite.AnyFunSuite

class TopicOffsetsSuite extends AnyFunSuite {

  private def offsets(next: (Int, Long)*): TopicOffsets = TopicOffsets(SortedMap(next: _*))

  test("offsets are written as Spark's Kafka source does, partitions by their numbers") {
    val many = offsets((0 to 10).map(partition => partition -> (Long.MaxValue - partition)): _*)
    assert(TopicOffsets.parse(many.json("a.b")) == many)
    assert(offsets(10 -> 1, 9 -> 2).json("t") == """{"t":{"9":2,"10":1}}""")
    assert(TopicOffsets.parse(TopicOffsets.START.json("t")) == TopicOffsets.START)
  }

  test("a topic grows, and one that was made anew does not") {
    assert(offsets(0 -> 5).growsTo(offsets(0 -> 5)) && offsets(0 -> 5).growsTo(offsets(0 -> 6)))
    assert(offsets(0 -> 5).growsTo(offsets(0 -> 5, 1 -> 0)))
    assert(!offsets(0 -> 5).growsTo(offsets(0 -> 4)))
    assert(!offsets(0 -> 5, 1 -> 0).growsTo(offsets(0 -> 5)))
  }

  test("a new partition is read as a whole, from the first record that it still has") {
    assert(offsets(0 -> 5).until(offsets(0 -> 9, 1 -> 3)) == offsets(0 -> 5, 1 -> -2))
    assert(TopicOffsets.START.until(offsets(0 -> 9)) == offsets(0 -> -2))
  }
}
