package io.eddyline.spark.streamingquery

import java.time.Duration

import scala.collection.mutable

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import io.eddyline.spark.streamingquery.store.{Lease, Owner}

/** Applications that want the lease of one folder, at a time that the test moves. */
class Leases(folder: String, durationMs: Long) {
  private val leases = mutable.Buffer.empty[Lease]
  private var now = 0L

  def tick(ms: Long): Unit = now += ms * 1000000

  /** Adds an application, whose clock began at a time of its own. */
  def add(): Unit = leases += begin(leases.size)

  private def begin(i: Int): Lease = {
    val began = i * 1000003L
    new Lease(new Path(folder), new Configuration, Owner.here(s"$i", "host"),
      Duration.ofMillis(durationMs), () => began + now, () => now / 1000000)
  }

  def renewOrTake(i: Int): Boolean = leases(i).renewOrTake()

  /** Ends an application, which then begins again. */
  def release(i: Int): Unit = {
    leases(i).release()
    leases(i) = begin(i)
  }

  def isHeld(i: Int): Boolean = leases(i).isHeld

  def owner(i: Int): String = leases(i).owner.fold("")(_.application)
}
