package io.eddyline.spark.streamingquery.store

import java.time.Instant
import java.util.UUID

/**
 * An application that runs the persistent streaming queries of a location.
 *
 * @param token identifies the owner, also after a restart with the same application id
 * @param since when it began, in ISO 8601
 */
private[streamingquery] case class Owner(
    token: String, application: String, host: String, process: Long, since: String) {

  /** Describes the owner for messages. */
  def text: String =
    if (this == Owner.UNKNOWN) "an application whose claim cannot be read"
    else s"$application (process $process on $host, since $since)"
}

private[streamingquery] object Owner {

  /** The owner of a claim that cannot be read. */
  val UNKNOWN: Owner = Owner("", "", "", 0, "")

  /** Returns this JVM as an owner. */
  def here(application: String, host: String): Owner = Owner(
    UUID.randomUUID.toString, application, host, ProcessHandle.current.pid, Instant.now().toString)
}
