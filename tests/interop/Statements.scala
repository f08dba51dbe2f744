import scala.collection.mutable.ArrayBuffer

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import org.apache.spark.sql.streaming.Trigger

/** The program of Statements.java in Scala. */
object Statements {

  def main(statements: Array[String]): Unit = {
    val spark = SparkSession.builder().getOrCreate()
    statements.foreach(sql => println(answer(spark, sql)))
    spark.stop()
  }

  private def answer(spark: SparkSession, sql: String): String =
    try {
      val frame = spark.sql(sql)
      val rows = if (frame.isStreaming) streamed(frame) else frame.collect().toSeq
      rows.map(_.json).mkString("[", ",", "]")
    } catch {
      case error: SparkThrowable =>
        val place = error.getQueryContext.head
        val names = Seq(error.getCondition, error.getSqlState, place.fragment).map(s => s"\"$s\"")
        (names :+ place.startIndex).mkString("[", ",", "]")
    }

  private def streamed(frame: DataFrame): Seq[Row] = {
    val rows = ArrayBuffer.empty[Row]
    frame.writeStream
      .trigger(Trigger.AvailableNow())
      .foreachBatch((batch: DataFrame, _: Long) => { rows ++= batch.collect(); () })
      .start()
      .awaitTermination()
    rows.toSeq
  }
}
