package io.eddyline.spark.globaltable.refresh

import scala.annotation.tailrec
import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.analysis.{
  SQLFunctionNode, SQLScalarFunction, UnresolvedRelation
}
import org.apache.spark.sql.catalyst.catalog._
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.V2Aggregator
import org.apache.spark.sql.catalyst.expressions.objects.{Invoke, StaticInvoke}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.TreePattern
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.functions.BoundFunction
import org.apache.spark.sql.eddyline.CatalogCaches
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelationWithTable}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.execution.streaming.runtime.MetadataLogFileIndex
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.eddyline.spark.globaltable.catalog._
import io.eddyline.spark.globaltable.topic.{TopicDefinition, TopicRelation}
import io.eddyline.spark.globaltable.version._

/**
 * The source of a global table as the catalog has it now: files, a table with versions, or a query
 * over these.
 *
 * @param relation resolved in the session that refreshes, which reads the sources and no versions
 */
private[globaltable] class Source(val relation: GlobalRelation, context: RefreshContext)
  extends ProbedSource {
  override val options: GlobalTableOptions = relation.options

  /** The plan that reads the source; for a view its query. */
  private val live: LogicalPlan = VersionedTable.restored(
    relation.plan match {
      case view: View => view.child
      case table => table
    }, context.session)

  /** Returns the plan that reads the files and versions which a probe found. */
  def scan(probe: Probe): LogicalPlan = {
    val files = new FixedFiles(probe.files.files)
    val given = live.transformDownWithSubqueries {
      case GlobalRelation(base) if base.id != relation.id =>
        PinnedTable(base.id, probe.tableVersions.get(base.id), base.output)(context.table(base))
      case FileRelation(table, of) if !Source.isLogged(of) =>
        val index = files.index(of, probe.partitions.get(Source.name(table)), context.session)
        Source.uncached(table.copy(relation = of.copy(location = index)(of.sparkSession)))
      case VersionedTable(table) => table.at(table.version)
      case leaf: LeafNode => Source.uncached(leaf)
    }
    // in a second pass: the files of a version are not among those of the probe
    given.transformDownWithSubqueries {
      case pinned: PinnedTable => pinned.scan(context.session)
    }
  }

  override def readsVersions: Boolean = leaves(live).forall {
    case GlobalRelation(base) if base.id != relation.id => true
    case table: DataSourceV2Relation => VersionedTable.versionOf(table).isDefined
    case _ => false
  }

  override def readsFolders: Boolean = leaves(live).exists(_.isInstanceOf[HiveTableRelation])

  /**
   * The source if its catalog can read each version again; None: its rows must be copied. A view or
   * a function may change while the version stays.
   */
  def versioned: Option[VersionedSource] =
    if (options.latestBy.isDefined || changesByItself || functions.nonEmpty ||
      live.exists(_.isInstanceOf[View])) {
      None
    } else {
      Source.rowByRow(live).collect { case VersionedTable(table) =>
        new VersionedSource(live, table)
      }
    }

  /** The topic that the table follows; None: its source is none. */
  def topic: Option[TopicDefinition] = TopicRelation.of(live).map { topic =>
    TopicDefinition(topic.options, topic.schema, options.primaryKey)
  }

  /** The fingerprint of the version of a catalog at which the source is. */
  def fingerprint(versioned: VersionedSource): String =
    Probe.digest(versioned.table.state +: definitions :+ options.primaryKey.toString)

  /** Whether a version of a catalog is the one at which the source is, of the same definition. */
  def isAt(versioned: VersionedSource, version: Version): Boolean =
    versioned.table.version == version.name && fingerprint(versioned) == version.fingerprint

  /** Confirms a version that the source is still at; None: it is at another one. */
  def confirm(version: Version, started: Long): Option[RefreshResult.Confirmed] = {
    val (holds, since) = versioned match {
      case Some(source) => isAt(source, version) -> Some(started)
      case None =>
        val found = probe()
        fingerprint(found).contains(version.fingerprint) -> found.since
    }
    Option.when(holds)(RefreshResult.Confirmed(version, since))
  }

  override def probe(): Probe = {
    val started = System.currentTimeMillis
    val tables = leaves(live).collect {
      case GlobalRelation(base) if base.id != relation.id =>
        val table = context.table(base)
        val (version, since) = table.confirmed(options.maxStaleness)
        (base.id -> version, Option.when(table.options.refresh.isDefined)(since))
    }
    relist(Probe(started, FileListing(), Map.empty, tables.map(_._1).toMap, tables.flatMap(_._2)))
  }

  override def relist(probe: Probe): Probe = {
    val found = leaves(live)
    val partitions = found.flatMap(partitioned).toMap
    val logs = found.collect {
      case FileRelation(_, of) if Source.isLogged(of) =>
        of.location.rootPaths.head -> Source.logged(of)
    }
    val roots = found.flatMap(this.roots(_, partitions))
    probe.copy(
      files = FileListing(FileListing.of(roots, context.hadoopConf).folders ++ logs),
      partitions = partitions)
  }

  override def fingerprint(probe: Probe): Option[String] = Option.when(isConclusive) {
    val files = probe.files.files.toSeq.map(file =>
      s"${file.path}|${file.length}|${file.modified}").sorted
    val partitions =
      probe.partitionLocations.toSeq.sortBy(_._1).flatMap { case (table, found) => table +: found }
    Probe.digest(files ++ partitions ++ leaves(live).map {
      case GlobalRelation(base) if base.id != relation.id =>
        val version = probe.tableVersions(base.id)
        s"${version.name} ${version.fingerprint}"
      case table: DataSourceV2Relation => table.name + VersionedTable.stateOf(table).mkString
      case FileRelation(_, of) =>
        s"${of.fileFormat.getClass.getName} ${of.options.toSeq.sorted} ${of.schema.catalogString}"
      case hive: HiveTableRelation =>
        val storage = hive.tableMeta.storage
        val options = storage.properties.toSeq.sorted
        s"${storage.serde} $options ${hive.tableMeta.schema.catalogString}"
      case _ => ""
    } ++ definitions ++ Seq(options.primaryKey.toString, options.latestBy.toString))
  }

  private def isConclusive: Boolean = !changesByItself && leaves(live).forall {
    case GlobalRelation(base) if base.id != relation.id => true
    case FileRelation(_, _) | _: HiveTableRelation => true
    case table: DataSourceV2Relation => VersionedTable.versionOf(table).isDefined
    case _: LocalRelation | _: OneRowRelation | _: Range => true
    case _ => false
  }

  private def partitioned(leaf: LogicalPlan): Option[(String, Seq[CatalogTablePartition])] =
    Source.table(leaf).filter(_.partitionColumnNames.nonEmpty).map(table =>
      Source.name(leaf) -> context.session.sharedState.externalCatalog
        .listPartitions(table.database, table.identifier.table))

  /**
   * The folders to list for a leaf, with those of its catalog partitions, wherever they are; each
   * with what the leaf leaves out of it.
   */
  private def roots(
      leaf: LogicalPlan,
      partitions: Map[String, Seq[CatalogTablePartition]]): Seq[(Path, HiddenNames)] = {
    val own = leaf match {
      case GlobalRelation(base) if base.id != relation.id => Nil
      case FileRelation(_, of) if !Source.isLogged(of) => of.location.rootPaths
      case hive: HiveTableRelation => hive.tableMeta.storage.locationUri.map(new Path(_)).toSeq
      case _ => Nil
    }
    def isWithin(place: Path) = own.exists(root =>
      FixedFiles.haveOneFileSystem(place, root) &&
        FixedFiles.prefixOf(place).startsWith(FixedFiles.prefixOf(root)))
    val hidden = leaf match {
      case FileRelation(_, of) => HiddenNames.of(of.options, context.session)
      case _ => HiddenNames.default
    }
    val others = partitions.getOrElse(Source.name(leaf), Nil)
      .flatMap(_.storage.locationUri).map(new Path(_)).filterNot(isWithin)
    (own ++ others).map(_ -> hidden)
  }

  /** The settings, and the views and functions that the source uses: all of them can change. */
  private def definitions: Seq[String] = {
    val views = relation.plan.collectWithSubqueries { case view: View => view.desc.viewText }
    (relation.settings.toSeq.sorted.mkString +: views.map(_.mkString)) ++ functions
  }

  private lazy val functions: Seq[String] =
    CalledFunctions.definitions(relation.plan, context.session)

  /** Whether two runs over the same rows may differ. */
  private def changesByItself: Boolean =
    live.containsPattern(TreePattern.CURRENT_LIKE) || isRandom(live)

  private def isRandom(plan: LogicalPlan): Boolean = plan.exists(node =>
    node.expressions.exists(!_.deterministic) || node.subqueries.exists(isRandom))

  /** The leaf plans, also of subqueries; another global table counts as a leaf. */
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
   * Returns the source of a table; None if the catalog no longer has this incarnation of it.
   *
   * What the session has cached of its catalog is dropped, so it must not serve anything else.
   */
  def of(id: TableId, context: RefreshContext): Option[Source] =
    CatalogEntry.find(id.name, context.session).filter(_.id == id).flatMap { entry =>
      CatalogCaches.drop(context.session)
      relation(entry, context.session).map(new Source(_, context))
    }

  /** Resolves the table's name; None if it is not a global table. */
  def relation(entry: CatalogEntry, session: SparkSession): Option[GlobalRelation] =
    bare(session.sessionState.executePlan(UnresolvedRelation(entry.id.name)).analyzed)

  /** Finds the relation below its alias and the projection in which Spark pads CHAR columns. */
  private def bare(plan: LogicalPlan): Option[GlobalRelation] = plan match {
    case GlobalRelation(relation) => Some(relation)
    case SubqueryAlias(_, child) => bare(child)
    case Project(_, child) => bare(child)
    case _ => None
  }

  /**
   * Returns an equivalent plan that does not match one of CACHE TABLE, because the rows that Spark
   * has cached may be older than the source.
   */
  private def uncached(leaf: LeafNode): LogicalPlan = leaf match {
    case table @ LogicalRelationWithTable(files: HadoopFsRelation, _) =>
      table.copy(relation = files.copy(options = files.options + UNCACHED)(files.sparkSession))
    case hive: HiveTableRelation =>
      hive.copy(tableMeta = hive.tableMeta.copy(properties = hive.tableMeta.properties + UNCACHED))
    case table: DataSourceV2Relation =>
      val options = table.options.asCaseSensitiveMap.asScala.toMap + UNCACHED
      table.copy(options = new CaseInsensitiveStringMap(options.asJava))
    case other => other
  }

  private def table(leaf: LogicalPlan): Option[CatalogTable] = leaf match {
    case FileRelation(relation, _) => relation.catalogTable
    case hive: HiveTableRelation => Some(hive.tableMeta)
    case _ => None
  }

  private def name(leaf: LogicalPlan): String = table(leaf).fold("")(_.identifier.unquotedString)

  /** Whether a streaming query writes the files, so that only its log tells which are valid. */
  private def isLogged(relation: HadoopFsRelation): Boolean =
    relation.location.isInstanceOf[MetadataLogFileIndex]

  /** The leaf of a plan in which each row of it gives one row or none; None for other plans. */
  @tailrec private def rowByRow(plan: LogicalPlan): Option[LeafNode] = plan match {
    case leaf: LeafNode => Some(leaf)
    case _: Project | _: Filter | _: SubqueryAlias | _: View if plan.subqueries.isEmpty =>
      rowByRow(plan.children.head)
    case _ => None
  }

  private def logged(relation: HadoopFsRelation): FolderListing = {
    val index = relation.location.asInstanceOf[MetadataLogFileIndex]
    val files = index.allFiles().map(SourceFile(_)).toSet
    FolderListing(files, successTime = Some(files.map(_.modified).maxOption.getOrElse(0L)))
  }
}

