package io.eddyline.spark.base

import java.util.concurrent.{CountDownLatch, CompletableFuture}

import scala.collection.mutable

import org.apache.spark.{SparkConf, SparkContext}
import org.scalatest.funsuite.AnyFunSuite

class PerApplicationSuite extends AnyFunSuite {

  test("nobody but who asks for a value waits while it is made, and it is made once") {
    val values = new PerApplication[String]
    val context = SparkContext.getOrCreate(
      new SparkConf().setMaster("local[1]").setAppName("values").set("spark.ui.enabled", "false"))
    val (begun, free) = (new CountDownLatch(1), new CountDownLatch(1))
    val first = CompletableFuture.supplyAsync(() =>
      values.of(context) {
        begun.countDown()
        free.await()
        "first"
      })
    begun.await()
    assert(values.find(context).isEmpty)
    assert(values.all.isEmpty)
    val second = CompletableFuture.supplyAsync(() => values.of(context)("second"))
    free.countDown()
    assert((first.get, second.get, values.find(context)) === (("first", "first", Some("first"))))
    context.stop()
    assert(values.find(context).isEmpty)
  }

  test("a value that is asked for after the end of the application is not kept") {
    val ended = mutable.Buffer.empty[String]
    val values = new PerApplication[String](ended.append(_))
    val context = SparkContext.getOrCreate(
      new SparkConf().setMaster("local[1]").setAppName("values").set("spark.ui.enabled", "false"))
    context.stop()
    assert(values.of(context)("late") === "late")
    assert(values.all.isEmpty)
    assert(ended.toSeq === Seq("late"))
  }
}
