package io.eddyline.spark.streamingquery.store

import org.apache.hadoop.fs.{AbstractFileSystem, FileSystem}

class AtomicFilesOfHdfsSuite extends AtomicFilesTests with HdfsFolders {
  conf.setClass("fs.hdfs.impl", classOf[SteppedHdfs], classOf[FileSystem])
  conf.setBoolean("fs.hdfs.impl.disable.cache", true)
  conf.setClass(
    SteppedHdfsContext.SETTING, classOf[SteppedHdfsContext], classOf[AbstractFileSystem])
}

class LeaseOfHdfsSuite extends LeaseTests with HdfsFolders

class QueryStoreOfHdfsSuite extends QueryStoreTests with HdfsFolders