/** The functions of catalogs that a source calls, which others can replace. */
private[refresh] object CalledFunctions {

  /**
   * Returns the definition of each function that an analyzed plan calls, also inside of another
   * function: its text, or its name and class.
   */
  def definitions(plan: LogicalPlan, session: SparkSession): Seq[String] = {
    val classes = CatalogCaches.functionClasses(session.sessionState.functionRegistry)
    plan.collectWithSubqueries { case node => node }.flatMap { node =>
      val ofRows = Option(node).collect { case SQLFunctionNode(function, _) => textOf(function) }
      ofRows ++ node.expressions.flatMap(_.collect {
        case SQLScalarFunction(function, _, _) => textOf(function)
        case OfCatalog(function) => s"${function.name} ${function.getClass.getName}"
        case function: UserDefinedExpression =>
          s"${function.name} ${classes(function.name).mkString}"
      })
    }
  }

  private def textOf(function: SQLFunction): String = Seq(
    function.name.unquotedString,
    function.inputParam.fold("")(_.json),
    function.returnType.fold(_.json, _.json),
    function.exprText.orElse(function.queryText).mkString,
    function.properties.toSeq.sorted.mkString).mkString(" ")

  /** Matches a call of a function whose catalog is a plugin. */
  private object OfCatalog {
    def unapply(call: Expression): Option[BoundFunction] = call match {
      case ApplyFunctionExpression(function, _) => Some(function)
      case aggregate: V2Aggregator[_, _] => Some(aggregate.aggrFunc)
      case invoke: StaticInvoke => invoke.scalarFunction
      case invoke: Invoke => Some(invoke.targetObject).collect {
          case Literal(function: BoundFunction, _) => function
        }
      case _ => None
    }
  }
}
