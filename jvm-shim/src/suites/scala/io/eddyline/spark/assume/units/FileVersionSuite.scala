package io.eddyline.spark.assume.units

import java.nio.file.Files
import java.nio.file.attribute.FileTime

import org.apache.hadoop.conf.Configuration
import org.scalatest.funsuite.AnyFunSuite

class FileVersionSuite extends AnyFunSuite {

  test("a file is as it was listed if one of the times is in whole seconds") {
    val file = Files.createTempFile("part-", ".parquet")
    try {
      Files.setLastModifiedTime(file, FileTime.fromMillis(1700000000123L))
      def isAt(modified: Long, length: Long = 0): Boolean = FileVersion.areUnchanged(
        Seq(FileVersion(s"file:$file", length, modified)), new Configuration())
      assert(isAt(1700000000123L))
      assert(isAt(1700000000000L), "as an object store tells it of a single file")
      assert(!isAt(1700000000124L))
      assert(!isAt(1700000001000L))
      assert(!isAt(1700000000123L, length = 1))
    } finally Files.delete(file)
  }
}
