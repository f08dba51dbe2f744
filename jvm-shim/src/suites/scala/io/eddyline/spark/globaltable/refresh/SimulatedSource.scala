package io.eddyline.spark.globaltable.refresh

import java.io.FileNotFoundException
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

/** What a writer of a simulated source does. */
sealed trait Write

object Write {

  /** A Spark job that adds files. */
  case object Append extends Write

  /** A Spark job that overwrites all files. */
  case object Overwrite extends Write

  /** A Spark job that overwrites one partition. */
  case object OverwritePartition extends Write

  /** A Spark job that overwrites the partitions for which it has rows. */
  case object OverwriteDynamically extends Write

  /** A file that somebody renames to its place. */
  case object AddFile extends Write

  /** The removal of the oldest file. */
  case object RemoveFile extends Write
}

/**
 * A folder with two partitions to which one write after the other is made while the clock advances,
 * and its rows. The paths of the files are the rows, and the content of a version.
 *
 * @param marks whether Spark jobs write a `_SUCCESS`
 * @param writes what is written, each as likely as the others
 * @param pause returns the ms between two writes
 * @param shuffle returns the ms for which the query of an overwrite shuffles after the deletion
 * @param reading returns the ms that it takes to read the rows
 * @param options the options of the table
 */
class SimulatedSource(
    random: Random,
    marks: Boolean,
    writes: Seq[Write],
    pause: () => Int,
    shuffle: () => Int,
    reading: () => Int,
    override val options: GlobalTableOptions =
      GlobalTableOptions(refresh = Some(Duration.ofSeconds(1))))
  extends SimulatedClock with ProbedSource {
  private val root = new Path("/source")
  private val partitions = Seq(0, 1).map(number => new Path(root, s"p=$number"))
  private var files =
    partitions.map(of => SourceFile(new Path(of, "first"), 1, time - 1)(null)).toSet
  private var committed = Option.when(marks)(time)
  private var isStaged = false
  private var exists = true
  private val steps = mutable.Queue.empty[Step]
  private var next = time
  private var names = 0
  private var jobs = 0

  /** Whether anything is written. */
  var isWritten = true

  /** When each write ended, and the rows then. */
  val states = mutable.Buffer((time, rows(files)))

  /** How often rows were read. */
  var reads = 0

  /** The version in use. */
  var version = Option.empty[Version]

  override def readsVersions: Boolean = false

  override def readsFolders: Boolean = false

  override def fingerprint(probe: Probe): Option[String] = Some(rows(probe.files.files))

  override def probe(): Probe = relist(Probe(time, FileListing()))

  override def relist(probe: Probe): Probe = {
    sleep(random.nextInt(3))
    if (!exists) throw new FileNotFoundException(s"$root")
    val (mark, staged) = (committed, isStaged)
    val found = partitions.flatMap { partition =>
      sleep(random.nextInt(if (random.nextInt(9) == 0) 100 else 3))
      of(partition)
    }
    probe.copy(files = FileListing(Map(root -> FolderListing(found.toSet, mark, staged))))
  }

  /** Reads file by file; one that is gone when it is its turn is missing in silence. */
  def write(probe: Probe, draft: Path): Version = {
    reads += 1
    val each = reading() / probe.files.files.size.max(1)
    val read = probe.files.files.filter { file =>
      sleep(each)
      files(file)
    }
    Version("", 0, fingerprint(probe).get, rows = Some(1), content = Some(rows(read)),
      successMarkers = probe.files.successMarkers)
  }

  override def sleep(ms: Long): Unit = {
    val end = time + ms
    while (next <= end && (isWritten || steps.nonEmpty)) {
      time = time.max(next)
      if (steps.isEmpty) steps ++= stepsOf(writes(random.nextInt(writes.size)))
      val step = steps.dequeue()
      step.run()
      next = time + (if (steps.isEmpty) pause() else step.pause)
    }
    time = end
  }

  private def rows(files: Set[SourceFile]): String =
    files.toSeq.map(file => s"${file.path}").sorted.mkString(" ")

  private def of(partition: Path): Set[SourceFile] = files.filter(_.path.getParent == partition)

  /**
   * A change of the folder that others see.
   *
   * @param pause the ms until the next one
   */
  private case class Step(pause: Int)(val run: () => Unit)

  private def moment: Int = random.nextInt(4)

  private def work: Int = 1 + random.nextInt(if (random.nextInt(8) == 0) 400 else 40)

  private def stepsOf(write: Write): Seq[Step] = {
    jobs += 1
    write match {
      case Write.Append => job(Seq.fill(1 + random.nextInt(3))(random.shuffle(partitions).head))
      case Write.Overwrite =>
        val mark = Step(moment)(() => committed = None)
        val removals = random.shuffle(mark +: remove(files))
        removals ++ Seq(Step(shuffle())(() => exists = false)) ++ job(partitions)
      case Write.OverwritePartition =>
        // of a partition that no version has, nothing tells that it is being overwritten
        val used = partitions.filter(of(_).exists(file => version.exists(holds(_, file))))
        random.shuffle(used).headOption.fold(job(partitions)) { partition =>
          remove(of(partition)) ++ Seq(Step(shuffle())(() => ())) ++ job(Seq(partition))
        }
      case Write.OverwriteDynamically =>
        val changed = random.shuffle(partitions).take(1 + random.nextInt(2))
        val moves = changed.flatMap { partition =>
          Step(moment)(() => files --= of(partition)) +: move(Seq(partition))
        }
        (Step(work)(() => isStaged = true) +: moves) :+ Step(moment)(() => end())
      case Write.AddFile =>
        Seq(Step(0) { () =>
          add(partitions.head, "renamed")
          end()
        })
      case Write.RemoveFile =>
        Seq(Step(0) { () =>
          if (of(partitions.head).size > 1) files -= of(partitions.head).minBy(_.modified)
          end()
        })
    }
  }

  private def holds(version: Version, file: SourceFile): Boolean =
    version.content.get.split(' ').contains(s"${file.path}")

  /** The steps of a job after its deletions, with a file for each of `targets`. */
  private def job(targets: Seq[Path]): Seq[Step] = {
    val start = Step(work) { () =>
      exists = true
      isStaged = true
    }
    val mark = Option.when(marks)(Step(moment)(() => committed = Some(time)))
    (start +: move(targets)) ++ (Step(moment)(() => end()) +: mark.toSeq)
  }

  private def remove(removed: Set[SourceFile]): Seq[Step] =
    removed.toSeq.map(file => Step(moment)(() => files -= file))

  private def move(targets: Seq[Path]): Seq[Step] =
    targets.map(target => Step(work)(() => add(target, "part")))

  private def add(target: Path, kind: String): Unit = {
    names += 1
    val name = f"$kind-$names%05d-$jobs%08x-0000-0000-0000-000000000000.c000"
    files += SourceFile(new Path(target, name), 1, time)(null)
  }

  private def end(): Unit = {
    isStaged = false
    states += time -> rows(files)
  }
}
