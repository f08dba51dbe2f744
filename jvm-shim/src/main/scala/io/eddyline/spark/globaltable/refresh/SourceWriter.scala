package io.eddyline.spark.globaltable.refresh

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.classic.SparkSession

import io.eddyline.spark.globaltable.version.{Snapshots, StagedFiles, Version}

/** Writes the rows that Spark reads from a source. */
private[refresh] class SourceWriter(source: Source, snapshots: Snapshots, session: SparkSession)
  extends CopyWriter {

  override def writeAll(
      probe: Probe,
      staged: Option[StagedFiles],
      draft: Path,
      fingerprint: Option[String]): Version =
    new SnapshotWriter(source, probe, staged, session).write(draft, fingerprint)

  override def writeNew(
      probe: Probe, staged: Option[StagedFiles], draft: Path, last: Version): Option[Version] =
    new GrowthWriter(source, probe, staged, snapshots, session).write(draft, last)
}
