package io.eddyline.spark.globaltable.version

import org.apache.hadoop.fs.Path
import org.apache.hadoop.mapreduce.{Job, TaskAttemptID}
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes
import org.apache.spark.sql.classic.{DataFrameReader, SparkSession}
import org.apache.spark.sql.eddyline.{DriverTask, SessionInternals}
import org.apache.spark.sql.execution.datasources._
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
  def reader(session: SparkSession): DataFrameReader = session.read.options(HiddenNames.ownOptions)

  def apply(
      folder: Path, output: Seq[AttributeReference], session: SparkSession): LogicalRelation = {
    val schema = StructType(output.map(column =>
        StructField(column.name, column.dataType, nullable = true, column.metadata)))
    val files = new InMemoryFileIndex(session, Seq(folder), HiddenNames.ownOptions, Some(schema))
    val relation = HadoopFsRelation(
      files, new StructType, schema, None, new ParquetFileFormat, Map.empty)(session)
    LogicalRelation(relation, output, None, isStreaming = false, None)
  }
}

/** Writes and reads rows of the driver as Parquet files, without a job. */
private[globaltable] object DriverFile {
  private val NAME = "part-00000"

  def write(rows: Iterator[InternalRow], schema: StructType, folder: Path, session: SparkSession)
      : Unit = {
    val job = Job.getInstance(session.sessionState.newHadoopConf())
    val factory = new ParquetFileFormat().prepareWrite(session, job, Map.empty, schema)
    val context = new TaskAttemptContextImpl(job.getConfiguration, new TaskAttemptID)
    val file = new Path(folder, s"$NAME${factory.getFileExtension(context)}")
    val writer = factory.newInstance(file.toString, schema, context)
    try rows.foreach(writer.write)
    finally writer.close()
  }

  /** Passes the rows of the files in a folder to `onRow`, which must copy what it keeps. */
  def read(schema: StructType, folder: Path, session: SparkSession)(onRow: InternalRow => Unit)
      : Unit = {
    val relation = SnapshotRelation(folder, toAttributes(schema), session)
    DriverTask.compute(SessionInternals.frame(session, relation).queryExecution.toRdd)(onRow)
  }
}
