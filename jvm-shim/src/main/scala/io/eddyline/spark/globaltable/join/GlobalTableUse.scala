package io.eddyline.spark.globaltable.join

import org.apache.hadoop.util.StringUtils.byteDesc

/**
 * How a plan reads a version of a global table, for reports.
 *
 * @param version None in EXPLAIN, if nothing has loaded the table yet
 * @param keys the keys of the lookup; None: the version is scanned
 * @param rows number of rows in the replica or the version; None if unknown
 * @param bytes size of the replica in memory or of the version's files; None if unknown
 * @param age time since the version was last confirmed, in milliseconds; None: never
 * @param isHit whether the replica existed before the query; None: there is none
 * @param lastError error of the table's last refresh, without secrets; None if it succeeded
 */
private[spark] case class GlobalTableUse(
    table: String,
    version: Option[String],
    keys: Option[Seq[String]],
    rows: Option[Long],
    bytes: Option[Long],
    age: Option[Long],
    isHit: Option[Boolean],
    lastError: Option[String]) {

  def sentence: String = describe(s"$table@${version.getOrElse("<not loaded>")}")

  /** Describes the use in a line of a plan, after the names of the tables and versions. */
  private[join] def describe(label: String): String = {
    val replica = isHit.map(hit => s"replica=${if (hit) "hit" else "build"}")
    (Seq(label, keys.fold("scan")(_.mkString("keys=[", ", ", "]"))) ++ Seq(
      s"rows=${rows.fold("?")(_.toString)}",
      s"bytes=${bytes.fold("?")(byteDesc(_))}",
      s"age=${age.fold("?")(ms => s"${ms / 1000} s")}") ++ replica :+
      s"last_error=${lastError.getOrElse("-")}").mkString(" ")
  }
}
