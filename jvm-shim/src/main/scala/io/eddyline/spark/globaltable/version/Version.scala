package io.eddyline.spark.globaltable.version

/**
 * One immutable state of a global table.
 *
 * @param name number and fingerprint of a snapshot, or what the source calls it
 * @param number counts the versions that have snapshots, from 1
 * @param fingerprint of the source; a source with the same one has nothing new
 * @param rows in it, if they were counted
 * @param bytes of the snapshot's files
 * @param nullKeys rows that were dropped for a NULL in the primary key
 * @param gates how many folders of the source had a `_SUCCESS`
 * @param content a hash of all rows, if a snapshot was written
 */
case class Version(
    name: String,
    number: Long,
    fingerprint: String,
    rows: Option[Long] = None,
    bytes: Option[Long] = None,
    nullKeys: Long = 0,
    gates: Int = 0,
    content: Option[String] = None) {

  /** Whether the catalog keeps it, and no snapshot is needed. */
  def isOfCatalog: Boolean = number == 0

  /** Whether another version of the same source would show nothing else. */
  def hasRowsOf(other: Version): Boolean =
    fingerprint == other.fingerprint && content == other.content
}
