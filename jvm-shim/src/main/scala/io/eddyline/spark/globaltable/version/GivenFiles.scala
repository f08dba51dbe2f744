package io.eddyline.spark.globaltable.version

import java.net.URI
import java.util.TreeMap

import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.catalyst.catalog.CatalogTablePartition
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources._

/**
 * Lets Spark read a given list of files instead of listing folders: its file index takes them for
 * its cache of each folder.
 */
private[globaltable] class GivenFiles(files: Set[SourceFile]) extends FileStatusCache {
  import GivenFiles._

  /** By the path and then the file system, since two file systems may have equal paths. */
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
    val spec = partitions.filter(_ => relation.location.isInstanceOf[CatalogFileIndex]).map { all =>
      val (conf, zone) =
        (session.sessionState.newHadoopConf(), session.sessionState.conf.sessionLocalTimeZone)
      PartitionSpec(schema,
        all.map { partition =>
          val path = new Path(partition.location)
          PartitionPath(
            partition.toRow(schema, zone), path.getFileSystem(conf).makeQualified(path))
        })
    }
    val roots = spec.fold(relation.location.rootPaths)(_.partitions.map(_.path))
    // the files are given, and with another rule Spark would list the folders itself
    val options = relation.options.filterNot(_._1.equalsIgnoreCase(IGNORED)) + (IGNORED -> HIDDEN)
    new InMemoryFileIndex(session, roots, options, Some(schema), this, spec, None)
  }

  override def getLeafFiles(folder: Path): Option[Array[FileStatus]] = {
    val path = folder.toUri.getPath
    val itself = byPath.subMap(s"$path\u0000", s"$path\u0001")
    val below = byPath.subMap(s"$path/", s"${path}0") // '0' is the character after '/'
    Some(Seq(itself, below).flatMap(_.values.asScala)
        .filter(file => haveOneFileSystem(file.getPath, folder)).toArray)
  }

  override def putLeafFiles(path: Path, leafFiles: Array[FileStatus]): Unit = ()

  override def invalidateAll(): Unit = ()
}

private[globaltable] object GivenFiles {

  /** The option of Spark 4.3 for files that a listing leaves out, and its default. */
  private val IGNORED = "ignoredPathSegmentRegex"
  private val HIDDEN = "^[._]"

  /** Whether two paths may be in one file system; one that has no scheme is in the default one. */
  def haveOneFileSystem(one: Path, other: Path): Boolean = {
    def equal(of: URI => String) =
      Seq(one, other).map(path => of(path.toUri)).filter(_ != null).distinct.size < 2
    equal(_.getScheme) && equal(_.getAuthority)
  }
}
