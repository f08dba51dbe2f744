package io.eddyline.spark.globaltable

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest

import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.catalog.{CatalogTable, CatalogTablePartition}
import org.apache.spark.sql.catalyst.catalog.HiveTableRelation
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.TreePattern
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * What a source looks like at one moment.
 *
 * @param seen a digest of all that shows without reading it
 * @param tells whether equal digests mean equal rows; else only reading all of it can tell
 * @param gates how many of its folders have a `_SUCCESS`
 * @param committed whether all of it tells when a write is complete
 * @param writing whether a write is not complete
 */
private[globaltable] case class Probe(
    seen: String,
    tells: Boolean = true,
    gates: Int = 0,
    committed: Boolean = true,
    writing: Boolean = false) {

  /** Equal if nothing has changed. */
  def fingerprint: Option[String] = Option.when(tells)(seen)
}

/**
 * The source of a global table as the catalog has it now: files, a table that counts its versions,
 * or a query over such.
 *
 * @param relation from the session that refreshes, which sees sources as they are
 */
private[globaltable] class Source(val relation: GlobalRelation, globals: GlobalTables) {
  val options: GlobalTableOptions = relation.options

  /** What is read: of a view, its query. */
  private val live: LogicalPlan = relation.plan match {
    case view: View => view.child
    case table => table
  }

  /** Without GlobalTable nodes: a query over global tables reads their current versions. */
  def content: LogicalPlan = live.transformDownWithSubqueries {
    case GlobalRelation(base) if base.id != relation.id => pinned(base).relation(globals.session)
    case leaf: LeafNode => Source.uncached(leaf)
  }

  /** The catalog's own version, if every version can be read again as it was. */
  def versioned: Option[DataSourceV2Relation] = live match {
    case table: DataSourceV2Relation if table.table.version != null && options.latestBy.isEmpty =>
      Some(table)
    case _ => None
  }

  /** Whether it has not moved on since a version. */
  def holds(version: Version): Boolean = versioned match {
    case Some(table) => table.table.version == version.name
    case None => probe().fingerprint.contains(version.fingerprint)
  }

  /** Looks at the source, which is cheap: files are listed, none is read. */
  def probe(): Probe = {
    val parts = leaves(live).map(look)
    val known = parts.map(_.seen) ++
      Seq(options.primaryKey.toString, options.latestBy.toString, definition)
    Probe(
      Source.digest(known),
      !changesByItself && parts.forall(_.tells),
      parts.map(_.gates).sum,
      parts.forall(_.committed),
      parts.exists(_.writing))
  }

  /** Where its files lie. */
  def folders: Seq[Path] = leaves(live).flatMap {
    case GlobalRelation(base) if base.id != relation.id => Seq(globals.table(base).snapshots.root)
    case LogicalRelation(files: HadoopFsRelation, _, table, _, _) =>
      files.location.rootPaths ++ partitions(table).flatMap(_.storage.locationUri).map(new Path(_))
    case hive: HiveTableRelation =>
      (hive.tableMeta.storage +: partitions(Some(hive.tableMeta)).map(_.storage))
        .flatMap(_.locationUri).map(new Path(_))
    case _ => Nil
  }

  private def partitions(table: Option[CatalogTable]): Seq[CatalogTablePartition] =
    table.toSeq.filter(_.partitionColumnNames.nonEmpty).flatMap(table =>
      globals.session.sharedState.externalCatalog
        .listPartitions(table.database, table.identifier.table))

  private def look(leaf: LogicalPlan): Probe = leaf match {
    case GlobalRelation(base) if base.id != relation.id =>
      Probe(pinned(base).version.fold("")(_.name))
    case LogicalRelation(files: HadoopFsRelation, _, table, _, _) =>
      look(files.location.rootPaths, table)
    case hive: HiveTableRelation =>
      look(hive.tableMeta.storage.locationUri.map(new Path(_)).toSeq, Some(hive.tableMeta))
    case table: DataSourceV2Relation if table.table.version != null =>
      Probe(table.name + table.table.version)
    case _: LocalRelation | _: OneRowRelation | _: Range => Probe("")
    case _ => Probe("", tells = false)
  }

  /** Of a table with partitions those that the catalog knows count, wherever they lie. */
  private def look(roots: Seq[Path], table: Option[CatalogTable]): Probe = {
    val partitions = this.partitions(table)
    val places = partitions.flatMap(_.storage.locationUri).map(new Path(_))
    def isWithin(place: Path) = roots.exists(root =>
      s"${place.toUri.getPath}/".startsWith(s"${root.toUri.getPath}/"))
    val listing = FileListing.of(roots ++ places.filterNot(isWithin), globals.hadoopConf)
    val known = partitions.map(part => s"${part.spec}${part.storage.locationUri.mkString}").sorted
    Probe(
      Source.digest(listing.fingerprint.toHexString +: known),
      gates = listing.gates, committed = listing.committed, writing = listing.writing)
  }

  private def definition: String = relation.plan match {
    case view: View => view.desc.viewText.mkString + relation.settings.toSeq.sorted
    case _ => relation.settings.toSeq.sorted.mkString
  }

  private def pinned(base: GlobalRelation): PinnedTable = {
    val table = globals.table(base)
    PinnedTable(base.id, Some(table.version()), base.output)(table)
  }

  /** Whether two runs over the same rows may differ. */
  private def changesByItself: Boolean =
    live.containsPattern(TreePattern.CURRENT_LIKE) || isRandom(live)

  private def isRandom(plan: LogicalPlan): Boolean = plan.exists(node =>
    node.expressions.exists(!_.deterministic) || node.subqueries.exists(isRandom))

  /** The plans that read something; below a global table nothing is of interest. */
  private def leaves(plan: LogicalPlan): Seq[LogicalPlan] = plan match {
    case GlobalRelation(base) if base.id != relation.id => Seq(plan)
    case other =>
      val inner = other.subqueries.flatMap(leaves)
      if (other.children.isEmpty) other +: inner else other.children.flatMap(leaves) ++ inner
  }
}

