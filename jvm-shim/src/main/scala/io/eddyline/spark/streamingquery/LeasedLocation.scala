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

  /** Tells apart the times for which this application has been the owner; None: it is not. */
  def term: Option[Long] = lease.term

  /** Whether another application is the owner, which may have died. */
  def hasOtherOwner: Boolean = !isHeld && store.reported(lease.owner).exists(_ != me)

  /** Renews the lease, or takes it if it is free. */
  def advance(): Unit =
    try {
      store.reported(lease.advance())
      renewalError = None
    } catch {
      case NonFatal(e) =>
        renewalError = Some(e)
        throw e
    }

  /** Renews the lease if it has run out, or takes it if it is free. Errors: NOT_OWNER. */
  def requireHeld(place: Origin): Unit = {
    requireAtomic(place)
    if (!isHeld) advance()
    if (!isHeld) {
      val owner = store.reported(lease.owner).fold("another application")(_.text)
      EddylineErrors.fail("EDDYLINE_STREAMING_QUERY.NOT_OWNER", place,
        "location" -> store.folder.toString,
        "owner" -> owner,
        "duration" -> s"${settings.leaseDuration.toMillis} ms")
    }
  }

  /** Checks that this application has been the owner since a term began. Errors: LEASE_LOST. */
  def requireTerm(of: Option[Long], name: String, place: Origin): Unit = {
    if (of == term) requireHeld(place) // else a query of an earlier term would take the lease
    if (of != term) {
      EddylineErrors.fail("EDDYLINE_STREAMING_QUERY.LEASE_LOST", place, "name" -> name)
    }
  }

  /** Why a query that ran here was interrupted. */
  def whyLost(name: String): Throwable = renewalError.getOrElse(
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
    if (OBJECT_STORES(scheme) && !settings.isSharedByNone) {
      EddylineErrors.fail("EDDYLINE_STREAMING_QUERY.LOCATION_NOT_ATOMIC", place,
        "location" -> store.folder.toString, "key" -> EddylineConf.EXCLUSIVE_LOCATION.key)
    }
  }
}

private object LeasedLocation {
  private val OBJECT_STORES = Set(
    "s3", "s3a", "s3n", "gs", "wasb", "wasbs", "oss", "cos", "cosn", "obs", "bos", "swift")
}
