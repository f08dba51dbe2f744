package io.eddyline.spark.streamingquery.store

import java.io.IOException
import java.net.URI
import java.nio.charset.StandardCharsets.UTF_8

import org.apache.hadoop.fs.{FileSystem, Path}
import org.scalatest.funsuite.AnyFunSuite

/** A file system that is not the local one, and does not replace a file by a rename. */
class DyingHdfs extends DyingFileSystem {
  override def getUri: URI = URI.create("hdfs://name")
}

class AtomicFilesSuite extends AnyFunSuite with Folders {
  conf.setClass("fs.hdfs.impl", classOf[DyingHdfs], classOf[FileSystem])
  conf.setClass("fs.file.impl", classOf[SteppedFileSystem], classOf[FileSystem])
  conf.setBoolean("fs.hdfs.impl.disable.cache", true)
  conf.setBoolean("fs.file.impl.disable.cache", true)

  private def files(folder: Path): AtomicFiles = new AtomicFiles(folder, conf)

  private def text(folder: Path): Option[String] =
    files(folder).read("q.json").map(new String(_, UTF_8))

  private def write(folder: Path, text: String): Unit =
    files(folder).write("q.json", text.getBytes(UTF_8))

  private def create(folder: Path, text: String): Boolean =
    files(folder).create("q.json", text.getBytes(UTF_8))

  private def names(folder: Path): Seq[String] =
    folder.getFileSystem(conf).listStatus(folder).toSeq.map(_.getPath.getName)

  private def withOld(body: Path => Unit): Unit = withFolder(withOldIn(body))

  private def withOldIn(body: Path => Unit)(folder: Path): Unit = {
    files(folder).makeFolder()
    create(folder, "old")
    body(folder)
  }

  private def withOldInHdfs(body: Path => Unit): Unit =
    withFolder(folder => withOldIn(body)(new Path(s"hdfs://name${folder.toUri.getPath}")))

  /** Runs a body for the number of each step, until it returns that there was none. */
  private def eachStep(body: Int => Boolean): Unit =
    assert(Iterator.from(0).takeWhile(body).size > 0)

  test("a file is the old or the new one, whenever its writers are killed") {
    var died = 0
    // a second writer, that finds what the first has left, is killed too
    for (first <- 0 to 6; second <- 0 to 9) withOldInHdfs { folder =>
      val isDead = DyingFileSystem.diesAt(first)(write(folder, "new"))
      val left = text(folder)
      assert(if (isDead) left.exists(Set("old", "new")) else left.contains("new"))
      assert(files(folder).names(".json") == Seq("q.json") && files(folder).exists("q.json"))
      val isDeadAgain = DyingFileSystem.diesAt(second)(write(folder, "newer"))
      val allowed = if (isDeadAgain) left.toSet + "newer" else Set("newer")
      assert(text(folder).exists(allowed), s"$first, $second")
      write(folder, "last")
      assert(text(folder).contains("last"))
      died += (if (isDead && isDeadAgain) 1 else 0)
    }
    assert(died > 10)
  }

  test("a removal that is killed leaves the last content or nothing") {
    for (first <- 0 to 6; second <- 0 to 2) withOldInHdfs { folder =>
      DyingFileSystem.diesAt(first)(write(folder, "new"))
      val left = text(folder)
      val isDead = DyingFileSystem.diesAt(second)(files(folder).remove("q.json"))
      assert(text(folder).forall(left.contains) && (isDead || text(folder).isEmpty))
    }
  }

  test("a writer that may no longer write leaves the old file, and no other one") {
    withOld { folder =>
      intercept[IllegalStateException] {
        files(folder).write(
          "q.json", "new".getBytes(UTF_8), () => throw new IllegalStateException)
      }
      assert(text(folder).contains("old"))
      assert(names(folder) == Seq("q.json"))
    }
  }

  test("a file that is written leaves no other one") {
    withOld { folder =>
      write(folder, "new")
      assert(!create(folder, "other"))
      assert(names(folder) == Seq("q.json"))
    }
  }

  test("a local file is the old or the new one, at whatever step its writer is killed") {
    eachStep { n =>
      var isDead = false
      withOld { folder =>
        isDead = SteppedFileSystem.diesAt(n)(write(folder, "new"))
        assert(if (isDead) text(folder).exists(Set("old", "new")) else text(folder).contains("new"))
        write(folder, "last")
        assert(text(folder).contains("last") && !names(folder).exists(_.endsWith(".next")))
      }
      isDead
    }
  }

  test("of two applications that create a file, one does, at whatever step the other comes") {
    eachStep { n =>
      var isLate = false
      withFolder { folder =>
        files(folder).makeFolder()
        var (first, second) = (false, false)
        isLate = SteppedFileSystem.meanwhile(n) { second = create(folder, "second") } {
          first = create(folder, "first")
        }
        assert(if (isLate) first != second else first, n)
        assert(text(folder).contains(if (second) "second" else "first"), n)
        assert(names(folder) == Seq("q.json"), n)
      }
      isLate
    }
  }

  test("a file is found at whatever step another application finishes its replacement") {
    for (isFound <- Seq[Path => Boolean](files(_).exists("q.json"), text(_).isDefined)) {
      eachStep { n =>
        var isLate = false
        withFolder { folder =>
          files(folder).makeFolder()
          files(folder).create("q.json.next", "new".getBytes(UTF_8))
          isLate = SteppedFileSystem.meanwhile(n)(write(folder, "newer"))(assert(isFound(folder)))
        }
        isLate
      }
    }
  }

  test("a writer that pauses deletes nothing that another application has written") {
    eachStep { n =>
      var isLate = false
      withOld { folder =>
        isLate = SteppedFileSystem.meanwhile(n)(write(folder, "second"))(
          try write(folder, "first")
          catch { case _: IOException => })
        assert(text(folder).exists(Set("first", "second")), n)
      }
      isLate
    }
  }
}
