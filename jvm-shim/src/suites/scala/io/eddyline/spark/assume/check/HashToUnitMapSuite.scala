package io.eddyline.spark.assume.check

import scala.collection.mutable
import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

class HashToUnitMapSuite extends AnyFunSuite {

  /** Puts keys into the map and into one of Scala, which must agree after each. */
  private def agrees(puts: Iterable[(Long, Int)]): Unit = {
    val (map, model) = (new HashToUnitMap, mutable.Map.empty[Long, Int])
    puts.foreach { case (hash, unit) =>
      assert(map.put(hash, unit) == model.getOrElse(hash, HashToUnitMap.NONE), s"at $hash")
      model.getOrElseUpdate(hash, unit)
      assert(map.size == model.size)
    }
    assert(map.keys.toSet == model.keySet && map.keys.length == model.size)
  }

  test("a key has the unit in which it was seen first") {
    agrees(Seq(7L -> 1, 7L -> 2, 7L -> 1, 0L -> 0, 0L -> 3, -1L -> 5))
  }

  test("it keeps its keys while it grows") {
    val random = new Random(1)
    agrees(Seq.fill(20000)(random.nextLong() % 9000 -> random.nextInt(50)))
  }

  test("hashes that fall into one slot are told apart") {
    val alike = (0 until 3000).map(i => i.toLong << 32 | i) // of these 32 bits the slot is taken
    agrees(alike.zipWithIndex ++ alike.map(_ -> 1))
  }
}
