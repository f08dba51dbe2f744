package io.eddyline.spark.globaltable.version

import org.apache.hadoop.fs.{FileStatus, Path}
import org.scalatest.funsuite.AnyFunSuite

class FixedFilesSuite extends AnyFunSuite {
  private def file(path: String) =
    SourceFile(new FileStatus(1, false, 1, 1, 1, new Path(path)))

  private def found(
      files: FixedFiles,
      folder: String,
      hidden: HiddenNames = HiddenNames.default): Seq[String] =
    files.of(new Path(folder), hidden).map(_.getPath.toString).sorted

  test("a folder has the files of its own file system, whatever others have at that path") {
    val paths = Seq(
      "hdfs://a/d/x", "hdfs://a/d/p=1/y", "hdfs://a/dd/z", "hdfs://b/d/x", "s3a://a/d/x")
    val files = new FixedFiles(paths.map(file).toSet)
    assert(found(files, "hdfs://a/d") === Seq("hdfs://a/d/p=1/y", "hdfs://a/d/x"))
    assert(found(files, "hdfs://b/d") === Seq("hdfs://b/d/x"))
    assert(found(files, "hdfs://b/d/x") === Seq("hdfs://b/d/x"), "a file is its own leaf")
    assert(found(files, "s3a://a/d") === Seq("s3a://a/d/x"))
    assert(found(files, "hdfs://c/d") === Nil)
  }

  test("the root of a file system has all its files") {
    val files = new FixedFiles(Set("s3a://a/x", "s3a://a/d/y", "s3a://b/z").map(file))
    for (root <- Seq("s3a://a", "s3a://a/")) {
      assert(found(files, root) === Seq("s3a://a/d/y", "s3a://a/x"), root)
    }
  }

  test("a reader gets no file of another reader of the folder that leaves out other names") {
    val files = new FixedFiles(Set("s3a://a/d/x", "s3a://a/d/_y", "s3a://a/d/_e/z").map(file))
    assert(found(files, "s3a://a/d") === Seq("s3a://a/d/x"))
    assert(found(files, "s3a://a/d", HiddenNames("y")) === Seq("s3a://a/d/_e/z", "s3a://a/d/x"))
  }
}
