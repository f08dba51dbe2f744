package io.eddyline.spark.globaltable.version

import java.io.{File, FileNotFoundException, IOException}
import java.nio.file.Files
import java.time.Duration

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{Path, RawLocalFileSystem}
import org.apache.hadoop.fs.permission.FsPermission
import org.scalatest.funsuite.AnyFunSuite

class SnapshotsSuite extends AnyFunSuite {
  private val conf = new Configuration
  private val root = new Path(Files.createTempDirectory("snapshots").toUri)
  private val snapshots = new Snapshots(root, new FsPermission("700"), conf)

  private def publish(content: String, base: Option[Version]): Version =
    snapshots.publish { draft =>
      draft.getFileSystem(conf).mkdirs(draft)
      Some(Version("", 0, content, content = Some(content), base = base.map(_.name)))
    }.get

  test("a version is no base if it has changes itself, or was removed") {
    val whole = publish("a", base = None)
    val changed = publish("b", Some(whole))
    val twice = publish("c", Some(changed))
    assert(snapshots.baseOf(whole) === whole && snapshots.baseOf(changed) === whole)
    val error = intercept[IllegalStateException](snapshots.baseOf(twice))
    assert(error.getMessage.contains(s"the base ${changed.name}"))
    intercept[IllegalStateException](
      SnapshotRelation.of(snapshots, twice, Seq("k"), output = Nil, session = null))
    root.getFileSystem(conf).delete(snapshots.path(whole), true)
    intercept[FileNotFoundException](snapshots.baseOf(changed))
  }

  test("a snapshot that is removed while its files are listed is not read as an empty one") {
    val base = publish("d", base = None)
    for (version <- Seq(base, publish("e", Some(base)))) {
      assert(snapshots.listed(version)(identity) === Some(snapshots.path(version)))
    }
    val changed = publish("f", Some(base))
    assert(snapshots.listed(changed) { folder =>
      root.getFileSystem(conf).delete(snapshots.path(base), true)
      folder
    }.isEmpty)
    val alone = publish("g", base = None)
    assert(snapshots.listed(alone)(root.getFileSystem(conf).delete(_, true)).isEmpty)
  }

  test("a snapshot of which a removal was killed is none, and is removed after a day") {
    val folder = new Path(root, "killed")
    def driver(conf: Configuration) = new Snapshots(folder, new FsPermission("700"), conf)
    val Seq(first, second) = Seq("a", "b").map { content =>
      driver(conf).publish { draft =>
        draft.getFileSystem(conf).create(new Path(draft, "part-0")).close()
        Some(Version("", 0, content, content = Some(content)))
      }.get
    }
    def collect(conf: Configuration): Unit =
      driver(conf).collect(keep = 1, retention = Duration.ofMinutes(-1), spare = None)
    collect(KilledRemovals.conf)
    val removed = new File(driver(conf).path(first).toUri)
    assert(removed.exists)
    assert(driver(conf).all === Seq(second) && driver(conf).find(first.name).isEmpty)
    collect(conf)
    assert(removed.exists, "another driver may be about to publish it")
    removed.setLastModified(System.currentTimeMillis - Duration.ofDays(2).toMillis)
    collect(conf)
    assert(!removed.exists)
    driver(KilledRemovals.conf).drop()
    assert(new File(folder.toUri).exists && driver(conf).all.isEmpty)
  }
}

/** A file system in which a removal of a folder is killed after its last file by name. */
class KilledRemovals extends RawLocalFileSystem {
  override def delete(path: Path, recursive: Boolean): Boolean =
    if (!getFileStatus(path).isDirectory) super.delete(path, recursive)
    else {
      listStatus(path).map(_.getPath).filter(getFileStatus(_).isFile).maxByOption(_.getName)
        .foreach(super.delete(_, false))
      throw new IOException(s"killed in $path")
    }
}

object KilledRemovals {
  val conf: Configuration = {
    val made = new Configuration
    made.set("fs.file.impl", classOf[KilledRemovals].getName)
    made.setBoolean("fs.file.impl.disable.cache", true)
    made
  }
}
