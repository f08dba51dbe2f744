package org.apache.spark.sql.execution.joins.eddyline

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, UnsafeProjection}
import org.apache.spark.sql.execution.joins.{HashedRelation, HashedRelationBroadcastMode}
import org.apache.spark.sql.types.{BinaryType, DataType, LongType}
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

class JoinRelationsSuite extends AnyFunSuite with BeforeAndAfterAll {

  /** Its settings are those of the memory of a relation. */
  private lazy val session = SparkSession.builder().master("local[1]")
    .config("spark.ui.enabled", "false").getOrCreate()

  private val number = BoundReference(0, LongType, nullable = false)

  override protected def beforeAll(): Unit = session

  override protected def afterAll(): Unit = {
    session.stop()
    SparkSession.clearActiveSession()
  }

  /** Returns rows of a number and 1 MB, without end. */
  private def rows: Iterator[InternalRow] = {
    val row = UnsafeProjection.create(Array[DataType](LongType, BinaryType))
    val bytes = new Array[Byte](1000000)
    Iterator.from(0).map(i => row(InternalRow(i.toLong, bytes)))
  }

  for ((name, key) <- Seq("an integer" -> Seq(number), "several columns" -> Seq(number, number))) {
    val mode = HashedRelationBroadcastMode(key)

    test(s"a relation by $name that is larger than the heap is refused, and its memory is free") {
      for (_ <- 1 to 2) {
        intercept[RelationTooLarge](JoinRelations.build(mode, rows, count = 1000))
      }
    }

    test(s"a relation by $name finds its rows") {
      val relation = JoinRelations.build(mode, rows.take(5), count = 5)
        .asInstanceOf[HashedRelation].asReadOnlyCopy()
      val keyOf = UnsafeProjection.create(key)
      val found = rows.take(9).map(row => Option(relation.getValue(keyOf(row))).map(_.getLong(0)))
      assert(found.toSeq == (0L to 4L).map(Some(_)) ++ Seq.fill(4)(None) && relation.keyIsUnique)
      relation.close()
    }
  }
}
