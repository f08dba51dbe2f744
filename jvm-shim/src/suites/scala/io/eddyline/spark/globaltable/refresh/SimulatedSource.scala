package io.eddyline.spark.globaltable.refresh

import java.time.Duration

import scala.collection.mutable
import scala.util.Random

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.hadoop.fs.permission.FsPermission

import io.eddyline.spark.globaltable.catalog.GlobalTableOptions
import io.eddyline.spark.globaltable.version._

/** A clock that stands still but for what waits on it. */
class SimulatedClock extends Clock {
  protected var time = 1000000L

  override def now: Long = time

  override def sleep(ms: Long): Unit = time += ms
}

/** Snapshots in memory. */
class SimulatedSnapshots
  extends Snapshots(new Path("/none"), FsPermission.getDefault, new Configuration(false)) {
  private var published = Option.empty[Version]

  override def newest(fingerprint: String): Option[Version] =
    published.filter(_.fingerprint == fingerprint)

  override def publish(write: Path => Option[Version]): Option[Version] =
    write(new Path("/draft")).map { version =>
      val number = published.fold(0L)(_.number) + 1
      published = Some(version.copy(name = s"$number", number = number))
      published.get
    }
}

/**
 * A folder of files to which one job after the other writes while the clock advances, and its rows.
 * The names of the files are the rows, and the content of a version.
 *
 * @param marks whether jobs write temporary files and a `_SUCCESS`; if not, each of them adds or
 *              removes one file
 */
class SimulatedSource(random: Random, marks: Boolean) extends SimulatedClock with ProbedSource {
  private val root = new Path("/source")
  private var folder = FolderListing(
    Set(SourceFile(new Path(root, "first"), 1, time - 1)(null)),
    committed = Option.when(marks)(time))
  private val steps = mutable.Queue.empty[() => Unit]
  private var next = time
  private var files = 0
  private var jobs = 0

  /** Whether jobs write. */
  var isWritten = true

  /** When each job committed, and the rows then. */
  val states = mutable.Buffer((time, "first"))

  /** How often rows were read. */
  var reads = 0

  override val options: GlobalTableOptions =
    GlobalTableOptions(refresh = Some(Duration.ofSeconds(1)))

  override def readsVersions: Boolean = false

  override def readsFolders: Boolean = false

  override def canMove: Boolean = false

  override def canGrow: Boolean = true

  override def fingerprint(probe: Probe): Option[String] = Some(rows(probe.files.files))

  override def probe(): Probe = {
    val started = time
    sleep(random.nextInt(3))
    Probe(started, FileListing(Map(root -> folder)))
  }

  /** Writes what is taken after `last`; now and then new files are not enough. */
  def write(last: Option[Version])(
      take: Decision.Take, staged: Option[StagedFiles], draft: Path): Version = {
    val content = take match {
      case Decision.Grow(probe, files) if random.nextInt(4) > 0 =>
        val all = s"${last.get.content.get} ${read(probe.restrictedTo(files))}"
        all.split(' ').filter(_.nonEmpty).sorted.mkString(" ")
      case _ => read(take.probe)
    }
    Version("", 0, fingerprint(take.probe).get, rows = Some(1), content = Some(content))
  }

  override def sleep(ms: Long): Unit = {
    val end = time + ms
    while (next <= end && (isWritten || steps.nonEmpty)) {
      time = time.max(next)
      if (steps.isEmpty) plan()
      steps.dequeue()()
      next = time + 1 + random.nextInt(if (random.nextInt(8) == 0) 2000 else 60)
    }
    time = end
  }

  /** Reads file by file; a file that is gone when it is its turn is missing in silence. */
  private def read(probe: Probe): String = {
    reads += 1
    rows(probe.files.files.filter { file =>
      sleep(random.nextInt(30))
      folder.files(file)
    })
  }

  private def rows(files: Set[SourceFile]): String =
    files.toSeq.map(_.path.getName).sorted.mkString(" ")

  /** Plans the steps of a job, each of which others see. */
  private def plan(): Unit = {
    jobs += 1
    if (marks) {
      if (random.nextInt(3) == 0) steps += (() => folder = FolderListing(Set.empty))
      steps += (() => folder = folder.copy(writing = true))
      steps ++= Seq.fill(1 + random.nextInt(3))(() => add())
      steps += (() => commit(folder.copy(writing = false)))
      steps += (() => folder = folder.copy(committed = Some(time)))
    } else if (folder.files.size > 1 && random.nextInt(3) == 0) {
      steps += (() => commit(folder.copy(files = folder.files - folder.files.minBy(_.modified))))
    } else {
      steps += { () =>
        add()
        commit(folder)
      }
    }
  }

  private def add(): Unit = {
    files += 1
    val name = f"part-$files%05d-$jobs%08x-0000-0000-0000-000000000000.c000"
    folder =
      folder.copy(files = folder.files + SourceFile(new Path(root, name), 1, time)(null))
  }

  private def commit(to: FolderListing): Unit = {
    folder = to
    states += time -> rows(folder.files)
  }
}
