package io.eddyline.spark.globaltable.version

import org.apache.hadoop.fs.Path
import org.apache.hadoop.mapreduce.{Job, TaskAttemptID}
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.eddyline.{DriverTask, SessionInternals}
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.types.StructType

/** Writes and reads rows of the driver as Parquet files, without a job. */
private[globaltable] object DriverFile {
  private val NAME = "part-00000"

  def write(
      rows: Iterator[InternalRow], schema: StructType, folder: Path, session: SparkSession)
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
