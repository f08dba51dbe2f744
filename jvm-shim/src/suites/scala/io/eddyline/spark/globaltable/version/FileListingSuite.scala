package io.eddyline.spark.globaltable.version

import java.io.FileNotFoundException
import java.nio.file.{Files, Path => LocalPath}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

class FileListingSuite extends AnyFunSuite {

  private def listed(names: String*): FolderListing = {
    val root = Files.createTempDirectory("listing")
    names.foreach { name =>
      val path = root.resolve(name)
      Files.createDirectories(path.getParent)
      Files.writeString(path, name)
    }
    list(root).folders.values.head
  }

  private def list(root: LocalPath): FileListing =
    FileListing.of(Seq(new Path(root.toUri) -> HiddenNames.default), new Configuration(false))

  private def names(folder: FolderListing): Set[String] = folder.files.map(_.path.getName)

  test("data files are those whose names and folders are not hidden") {
    val found = listed("a", "p=1/b", "_region=eu/c", "_d", ".e", "_f/g", "h._COPYING_", "_SUCCESS")
    assert(names(found) === Set("a", "b", "c"))
    assert(found.parents.map(_.getName).size === 3)
    assert(found.successTime.nonEmpty && !found.isWritten)
  }

  test("a job that writes is seen wherever its temporary files are") {
    for (staging <- Seq("_temporary/0/x", "p=1/_temporary/0/x", ".spark-staging-1/x",
        ".hive-staging_hive/x")) {
      val found = listed("a", staging)
      assert(found.isWritten && names(found) === Set("a"), staging)
    }
    assert(!listed("_temporary_region=eu/a").isWritten, "it is a partition")
  }

  test("Spark's jobs name their files") {
    val found = listed("part-00000-0a1b2c3d-0000-0000-0000-000000000000-c000.snappy.parquet", "a")
    assert(found.files.groupBy(_.isOfSpark).transform((_, files) => files.size) ===
      Map(true -> 1, false -> 1))
  }

  test("a folder that does not exist is an error") {
    assertThrows[FileNotFoundException](list(LocalPath.of("/none/at/all")))
  }
}
