package io.eddyline.spark.globaltable

import scala.collection.mutable

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import io.eddyline.spark.globaltable.version.{CommittedFiles, FileListing, HiddenNames}

/** Probes of a folder, each named by a number, and the judgements about them. */
class Probes(folder: String) {
  private val found = mutable.Buffer.empty[FileListing]

  def probe(): Int = {
    found += FileListing.of(Seq(new Path(folder) -> HiddenNames.default), new Configuration)
    found.size - 1
  }

  /**
   * Returns whether the files of the first probe are a consistent state; they were copied after it,
   * and the second one is the last before the copies are read.
   *
   * @param before the probe of the version in use
   */
  def isState(before: Int, first: Int, second: Int): Boolean = {
    val trust = CommittedFiles.Trust(later = true, patient = true, kept = _ => true)
    val files = CommittedFiles.of(found(first), found(second), Some(found(before)), 1, trust)
    files.areState && files.files == found(first).files
  }
}
