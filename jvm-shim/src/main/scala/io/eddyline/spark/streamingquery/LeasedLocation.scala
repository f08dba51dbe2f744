package io.eddyline.spark.streamingquery

import java.util.Locale

import scala.util.control.NonFatal

import org.apache.hadoop.fs.Path
import org.apache.spark.SparkContext
import org.apache.spark.sql.catalyst.trees.Origin

import io.eddyline.spark.base.{EddylineConf, EddylineErrors}
import io.eddyline.spark.streamingquery.store._

/**
 * The folder of the definitions, `spark.eddyline.streamingQuery.location`, and the lease of the
 * application that runs their queries.
 *
 * Errors: EDDYLINE_STREAMING_QUERY.LEASE_LOST, LOCATION_NOT_ATOMIC, NAME_TOO_LONG, NOT_OWNER, and
 * those of [[QueryStore]].
 */
private[streamingquery] class LeasedLocation(
    settings: StreamingQuerySettings, context: SparkContext) {
  import LeasedLocation._

  private val conf = context.hadoopConfiguration
  val path: Path = settings.location
  val store = new QueryStore(path, conf)

  private val me = Owner.here(context.applicationId, context.getConf.get("spark.driver.host"))
  private val lease = new Lease(new Path(path, "lease"), conf, me, settings.leaseDuration)

  @volatile private var renewalError: Option[Throwable] = None

  /** Whether this application is the owner; reads no files. */
  def isHeld: Boolean = lease.isHeld

  /** The number of this application's claim, until another application has claimed. */
  def term: Option[Long] = lease.term

  /** Whether the files name another application as the owner; it may have died. */
  def hasOtherOwner: Boolean = !isHeld && store.withLocationError(lease.owner).exists(_ != me)

  /** Renews the lease, or takes it if it is free. */
  def renewOrTake(): Unit =
    try {
      store.withLocationError(lease.renewOrTake())
      renewalError = None
    } catch {
      case NonFatal(e) =>
        renewalError = Some(e)
        throw e
    }

  /** Makes sure that this application is the owner. Errors: LOCATION_NOT_ATOMIC, NOT_OWNER. */
  def requireHeld(place: Origin): Unit = {
    requireAtomic(place)
    if (!isHeld) renewOrTake()
    if (!isHeld) {
      val owner = store.withLocationError(lease.owner).fold("another application")(_.text)
      EddylineErrors.fail("EDDYLINE_STREAMING_QUERY.NOT_OWNER", place,
        "location" -> store.folder.toString,
        "owner" -> owner,
        "duration" -> s"${settings.leaseDuration.toMillis} ms")
    }
  }

  /** Checks that this application has been the owner since a term began. Errors: LEASE_LOST. */
  def requireTerm(expected: Option[Long], name: String, place: Origin): Unit = {
    if (expected == term) requireHeld(place) // a query of an earlier term must not take the lease
    if (expected != term) { // also if `requireHeld` has begun a new term
      EddylineErrors.fail("EDDYLINE_STREAMING_QUERY.LEASE_LOST", place, "name" -> name)
    }
  }

  /** The error of a query that was interrupted because the lease was lost. */
  def leaseLostError(name: String): Throwable = renewalError.getOrElse(
    EddylineErrors.analysis("EDDYLINE_STREAMING_QUERY.LEASE_LOST", Map("name" -> name)))

  /** Gives the lease back for good. */
  def release(): Unit = lease.release()

  /** Checks that a definition of this name has a file name that file systems take. */
  def requireFileName(name: String, place: Origin): Unit = if (!store.canHold(name)) {
    EddylineErrors.fail("EDDYLINE_STREAMING_QUERY.NAME_TOO_LONG", place,
      "name" -> name, "file" -> "stored definition", "bytes" -> QueryStore.MAX_BYTES.toString)
  }

  /** In an object store, two applications may both create a file. */
  private def requireAtomic(place: Origin): Unit = {
    val scheme = store.folder.toUri.getScheme.toLowerCase(Locale.ROOT)
    if (OBJECT_STORES(scheme) && !settings.isExclusive) {
      EddylineErrors.fail("EDDYLINE_STREAMING_QUERY.LOCATION_NOT_ATOMIC", place,
        "location" -> store.folder.toString, "key" -> EddylineConf.EXCLUSIVE_LOCATION.key)
    }
  }
}

private object LeasedLocation {
  private val OBJECT_STORES = Set(
    "s3", "s3a", "s3n", "gs", "wasb", "wasbs", "oss", "cos", "cosn", "obs", "bos", "swift")
}
