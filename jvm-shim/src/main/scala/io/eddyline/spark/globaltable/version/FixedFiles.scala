package io.eddyline.spark.globaltable.version

import java.net.URI
import java.util.TreeMap

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.catalyst.catalog.CatalogTablePartition
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources._
import org.apache.spark.sql.types.StructType

/** A fixed set of files, which Spark reads instead of listing folders. */
private[globaltable] class FixedFiles(files: Set[SourceFile]) {
  import FixedFiles._

  /** The files by path, and then by URI, since two file systems may have equal paths. */
  private val byPath = new TreeMap[String, FileStatus]
  files.foreach(file => byPath.put(s"${file.path.toUri.getPath}\u0000${file.path}", file.status))

  /**
   * Returns a file index over the files.
   *
   * @param partitions the table's partitions in the catalog; None if it has none there
   */
  def index(
      relation: HadoopFsRelation,
      partitions: Option[Seq[CatalogTablePartition]],
      session: SparkSession): FileIndex = {
    val schema = relation.partitionSchema
    // Spark's other indexes take the partitions from the paths of the files
    val spec = partitions.filter(_ => relation.location.isInstanceOf[CatalogFileIndex]).map { all =>
      val (conf, zone) =
        (session.sessionState.newHadoopConf(), session.sessionState.conf.sessionLocalTimeZone)
      PartitionSpec(schema,
        all.map { partition =>
          val path = new Path(partition.location)
          PartitionPath(partition.toRow(schema, zone), path.getFileSystem(conf).makeQualified(path))
        })
    }
    val roots = spec.fold(relation.location.rootPaths)(_.partitions.map(_.path))
    val hidden = HiddenNames.of(relation.options, session)
    new Index(this, hidden, session, roots, relation.options, schema, spec)
  }

  /** Returns the files below a folder that are not hidden, or the file if `folder` is a file. */
  def of(folder: Path, hidden: HiddenNames): Seq[FileStatus] = {
    val (path, prefix) = (folder.toUri.getPath, prefixOf(folder))
    val itself = byPath.subMap(s"$path\u0000", s"$path\u0001")
    val below = byPath.subMap(prefix, s"${prefix.init}0") // '0' is the character after '/'
    def isHidden(file: FileStatus) =
      file.getPath.toUri.getPath.drop(prefix.length).split('/').exists(hidden(_))
    (itself.values.asScala ++ below.values.asScala.filterNot(isHidden)).toSeq
      .filter(file => haveOneFileSystem(file.getPath, folder))
  }
}

private[globaltable] object FixedFiles {

  /** Whether the schemes and authorities of two paths are equal, as far as both paths have them. */
  def haveOneFileSystem(one: Path, other: Path): Boolean = {
    def equal(of: URI => String) =
      Seq(one, other).map(path => of(path.toUri)).filter(_ != null).distinct.size < 2
    equal(_.getScheme) && equal(_.getAuthority)
  }

  /** Returns what the paths below a folder begin with; the path `/` ends with a slash already. */
  def prefixOf(folder: Path): String = s"${folder.toUri.getPath.stripSuffix("/")}/"

  /** Spark's own index over the given files; its constructor calls `listLeafFiles` already. */
  private class Index(
      given: FixedFiles,
      hidden: HiddenNames,
      session: SparkSession,
      roots: Seq[Path],
      options: Map[String, String],
      schema: StructType,
      spec: Option[PartitionSpec])
    extends InMemoryFileIndex(session, roots, options, Some(schema), NoopCache, spec, None) {

    override def listLeafFiles(folders: Seq[Path]): mutable.LinkedHashSet[FileStatus] =
      mutable.LinkedHashSet.from(folders.flatMap(given.of(_, hidden)))
  }
}

/**
 * Matches a relation whose data are the files in its folders. If an extension such as Delta lists
 * the files, by a log of its own, a folder has files that are no longer, or not yet, data.
 */
private[globaltable] object FileRelation {

  def unapply(leaf: LogicalPlan): Option[(LogicalRelation, HadoopFsRelation)] = leaf match {
    case relation @ LogicalRelationWithTable(files: HadoopFsRelation, _)
        if !isListedByExtension(files) => Some(relation -> files)
    case _ => None
  }

  def isListedByExtension(files: HadoopFsRelation): Boolean = files.location match {
    case _: PartitioningAwareFileIndex | _: CatalogFileIndex => false
    case _ => true
  }
}
