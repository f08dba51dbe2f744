package io.eddyline.spark.globaltable.version

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.{DataFrameReader, SparkSession}
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, InMemoryFileIndex}
import org.apache.spark.sql.execution.datasources.LogicalRelation
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.types.{StructField, StructType}

/** Reads a snapshot with the attributes that a query already has for the table. */
private[globaltable] object SnapshotRelation {

  /** Returns the plan that reads a version; None if its snapshot, or its base's, was removed. */
  def of(
      snapshots: Snapshots,
      version: Version,
      primaryKey: Seq[String],
      output: Seq[AttributeReference],
      session: SparkSession): Option[LogicalPlan] = {
    snapshots.listed(version) { folder =>
      version.base match {
        case None => Some(apply(folder, output, session))
        case Some(name) => snapshots.findBase(name).map { base =>
            ChangedRelation(apply(snapshots.path(base), output, session), primaryKey)(
              apply(folder, _, session))
          }
      }
    }.flatten
  }

  /** Returns a reader of the files of snapshots and drafts. */
  def reader(session: SparkSession): DataFrameReader =
    session.read.options(HiddenNames.ownOptions)

  def apply(
      folder: Path,
      output: Seq[AttributeReference],
      session: SparkSession): LogicalRelation = {
    val schema = StructType(output.map(column =>
        StructField(column.name, column.dataType, nullable = true, column.metadata)))
    val files = new InMemoryFileIndex(
      session, Seq(folder), HiddenNames.ownOptions, Some(schema))
    val relation = HadoopFsRelation(
      files, new StructType, schema, None, new ParquetFileFormat, Map.empty)(session)
    LogicalRelation(relation, output, None, isStreaming = false, None)
  }
}
