package io.eddyline.spark.kafka

import org.apache.spark.sql.execution.streaming.eddyline.ReadStream
import org.scalatest.funsuite.AnyFunSuite

class TopicEndsSuite extends AnyFunSuite {

  private def arePassed(end: String, committed: Option[String], areNewer: Boolean): Boolean =
    TopicEnds.arePassed(Seq(end), Seq(ReadStream(null, null, "", committed)), areNewer)

  test("ends are passed by a commit that has read each partition up to them") {
    val end = """{"t":{"0":5,"1":2}}"""
    assert(arePassed(end, Some("""{"t":{"0":5,"1":3}}"""), areNewer = false))
    assert(!arePassed(end, Some("""{"t":{"0":4,"1":3}}"""), areNewer = true))
    assert(!arePassed(end, None, areNewer = false))
  }

  test("nothing is before an empty partition, and no stream of another source has an end") {
    assert(arePassed("""{"t":{"0":0}}""", None, areNewer = false))
    assert(arePassed("{}", None, areNewer = false))
  }

  test("only a newer commit tells that a partition which it lacks is gone") {
    val end = """{"t":{"0":5},"deleted":{"0":7}}"""
    assert(!arePassed(end, Some("""{"t":{"0":5}}"""), areNewer = false))
    assert(arePassed(end, Some("""{"t":{"0":5}}"""), areNewer = true))
  }
}
