package io.eddyline.spark.streamingquery.store

import java.io.IOException
import java.net.URI
import java.nio.charset.StandardCharsets.UTF_8

import org.apache.hadoop.fs.{FileSystem, Path, RawLocalFileSystem}
import org.scalatest.funsuite.AnyFunSuite

/** What holds in each file system, whose steps are those of [[Steps]]. */
abstract class AtomicFilesTests extends AnyFunSuite with Folders {
  protected def files(folder: Path): AtomicFiles = new AtomicFiles(folder, conf)

  protected def text(folder: Path): Option[String] =
    files(folder).read("q.json").map(new String(_, UTF_8))

  protected def write(folder: Path, text: String): Unit =
    files(folder).write("q.json", text.getBytes(UTF_8))

  protected def create(folder: Path, text: String): Boolean =
    files(folder).create("q.json", text.getBytes(UTF_8))

  protected def names(folder: Path): Seq[String] =
    folder.getFileSystem(conf).listStatus(folder).toSeq.map(_.getPath.getName)

  private def withOld(body: Path => Unit): Unit = withFolder(withOldIn(body))

  protected def withOldIn(body: Path => Unit)(folder: Path): Unit = {
    files(folder).makeFolder()
    create(folder, "old")
    body(folder)
  }

  /** Runs a body for the number of each step, until it returns that there was none. */
  private def eachStep(body: Int => Boolean): Unit =
    assert(Iterator.from(0).takeWhile(body).size > 0)

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

  test("a file is the old or the new one, at whatever step its writer is killed") {
    eachStep { n =>
      var isDead = false
      withOld { folder =>
        isDead = Steps.diesAt(n)(write(folder, "new"))
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
        isLate = Steps.meanwhile(n) { second = create(folder, "second") } {
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
          isLate = Steps.meanwhile(n)(write(folder, "newer"))(assert(isFound(folder)))
        }
        isLate
      }
    }
  }

  test("a writer that pauses deletes nothing that another application has written") {
    eachStep { n =>
      var isLate = false
      withOld { folder =>
        isLate = Steps.meanwhile(n)(write(folder, "second"))(
          try write(folder, "first")
          catch { case _: IOException => })
        assert(text(folder).exists(Set("first", "second")), n)
      }
      isLate
    }
  }
}

/** A file system without a [[org.apache.hadoop.fs.FileContext]], which replaces a file in steps. */
class DyingContextless extends DyingFileSystem {
  override def getUri: URI = URI.create("dying://name")
}

/** A file system from which nothing can be deleted, as one that is read-only by now. */
class KeptFiles extends RawLocalFileSystem {
  override def getUri: URI = URI.create("kept://name")

  override def delete(path: Path, recursive: Boolean): Boolean = false
}

class AtomicFilesSuite extends AtomicFilesTests {
  conf.setClass("fs.dying.impl", classOf[DyingContextless], classOf[FileSystem])
  conf.setClass("fs.kept.impl", classOf[KeptFiles], classOf[FileSystem])
  conf.setClass("fs.file.impl", classOf[SteppedFileSystem], classOf[FileSystem])
  conf.setBoolean("fs.dying.impl.disable.cache", true)
  conf.setBoolean("fs.file.impl.disable.cache", true)

  private def withOldInSteps(body: Path => Unit): Unit = withOldOf("dying")(body)

  private def withOldOf(scheme: String)(body: Path => Unit): Unit =
    withFolder(folder => withOldIn(body)(new Path(s"$scheme://name${folder.toUri.getPath}")))

  test("where a replacement takes two steps, a killed writer leaves the old or the new file") {
    var died = 0
    // a second writer, that finds what the first has left, is killed too
    for (first <- 0 to 6; second <- 0 to 9) withOldInSteps { folder =>
      val isDead = Steps.diesAt(first)(write(folder, "new"))
      val left = text(folder)
      assert(if (isDead) left.exists(Set("old", "new")) else left.contains("new"))
      assert(files(folder).names(".json") == Seq("q.json") && files(folder).exists("q.json"))
      val isDeadAgain = Steps.diesAt(second)(write(folder, "newer"))
      val allowed = if (isDeadAgain) left.toSet + "newer" else Set("newer")
      assert(text(folder).exists(allowed), s"$first, $second")
      write(folder, "last")
      assert(text(folder).contains("last"))
      died += (if (isDead && isDeadAgain) 1 else 0)
    }
    assert(died > 10)
  }

  test("a removal that is killed leaves the last content or nothing") {
    for (first <- 0 to 6; second <- 0 to 2) withOldInSteps { folder =>
      Steps.diesAt(first)(write(folder, "new"))
      val left = text(folder)
      val isDead = Steps.diesAt(second)(files(folder).remove("q.json"))
      assert(text(folder).forall(left.contains) && (isDead || text(folder).isEmpty))
    }
  }

  test("a file that cannot be deleted is not said to be gone") {
    withOldOf("kept") { folder =>
      intercept[IOException](files(folder).remove("q.json"))
      assert(text(folder).contains("old"))
    }
  }
}
