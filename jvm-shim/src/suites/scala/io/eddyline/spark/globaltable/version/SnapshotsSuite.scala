package io.eddyline.spark.globaltable.version

import java.io.FileNotFoundException
import java.nio.file.Files

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
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
}
