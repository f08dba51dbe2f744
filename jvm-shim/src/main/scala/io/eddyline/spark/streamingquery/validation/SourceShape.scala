package io.eddyline.spark.streamingquery.validation

import java.util.Locale

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.execution.streaming.runtime.StreamingRelation

/**
 * A stream that a query reads.
 *
 * @param identity what its offsets in the checkpoint belong to
 * @param name its name for users
 * @param options its other options
 */
private[streamingquery] case class SourceShape private[validation] (
    identity: String, name: String, options: Map[String, String]) {

  /** The last part of the name of a table. */
  def shortName: String = name.split('.').last
}

private[streamingquery] object SourceShape {

  /** A topic of this name on other brokers is another one. */
  private val BROKERS = "kafka.bootstrap.servers"

  /** Options that say what is read. Others say how, and may change. */
  private val IDENTITY =
    Set("path", "subscribe", "subscribepattern", "assign", "topic", "host", "port", BROKERS)

  /** The streams of a plan, in the order in which Spark writes their offsets. */
  def in(plan: LogicalPlan): Seq[SourceShape] =
    plan.collect { case leaf @ (_: StreamingRelation | _: StreamingRelationV2) => leaf }
      .distinct.flatMap(of)

  /** The stream that a leaf of a plan reads. */
  def of(leaf: LogicalPlan): Option[SourceShape] = Some(leaf).collect {
    case relation: StreamingRelation =>
      val source = relation.dataSource
      val table = source.catalogTable
      val options = lowerKeys(source.options)
      val path = table.flatMap(_.storage.locationUri).map(_.toString).orElse(options.get("path"))
      make(relation.sourceName, table.map(NamedTable.nameOf), path, options)
    case relation: StreamingRelationV2 =>
      val options = lowerKeys(relation.extraOptions.asCaseSensitiveMap.asScala.toMap)
      val table = relation.identifier.map { identifier =>
        (relation.catalog.map(_.name).toSeq ++ identifier.namespace :+ identifier.name)
          .map(quoteIfNeeded).mkString(".")
      }
      make(relation.sourceName, table, table, options)
  }

  private def lowerKeys(options: Map[String, String]): Map[String, String] =
    options.map { case (key, value) => key.toLowerCase(Locale.ROOT) -> value }

  private def make(
      kind: String,
      table: Option[String],
      place: Option[String],
      options: Map[String, String]): SourceShape = {
    val (what, how) = options.partition { case (key, _) => IDENTITY(key) }
    val given = (what - "path" - BROKERS).toSeq.sorted.map { case (key, value) => s"$key $value" }
    val identity = (place.toSeq ++ given ++ what.get(BROKERS)).mkString(" ")
    val name = table.getOrElse((kind +: (what.get("path").toSeq ++ given)).mkString(" "))
    SourceShape(if (identity.isEmpty) kind else identity, name, how)
  }

  /** The name of what a leaf of a plan reads, or its text, such as `VALUES (1)`. */
  def name(leaf: LogicalPlan): String =
    NamedTable.unapply(leaf).orElse(Lineage.typed(leaf)).getOrElse(leaf.nodeName)
}
