package io.eddyline.spark.globaltable.refresh

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.classic.SparkSession

import io.eddyline.spark.globaltable.version.{Snapshots, StagedFiles, Version}

/** Writes the rows that a refresh takes from a source whose last version is `last`. */
private[refresh] class SourceWriter(
    source: Source, last: Option[Version], snapshots: Snapshots, session: SparkSession) {

  def write(take: Decision.Take, staged: Option[StagedFiles], draft: Path): Version = {
    val fingerprint = source.fingerprint(take.probe)
    val grown = take match {
      case Decision.Grow(probe, files) =>
        new GrowthWriter(source, probe.restrictedTo(files), staged, snapshots, session)
          .write(draft, last.get).map(_.copy(fingerprint = fingerprint.get))
      case Decision.Copy(_) => None
    }
    grown.getOrElse(
      new SnapshotWriter(source, take.probe, staged, session).write(draft, fingerprint))
  }
}
