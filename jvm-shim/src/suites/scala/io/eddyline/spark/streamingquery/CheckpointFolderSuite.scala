package io.eddyline.spark.streamingquery

import java.io.IOException
import java.net.URI
import java.nio.charset.StandardCharsets.UTF_8

import scala.util.Using

import org.apache.hadoop.fs.{FileSystem, Path, RawLocalFileSystem}
import org.scalatest.funsuite.AnyFunSuite

import io.eddyline.spark.streamingquery.store.{DyingFileSystem, Folders, HdfsFolders, Steps}

/** An object store, which must not be asked to rename. */
class ObjectStore extends RawLocalFileSystem {
  override def getUri: URI = URI.create("s3a://bucket")

  override def rename(from: Path, to: Path): Boolean = throw new AssertionError(s"$from is renamed")
}

abstract class CheckpointFolderTests extends AnyFunSuite with Folders {
  protected class Checkpoint(path: Path) {
    private val files = path.getFileSystem(conf)
    val folder = again

    /** The folder as another application has it. */
    def again: CheckpointFolder =
      new CheckpointFolder(files.makeQualified(path).toString, conf)

    def put(names: String*): Unit =
      names.foreach(name => files.create(new Path(path, name)).close())

    def write(name: String, content: String): Unit =
      Using.resource(files.create(new Path(path, name)))(_.write(content.getBytes(UTF_8)))

    def names: Set[String] = names(path)

    def in(log: String): Set[String] = names(new Path(path, log))

    def aside: Set[String] = names(path.suffix(".before-reset"))

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
      assert(checkpoint.folder.notDeletable.exists(_.contains("notes")))
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

  test("a deletion that is killed leaves all of a checkpoint or nothing") {
    for (n <- 0 to 8) withCheckpoint(SPARKS: _*) { checkpoint =>
      val before = checkpoint.names
      Steps.diesAt(n)(checkpoint.folder.delete()): Unit
      assert(checkpoint.names.isEmpty || checkpoint.names == before)
      checkpoint.folder.delete()
      assert(checkpoint.names.isEmpty && checkpoint.aside.isEmpty)
    }
  }

  test("what a kill has left aside does not come back in the place of a later checkpoint") {
    withCheckpoint(SPARKS: _*) { checkpoint =>
      checkpoint.folder.setAside()
      checkpoint.folder.setAside()
      checkpoint.folder.restore()
      assert(checkpoint.names.isEmpty && checkpoint.aside.isEmpty)
    }
  }

  test("what was written before a commit is known after a reset, also if that was killed") {
    for (n <- 0 to 8) withCheckpoint(SPARKS: _*) { checkpoint =>
      val record = """{"batch": 1, "runs": {"application": "run"}, "ends": [], "until": 0}"""
      checkpoint.write("eddyline/answering", record)
      Steps.diesAt(n)(checkpoint.folder.setAside()): Unit
      checkpoint.again.setAside()
      assert(checkpoint.names == Set("eddyline") && checkpoint.in("eddyline")("answering"))
    }
  }

  test("what another application has set aside does not come back") {
    withCheckpoint(SPARKS: _*) { checkpoint =>
      checkpoint.folder.setAside()
      checkpoint.put("metadata", "offsets/0") // fewer entries than those aside
      val before = checkpoint.names
      checkpoint.again.restore()
      assert(checkpoint.names == before)
    }
  }

  test("a checkpoint that is set aside comes back, also where a failed start has made a folder") {
    withCheckpoint(SPARKS: _*) { checkpoint =>
      val before = checkpoint.names
      checkpoint.folder.setAside()
      assert(checkpoint.names.isEmpty && checkpoint.aside == before)
      checkpoint.put("sources/0/0")
      checkpoint.folder.restore()
      assert(checkpoint.names == before && checkpoint.aside.isEmpty)
    }
  }

  test("a folder with files of others is not set aside") {
    withCheckpoint(SPARKS :+ "one/metadata": _*) { checkpoint =>
      val before = checkpoint.names
      intercept[IOException](checkpoint.folder.setAside())
      assert(checkpoint.names == before && checkpoint.aside.isEmpty)
    }
  }

  test("two checkpoints overlap if one lies in the other, or where it is set aside") {
    def overlap(one: String, other: String): Boolean =
      CheckpointFolder.overlap(one, other) && CheckpointFolder.overlap(other, one)
    assert(overlap("file:/cp", "file:/cp/one") && overlap("file:/cp", "file:/cp"))
    assert(overlap("file:/cp", "file:/cp.before-reset"))
    assert(overlap("file:/cp", "file:/cp.before-reset/one"))
    assert(!overlap("file:/cp", "file:/cp2") && !overlap("file:/cp/one", "file:/cp/two"))
    assert(!overlap("file:/cp", "hdfs://name/cp/one"))
  }
}

class CheckpointFolderSuite extends CheckpointFolderTests {
  conf.setClass("fs.file.impl", classOf[DyingFileSystem], classOf[FileSystem])
  conf.setBoolean("fs.file.impl.disable.cache", true)

  test("a checkpoint in an object store is deleted where it is") {
    conf.setClass("fs.s3a.impl", classOf[ObjectStore], classOf[FileSystem])
    withFolder { path =>
      val checkpoint = new Checkpoint(new Path(s"s3a://bucket${path.toUri.getPath}"))
      checkpoint.put(SPARKS: _*)
      checkpoint.folder.delete()
      assert(checkpoint.names.isEmpty)
    }
  }
}

class CheckpointFolderOfHdfsSuite extends CheckpointFolderTests with HdfsFolders
