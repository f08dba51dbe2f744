package io.eddyline.spark.streamingquery.store

import java.nio.charset.StandardCharsets.UTF_8

import com.fasterxml.jackson.databind.node.ObjectNode
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.spark.sql.AnalysisException
import org.scalatest.funsuite.AnyFunSuite

import io.eddyline.spark.base.{EddylineErrors, Json}

abstract class QueryStoreTests extends AnyFunSuite with Folders {
  EddylineErrors.register()

  private def query(name: String): StoredQuery = StoredQuery(name, "CREATE …", "spark_catalog",
    Seq("default"), Map("a" -> "b"), "me", "file:/c", 1, Some("so"), "2026-01-01T00:00:00Z",
    running = true, purging = false)

  test("a definition is found by its name in any case") {
    withFolder { folder =>
      val store = new QueryStore(folder, conf)
      assert(!store.exists && store.all.isEmpty && store.find("rooms").isEmpty)
      store.write(query("Rooms/1"))(())
      assert(store.find("rooms/1").map(_.get).contains(query("Rooms/1")))
      assert(store.all.keySet == Set("rooms/1") && store.contains("ROOMS/1"))
      store.remove("ROOMS/1")
      assert(store.all.isEmpty)
    }
  }

  test("a file that cannot be read hides no other definition") {
    withFolder { folder =>
      val (store, files) = (new QueryStore(folder, conf), new AtomicFiles(folder, conf))
      store.write(query("good"))(())
      files.write("cut.json", """{"name":"cut"""".getBytes(UTF_8))
      files.write("old.json", """{"name":"old","unknown":1}""".getBytes(UTF_8))
      files.write("notes 100%.json", Array.emptyByteArray)
      assert(store.all.collect { case (name, found) if found.isSuccess => name } == Seq("good"))
      assert(store.all.keySet == Set("good", "cut", "old"))
      assert(store.find("old").get.failed.get.getMessage.contains("statement"))
    }
  }

  test("the longest name that the store can hold can be written") {
    withFolder { folder =>
      val (store, longest) = (new QueryStore(folder, conf), "x" * QueryStore.MAX_BYTES)
      assert(store.canHold(longest) && !store.canHold(longest + "x"))
      store.write(query(longest))(())
      assert(store.contains(longest))
    }
  }

  test("a file is made once, and written again as a whole") {
    withFolder { folder =>
      val files = new AtomicFiles(folder, conf)
      assert(files.names(".x") == Nil && files.read("a.x").isEmpty)
      files.makeFolder()
      assert(files.create("a.x", Array[Byte](1, 2, 3)) && !files.create("a.x", Array[Byte](4)))
      assert(files.read("a.x").map(_.toSeq).contains(Seq[Byte](1, 2, 3)))
      files.write("a.x", Array[Byte](5))
      assert(files.read("a.x").map(_.toSeq).contains(Seq[Byte](5)))
      files.write(".hidden.x", Array[Byte](1))
      assert(files.names(".x") == Seq("a.x"))
    }
  }

  test("a definition lacks no field but an optional one") {
    withFolder { folder =>
      val (store, files) = (new QueryStore(folder, conf), new AtomicFiles(folder, conf))
      store.write(query("q"))(())
      val fields = query("q").productElementNames.toSeq
      for (field <- fields; isLeftOut <- Seq(true, false)) {
        val node = Json.mapper.readTree(Json.write(query("q"))).asInstanceOf[ObjectNode]
        if (isLeftOut) node.remove(field): Unit else node.putNull(field): Unit
        files.write("q.json", Json.mapper.writeValueAsBytes(node))
        val error = store.find("q").get.failed.toOption.map(_.getMessage)
        assert(error.exists(_.contains(s"The file has no $field.")) == (field != "comment"))
      }
    }
  }

  test("a folder into which others may write is refused") {
    withFolder { folder =>
      val (store, system) = (new QueryStore(folder, conf), folder.getFileSystem(conf))
      for ((rights, isRefused) <-
          Seq("777" -> true, "773" -> true, "775" -> true, "755" -> false)) {
        system.mkdirs(folder)
        system.setPermission(folder, new FsPermission(rights))
        if (isRefused) {
          val refused = intercept[AnalysisException](store.write(query("q"))(()))
          assert(refused.getCondition.endsWith("LOCATION_NOT_PROTECTED") && store.all.isEmpty)
        } else store.write(query("q"))(())
      }
      system.setPermission(folder, new FsPermission("777"))
      val planted = intercept[AnalysisException](store.find("q").get.get)
      assert(planted.getCondition.endsWith("LOCATION_NOT_PROTECTED"))
      assert(store.find("r").isEmpty && store.all("q").isFailure)
    }
  }
}

class QueryStoreSuite extends QueryStoreTests
