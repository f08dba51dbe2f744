package io.eddyline.spark.streamingquery

import java.io.IOException

import org.apache.hadoop.fs.{AbstractFileSystem, FileSystem, Path}
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.trees.Origin
import org.scalatest.funsuite.AnyFunSuite

import io.eddyline.spark.base.{CheckpointFile, CheckpointGeneration, EddylineErrors}
import io.eddyline.spark.streamingquery.store._

abstract class CheckpointFolderTests extends AnyFunSuite with Folders {
  EddylineErrors.register()

  protected class Checkpoint(path: Path) {
    private val files = path.getFileSystem(conf)
    def folder: CheckpointFolder = generation(0)

    /** A generation, as the application has it that starts a query from it. */
    def generation(number: Int): CheckpointFolder =
      new CheckpointFolder(qualified, number, conf)

    def newest: Int = CheckpointFolder.newest(qualified, conf)

    private def qualified = files.makeQualified(path).toString

    def put(names: String*): Unit =
      names.foreach(name => files.create(new Path(path, name)).close())

    def names: Set[String] = names(path)

    def in(log: String): Set[String] = names(new Path(path, log))

    private def names(folder: Path): Set[String] =
      if (files.exists(folder)) files.listStatus(folder).map(_.getPath.getName).toSet else Set.empty
  }

  protected val SPARKS = Seq(
    "metadata", ".metadata.crc", "offsets/0", "commits/0", "sources/0/0", "state/0/0/1.delta",
    "eddyline/global/0")

  private def withCheckpoint(entries: String*)(body: Checkpoint => Unit): Unit =
    withFolder { path =>
      val checkpoint = new Checkpoint(path)
      checkpoint.put(entries: _*)
      body(checkpoint)
    }

  private def query(generation: Int) = StoredQuery("q", "CREATE …", "spark_catalog",
    Seq("default"), Map.empty, "me", "file:/c", generation, None, "2026-01-01T00:00:00Z",
    running = true, purging = false)

  test("what Spark and eddyline wrote is deleted, and nothing else") {
    withCheckpoint(SPARKS :+ "one/metadata" :+ "notes": _*) { checkpoint =>
      checkpoint.folder.delete()
      assert(checkpoint.names == Set("one", "notes"))
    }
    withCheckpoint(SPARKS: _*) { checkpoint =>
      checkpoint.folder.delete()
      assert(checkpoint.names.isEmpty)
      checkpoint.folder.delete()
    }
  }

  test("a checkpoint without metadata is deleted, unless others may have written it") {
    withCheckpoint("offsets/0", "commits/0") { checkpoint =>
      checkpoint.folder.delete()
      assert(checkpoint.names.isEmpty)
    }
    withCheckpoint("state/berlin.csv", "notes") { checkpoint =>
      assert(checkpoint.folder.whyNotDeletable.exists(_.contains("notes")))
      intercept[IOException](checkpoint.folder.delete())
      assert(checkpoint.names == Set("state", "notes"))
    }
  }

  test("what a kill has left of the first micro-batch goes, and nothing of a finished one") {
    def unfinished(log: String) = Seq(s"$log/.0.9d7-5f06.tmp", s"$log/..0.9d7-5f06.tmp.crc")
    for (log <- Seq("offsets", "commits")) withFolder { path =>
      val (left, done) = (new Checkpoint(new Path(path, "a")), new Checkpoint(new Path(path, "b")))
      left.put(unfinished(log): _*)
      done.put(s"$log/0" +: unfinished(log): _*)
      Seq(left, done).foreach(_.folder.deleteUnfinishedLogs())
      assert(left.in(log).isEmpty && done.in(log).size === 3)
    }
  }

  test("a deletion that is killed can be repeated") {
    for (n <- 0 to 8) withCheckpoint(SPARKS :+ "notes": _*) { checkpoint =>
      Steps.diesAt(n)(checkpoint.folder.delete()): Unit
      if (checkpoint.names != Set("notes")) checkpoint.folder.delete()
      assert(checkpoint.names == Set("notes"))
    }
  }

  test("a deletion with generations that is killed can be repeated") {
    for (n <- 0 to 10) withCheckpoint("notes", "eddyline/answering") { checkpoint =>
      Seq(1, 2).foreach(checkpoint.generation(_).open(()))
      checkpoint.put("generation/2/metadata", "generation/1/metadata", "generation/1/offsets/0")
      Steps.diesAt(n)(checkpoint.folder.delete()): Unit
      if (checkpoint.names != Set("notes")) checkpoint.folder.delete()
      assert(checkpoint.names == Set("notes"))
    }
  }

