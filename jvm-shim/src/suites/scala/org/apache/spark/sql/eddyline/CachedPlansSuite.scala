package org.apache.spark.sql.eddyline

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.Range
import org.apache.spark.sql.classic
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

class CachedPlansSuite extends AnyFunSuite with BeforeAndAfterAll {
  private lazy val session = SparkSession.builder().master("local[1]")
    .config("spark.ui.enabled", "false").getOrCreate().asInstanceOf[classic.SparkSession]

  override protected def afterAll(): Unit = {
    session.stop()
    SparkSession.clearActiveSession()
  }

  test("an entry that is removed while it is replaced does not come back") {
    for (isRemoved <- Seq(false, true)) {
      session.sql("CACHE LAZY TABLE numbers AS SELECT id FROM range(5)")
      new CachedPlans(session).replace(_.transform { case numbers: Range =>
        if (isRemoved) session.catalog.uncacheTable("numbers")
        numbers.copy(end = 6)
      })
      assert(session.sharedState.cacheManager.isEmpty === isRemoved)
      session.catalog.clearCache()
      session.catalog.dropTempView("numbers")
    }
  }
}
