package io.eddyline.spark.streamingquery.store

import java.nio.file.Files
import java.util.UUID

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileUtil, Path}
import org.apache.hadoop.hdfs.MiniDFSCluster

/** Gives each test a folder of HDFS, which is removed after it. */
trait HdfsFolders extends Folders {
  override protected def withFolder(body: Path => Unit): Unit = {
    val parent = new Path(Hdfs.root, UUID.randomUUID.toString)
    try body(new Path(parent, "folder"))
    finally parent.getFileSystem(new Configuration).delete(parent, true): Unit
  }
}

/** A name node and a data node, which run in this JVM until it ends. */
private object Hdfs {
  lazy val root: Path = {
    val folder = Files.createTempDirectory("eddyline-hdfs").toFile
    val cluster = new MiniDFSCluster.Builder(new Configuration, folder).build()
    sys.addShutdownHook(FileUtil.fullyDelete(folder): Unit)
    new Path(cluster.getURI)
  }
}
