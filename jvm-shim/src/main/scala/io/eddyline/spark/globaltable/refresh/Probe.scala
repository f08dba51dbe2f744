package io.eddyline.spark.globaltable.refresh

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest

import org.apache.spark.sql.catalyst.catalog.CatalogTablePartition

import io.eddyline.spark.globaltable.catalog.{GlobalTableOptions, TableId}
import io.eddyline.spark.globaltable.version.{FileListing, Version}

/**
 * The result of a probe of a source: its files and versions. A probe reads no rows.
 *
 * @param started when the probe began, in ms since the epoch
 * @param partitions the partitions of each table that has them in the catalog, by table name
 * @param tableVersions the versions of the global tables that the source reads
 * @param confirmations when each of these tables without REFRESH MANUAL was last confirmed, in ms
 *                      since the epoch; None: never
 */
private[globaltable] case class Probe(
    started: Long,
    files: FileListing,
    partitions: Map[String, Seq[CatalogTablePartition]] = Map.empty,
    tableVersions: Map[TableId, Version] = Map.empty,
    confirmations: Seq[Option[Long]] = Nil) {

  /** The time as of which the probe shows the source, in ms since the epoch; None: unknown. */
  def since: Option[Long] =
    Option.when(confirmations.forall(_.isDefined))((confirmations.flatten :+ started).min)

  /** The partitions with their locations, as texts, by table name. */
  def partitionLocations: Map[String, Seq[String]] = partitions.transform((_, found) =>
    found.map(part => s"${part.spec}${part.storage.locationUri.mkString}").sorted)
}

/** What a [[FileRefresh]] needs to know of a source. */
private[globaltable] trait ProbedSource {
  def options: GlobalTableOptions

  /** Lists the files and versions of the source, and reads no rows. */
  def probe(): Probe

  /** Returns a probe with its files and partitions listed again; its versions are immutable. */
  def relist(probe: Probe): Probe

  /** A digest of files, versions and definitions; equal digests mean equal rows. None: unknown. */
  def fingerprint(probe: Probe): Option[String]

  /** Whether the source reads only immutable versions: of global tables or of a catalog. */
  def readsVersions: Boolean

  /** Whether Spark reads whole folders of the source, and not a given list of files. */
  def readsFolders: Boolean
}

private[globaltable] object Probe {

  /** Returns a SHA-256 digest of texts, cut to `bits` and written in hexadecimal. */
  def digest(parts: Seq[String], bits: Int = 64): String = {
    val sha = MessageDigest.getInstance("SHA-256")
    parts.foreach(part => sha.update(s"${part.length}:$part".getBytes(UTF_8)))
    sha.digest().take(bits / 8).map(byte => f"$byte%02x").mkString
  }
}
