package io.eddyline.spark.streamingquery.store

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

class AtomicFilesSuite extends AnyFunSuite with Folders {
  conf.setClass("fs.file.impl", classOf[DyingFileSystem], classOf[org.apache.hadoop.fs.FileSystem])
  conf.setBoolean("fs.file.impl.disable.cache", true)

  private def files(folder: Path): AtomicFiles = new AtomicFiles(folder, conf)

  private def text(folder: Path): Option[String] =
    files(folder).read("q.json").map(new String(_, UTF_8))

  private def write(folder: Path, text: String): Unit =
    files(folder).write("q.json", text.getBytes(UTF_8))

  private def withOld(body: Path => Unit): Unit = withFolder { folder =>
    files(folder).makeFolder()
    files(folder).create("q.json", "old".getBytes(UTF_8))
    body(folder)
  }

  test("a file is the old or the new one, whenever its writers are killed") {
    var died = 0
    // a second writer, that finds what the first has left, is killed too
    for (first <- 0 to 6; second <- 0 to 9) withOld { folder =>
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
    for (first <- 0 to 6; second <- 0 to 2) withOld { folder =>
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
      val names = folder.getFileSystem(conf).listStatus(folder).map(_.getPath.getName)
      assert(names.toSeq == Seq("q.json"))
    }
  }

  test("a file that is written leaves no other one") {
    withOld { folder =>
      write(folder, "new")
      assert(!files(folder).create("q.json", "other".getBytes(UTF_8)))
      val names = folder.getFileSystem(conf).listStatus(folder).map(_.getPath.getName)
      assert(names.toSeq == Seq("q.json"))
    }
  }
}