  test("no query continues from a checkpoint of which a part is deleted, but one without state") {
    for (n <- 0 to 9) withCheckpoint(SPARKS :+ "notes": _*) { checkpoint =>
      val isKilled = Steps.diesAt(n)(checkpoint.folder.delete())
      val left = checkpoint.names.intersect(SPARKS.map(_.takeWhile(_ != '/')).toSet)
      if (isKilled && left != SPARKS.map(_.takeWhile(_ != '/')).toSet) {
        val refused = intercept[AnalysisException](
          checkpoint.generation(0).requireUndamaged(identity, Origin()))
        assert(refused.getMessage.contains("PURGE has deleted a part of it"), s"before step $n")
        checkpoint.generation(1).make(())
        checkpoint.generation(1).requireUndamaged(identity, Origin())
        assert(checkpoint.names == Set("notes", "generation"))
      }
    }
  }

  test("a reset that is killed leaves the old generation or a new one without state") {
    for (n <- 0 to 12) withCheckpoint(SPARKS: _*) { checkpoint =>
      withFolder { location =>
        val store = new QueryStore(location, conf)
        store.write(query(0))(())
        val before = checkpoint.names
        val isKilled = Steps.diesAt(n) {
          checkpoint.generation(1).make(())
          try store.write(query(1))(())
          catch { case dead: AnalysisException => throw dead.getCause }
        }
        assert(isKilled || n > 2)
        val generation = store.find("q").get.get.generation
        checkpoint.generation(generation).open(())
        assert(checkpoint.newest === generation)
        assert(checkpoint.names - "generation" == before)
        val kept = checkpoint.in("generation/1")
        assert(kept == (if (generation == 0) Set.empty else Set("eddyline")))
      }
    }
  }

  test("a generation that is made has nothing of one that was not completed") {
    withCheckpoint(SPARKS ++ Seq("generation/1/metadata", "generation/2/offsets/0"): _*) {
      checkpoint =>
        checkpoint.generation(1).make(())
        assert(checkpoint.in("generation") == Set("1") && checkpoint.newest === 1)
        assert(checkpoint.in("generation/1") == Set("eddyline"))
    }
  }

  test("earlier generations go, also where that is killed, and what belongs to all stays") {
    for (n <- 0 to 12) withCheckpoint(SPARKS: _*) { checkpoint =>
      checkpoint.put("notes", "eddyline/answering", "eddyline/shape.json", "generation/1/metadata")
      checkpoint.generation(2).open(())
      Steps.diesAt(n)(checkpoint.generation(2).deleteEarlierGenerations()): Unit
      assert(checkpoint.newest === 2)
      checkpoint.generation(2).deleteEarlierGenerations()
      assert(checkpoint.names == Set("notes", "eddyline", "generation"))
      assert(checkpoint.in("eddyline") == Set("answering"))
      assert(checkpoint.in("generation") == Set("2"))
      checkpoint.folder.delete()
      assert(checkpoint.names == Set("notes"))
    }
  }

  test("a folder of a user whose name is that of a generation is none") {
    for (change <- Seq[Checkpoint => Unit](
        _.folder.open(()), _.generation(3000).deleteEarlierGenerations(), _.folder.delete())) {
      withCheckpoint("metadata", "generation/2024/data.csv") { checkpoint =>
        assert(checkpoint.newest === 0)
        change(checkpoint)
        assert(checkpoint.in("generation/2024") == Set("data.csv"))
      }
    }
    withFolder { path =>
      val user = new Path(path, "generation/2024")
      new Checkpoint(user).put("metadata")
      assert(CheckpointGeneration.checkpointOf(user, conf) === user)
    }
  }

  test("what an error says of a file in a generation names the checkpoint that the user knows") {
    withFolder { path =>
      new Checkpoint(path).put("generation/1/eddyline/complete", "generation/1/eddyline/shape.json")
      val file = new CheckpointFile[StoredQuery](new Path(path, "generation/1"), "shape.json", conf)
      val message = intercept[AnalysisException](file.read()).getMessage
      assert(message.contains(s"The checkpoint $path cannot be continued"))
      assert(message.contains("its file generation/1/eddyline/shape.json cannot be read"))
    }
  }

  test("two checkpoints overlap if one lies in the other") {
    def overlap(one: String, other: String): Boolean =
      CheckpointFolder.overlap(one, other) && CheckpointFolder.overlap(other, one)
    assert(overlap("file:/cp", "file:/cp/one") && overlap("file:/cp", "file:/cp"))
    assert(!overlap("file:/cp", "file:/cp2") && !overlap("file:/cp/one", "file:/cp/two"))
    assert(!overlap("file:/cp", "hdfs://name/cp/one"))
  }
}

class CheckpointFolderSuite extends CheckpointFolderTests {
  conf.setClass("fs.file.impl", classOf[DyingFileSystem], classOf[FileSystem])
  conf.setBoolean("fs.file.impl.disable.cache", true)
}

class CheckpointFolderOfHdfsSuite extends CheckpointFolderTests with HdfsFolders {
  conf.setClass("fs.hdfs.impl", classOf[SteppedHdfs], classOf[FileSystem])
  conf.setBoolean("fs.hdfs.impl.disable.cache", true)
  conf.setClass(
    SteppedHdfsContext.SETTING, classOf[SteppedHdfsContext], classOf[AbstractFileSystem])
}
