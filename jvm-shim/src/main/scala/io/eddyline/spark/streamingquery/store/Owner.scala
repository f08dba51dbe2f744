package io.eddyline.spark.streamingquery.store

import java.net.InetAddress
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
  def text: String = s"$application (process $process on $host, since $since)"
}

private[streamingquery] object Owner {

  /** Returns this JVM as an owner. */
  def here(application: String): Owner = Owner(
    UUID.randomUUID.toString, application, InetAddress.getLocalHost.getHostName,
    ProcessHandle.current.pid, Instant.now().toString)
}
