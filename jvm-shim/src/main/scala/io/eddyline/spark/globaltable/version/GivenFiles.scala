package io.eddyline.spark.globaltable.version

import java.util.TreeMap

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.catalyst.catalog.CatalogTablePartition
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources._

/**
 * Lets Spark read a given list of files instead of listing folders: its file index takes them for
 * its cache of each folder.
 */
private[globaltable] class GivenFiles(files: Set[SourceFile]) extends FileStatusCache {
  private val byPath = new TreeMap[String, FileStatus]
  files.foreach(file => byPath.put(file.path.toUri.getPath, file.status))

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
    new InMemoryFileIndex(session, roots, relation.options, Some(schema), this, spec, None)
  }

  override def getLeafFiles(folder: Path): Option[Array[FileStatus]] = {
    val path = folder.toUri.getPath
    val below = byPath.subMap(s"$path/", s"${path}0").values // '0' is the character after '/'
    Some((Option(byPath.get(path)).toSeq ++ below.toArray(Array.empty[FileStatus])).toArray)
  }

  override def putLeafFiles(path: Path, leafFiles: Array[FileStatus]): Unit = ()

  override def invalidateAll(): Unit = ()
}
