package io.eddyline.spark.emit.keyed

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.{DataType, LongType, StringType}
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

class RowHashSuite extends AnyFunSuite {
  private val hash = new RowHash

  private def row(text: String, number: Long): UnsafeRow =
    UnsafeProjection.create(Array[DataType](StringType, LongType))
      .apply(InternalRow(UTF8String.fromString(text), number))

  test("equal rows have equal hashes, whatever was hashed before") {
    val before = hash(row("a", 1)).copy()
    hash(row("b", 2))
    assert(hash(row("a", 1)) == before)
    assert(new RowHash().apply(row("a", 1)) == before)
  }

  test("rows that differ in one bit have other hashes") {
    val rows = for (text <- Seq("", "a", "b", "ab"); number <- Seq(0L, 1L, 1L << 63))
      yield hash(row(text, number)).copy()
    assert(rows.distinct.size == rows.size)
  }

  test("both halves of a hash depend on the row") {
    val (one, other) = (hash(row("a", 1)).copy(), hash(row("a", 2)))
    assert(one.getLong(0) != other.getLong(0) && one.getLong(1) != other.getLong(1))
    assert(other.numFields == RowHash.attributes.size)
  }
}
