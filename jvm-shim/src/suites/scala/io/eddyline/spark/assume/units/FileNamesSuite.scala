package io.eddyline.spark.assume.units

import org.scalatest.funsuite.AnyFunSuite

class FileNamesSuite extends AnyFunSuite {

  test("the part number is that of the writing task") {
    assert(PartNumber("s3a://b/t/part-00012-3f2a.c000.snappy.parquet").contains(12))
    assert(PartNumber("part-999999999.parquet").contains(999999999))
  }

  test("a file that Spark did not name has no part number") {
    val others =
      Seq("part-1234567890-a", "part-00001", "xpart-00001-a", "part--1-a", "part-1/a.csv")
    assert(others.filter(PartNumber(_).isDefined) == Nil)
  }

  test("a time in whole seconds is that of a store without milliseconds") {
    def file(modified: Long) = FileVersion("f", 1, modified)
    assert(file(5000).isSame(file(5999)) && file(5999).isSame(file(5000)))
    assert(!file(5001).isSame(file(5999)) && !file(5000).isSame(file(6000)))
    assert(!file(5000).isSame(FileVersion("f", 2, 5000)))
    assert(!file(5000).isSame(FileVersion("g", 1, 5000)))
  }
}