private[globaltable] object Source {
  private val UNCACHED = "eddyline.uncached" -> "true"

  /**
   * The source of the table of that identity; None if the catalog has none, or another.
   *
   * The session forgets what it knows of files, and so must serve nothing else.
   */
  def of(id: TableId, globals: GlobalTables): Option[Source] =
    CatalogEntry.find(id.name, globals.session).filter(_.id == id).flatMap { entry =>
      globals.session.sessionState.catalog.invalidateAllCachedTables()
      relation(entry, globals.session).map(new Source(_, globals))
    }

  /** What a query that names the table reads. */
  def relation(entry: CatalogEntry, session: SparkSession): Option[GlobalRelation] =
    bare(session.sessionState.executePlan(UnresolvedRelation(entry.id.name)).analyzed)

  /** Below the name, and the projection in which Spark pads CHAR columns. */
  private def bare(plan: LogicalPlan): Option[GlobalRelation] = plan match {
    case GlobalRelation(relation) => Some(relation)
    case SubqueryAlias(_, child) => bare(child)
    case Project(_, child) => bare(child)
    case _ => None
  }

  /**
   * The same rows, but another plan than the one of CACHE TABLE: what Spark has cached of a source
   * may be older than the source.
   */
  private def uncached(leaf: LeafNode): LogicalPlan = leaf match {
    case table @ LogicalRelation(files: HadoopFsRelation, _, _, _, _) =>
      table.copy(relation = files.copy(options = files.options + UNCACHED)(files.sparkSession))
    case hive: HiveTableRelation =>
      hive.copy(tableMeta =
        hive.tableMeta.copy(properties = hive.tableMeta.properties + UNCACHED))
    case table: DataSourceV2Relation =>
      val options = table.options.asCaseSensitiveMap.asScala.toMap + UNCACHED
      table.copy(options = new CaseInsensitiveStringMap(options.asJava))
    case other => other
  }

  /** As many hexadecimal digits as make an accident unlikely. */
  private def digest(parts: Seq[String]): String = {
    val sha = MessageDigest.getInstance("SHA-256")
    parts.foreach(part => sha.update(s"${part.length}:$part".getBytes(UTF_8)))
    sha.digest().take(8).map(byte => f"$byte%02x").mkString
  }
}
