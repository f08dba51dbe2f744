package io.eddyline.spark.globaltable.version

/**
 * One immutable state of a global table.
 *
 * @param name number and fingerprint of a snapshot, or the name of the version in its catalog
 * @param number number of the snapshot, counted from 1; 0 for a version of the catalog
 * @param fingerprint digest of the source's state, or of all rows if the state does not tell; a
 *                    source with the same one has the same rows
 * @param rows number of rows; None if they were not counted
 * @param bytes size of the snapshot's files and those of its base; None for a version of the
 *              catalog
 * @param nullKeys number of rows that were dropped because of a NULL in the primary key
 * @param successMarkers number of folders of the source that had a `_SUCCESS`
 * @param content hash of all rows; None if they were not read
 * @param base name of the version whose rows the snapshot changes; None: it has all rows itself
 * @param topic how far a topic was read; None: the source is no topic
 */
case class Version(
    name: String,
    number: Long,
    fingerprint: String,
    rows: Option[Long] = None,
    bytes: Option[Long] = None,
    nullKeys: Long = 0,
    successMarkers: Int = 0,
    content: Option[String] = None,
    base: Option[String] = None,
    topic: Option[TopicPosition] = None) {

  /** Whether the catalog keeps this version, so that it has no snapshot. */
  def isOfCatalog: Boolean = number == 0

  /** Whether `other` has the same source state and the same rows. */
  def hasRowsOf(other: Version): Boolean =
    fingerprint == other.fingerprint && content == other.content
}
