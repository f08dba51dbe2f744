package io.eddyline.spark.globaltable.refresh

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Files

import scala.collection.immutable.SortedMap
import scala.collection.mutable

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileUtil, Path}
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.spark.sql
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation
import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.StructType
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

import io.eddyline.spark.globaltable.catalog.{GlobalRelation, TableId}
import io.eddyline.spark.globaltable.topic.{TopicClient, TopicDefinition, TopicEnd}
import io.eddyline.spark.globaltable.version._
import io.eddyline.spark.kafka.TopicOffsets

class TopicWatchSuite extends AnyFunSuite with BeforeAndAfterAll {
  private lazy val spark = sql.SparkSession.builder().master("local[1]")
    .config("spark.ui.enabled", "false").getOrCreate().asInstanceOf[SparkSession]

  override protected def afterAll(): Unit = {
    spark.stop()
    sql.SparkSession.clearActiveSession()
  }

  private object Services extends NoServices {
    override def session: SparkSession = spark
    override private[globaltable] def session(id: TableId): SparkSession = spark
  }

  private val id = TableId(Seq("spark_catalog", "default", "t"), "")
  private val columns = StructType.fromDDL("id STRING, name STRING")
  private val definition = TopicDefinition(
    Map("subscribe" -> "t", "kafka.bootstrap.servers" -> "none:1"), columns, Seq("id"))

  /** A topic of one partition. */
  private class Topic {
    private val records = mutable.Buffer.empty[InternalRow]

    def add(key: String): Unit = {
      val at = records.length.toLong
      val value = "{\"name\":\"x\"}"
      records += InternalRow(
        key.getBytes(UTF_8), value.getBytes(UTF_8), 0, at, at)
    }

    def end: TopicEnd = TopicEnd(Some("a"), TopicOffsets(SortedMap(0 -> records.length.toLong)))

    def between(from: Long, until: Long): Seq[InternalRow] =
      records.slice(from.toInt, until.toInt).toSeq
  }

  /** A driver, and what happens while it reads the whole topic. */
  private class Driver(topic: Topic, root: Path)(meanwhile: => Unit) {
    val snapshots = new Snapshots(root, new FsPermission("700"), new Configuration)

    private val client = new TopicClient("t") {
      override def endOf(of: TopicDefinition, session: SparkSession): TopicEnd = topic.end

      override def idOf(of: TopicDefinition, session: SparkSession): Option[String] =
        topic.end.topicId

      override def read(
          of: TopicDefinition, session: SparkSession, from: TopicOffsets, end: TopicOffsets)(
          onRecord: InternalRow => Unit): TopicOffsets = {
        if (from.next.isEmpty) meanwhile
        topic.between(from.next.getOrElse(0, 0L), end.next(0)).foreach(onRecord)
        end
      }
    }
    private val watch = new TopicWatch(id, snapshots, Services, client)
    private val source =
      new Source(GlobalRelation(id, Map.empty, LocalRelation(toAttributes(columns))), Services)

    def advance(last: Option[Version]): Version =
      watch.advance(source, definition, last) match {
        case RefreshResult.Confirmed(version, _) => version
        case other => fail(other.toString)
      }
  }

  test("what another driver has published as changes is no base of the next version") {
    val folder = Files.createTempDirectory("topic").toFile
    try {
      val root = new Path(folder.toURI)
      val topic = new Topic
      topic.add("1")
      val other = new Driver(topic, root)(())
      val first = other.advance(None)
      topic.add("2")
      val own = new Driver(topic, root)(other.advance(Some(first)): Unit)
      val second = own.advance(None)
      assert(second.base.contains(first.name), "the other driver was first")
      topic.add("3")
      val third = own.advance(Some(second))
      assert(own.snapshots.baseOf(third).name === first.name && third.rows.contains(3L))
    } finally FileUtil.fullyDelete(folder): Unit
  }
}
