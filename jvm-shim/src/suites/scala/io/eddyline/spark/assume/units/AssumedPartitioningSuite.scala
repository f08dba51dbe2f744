package io.eddyline.spark.assume.units

import org.apache.spark.sql.catalyst.expressions.{AttributeReference, ExprId}
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.types.IntegerType
import org.scalatest.funsuite.AnyFunSuite

class AssumedPartitioningSuite extends AnyFunSuite {
  private val Seq(a, b, c) = Seq("a", "b", "c").map(AttributeReference(_, IntegerType)())
  private val byAB = AssumedPartitioning(Seq(a, b), numPartitions = 4, claimId = ExprId(1))

  private def clustered(all: Boolean, columns: AttributeReference*): ClusteredDistribution =
    ClusteredDistribution(columns, requireAllClusterKeys = all)

  test("rows with equal keys and more are in one partition") {
    assert(byAB.satisfies(clustered(all = false, a, b)))
    assert(byAB.satisfies(clustered(all = false, c, b, a)))
    assert(!byAB.satisfies(clustered(all = false, a)))
    assert(!byAB.satisfies(clustered(all = false, c)))
  }

  test("an operator that wants all its keys gets exactly these") {
    assert(byAB.satisfies(clustered(all = true, a, b)))
    assert(!byAB.satisfies(clustered(all = true, a, b, c)))
  }

  test("the function is unknown, so it promises no order and no number of a partition") {
    assert(byAB.satisfies(UnspecifiedDistribution))
    assert(!byAB.satisfies(AllTuples))
    assert(AssumedPartitioning(Seq(a), numPartitions = 1, claimId = ExprId(1)).satisfies(AllTuples))
  }

  test("two claims are never co-partitioned, not even one with itself") {
    val need = clustered(all = false, a, b)
    val spec = byAB.createShuffleSpec(need)
    val hash = HashPartitioning(Seq(a, b), 4).createShuffleSpec(need)
    assert(!spec.isCompatibleWith(spec) && !hash.isCompatibleWith(spec))
    assert(!spec.isCompatibleWith(hash) && !spec.canCreatePartitioning)
  }
}
