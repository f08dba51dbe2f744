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

/**
 * A folder of files to which one job after the other writes while the clock advances, and its rows.
 * The paths of the files are the rows, and the content of a version.
 *
 * @param marks whether jobs write temporary files and a `_SUCCESS`, and some overwrite the folder
 *              or one of its partitions; if not, each of them adds or removes one file
 */
class SimulatedSource(random: Random, marks: Boolean) extends SimulatedClock with ProbedSource {
  private val root = new Path("/source")
  private var folder = FolderListing(
    Set(SourceFile(new Path(root, "p=0/first"), 1, time - 1)(null)),
    committed = Option.when(marks)(time))
  private var exists = true
  private var isOverwritten = false
  private val steps = mutable.Queue.empty[Step]
  private var next = time
  private var files = 0
  private var jobs = 0

  /** Whether jobs write. */
  var isWritten = true

  /** When each job committed, and the rows then. */
  val states = mutable.Buffer((time, rows(folder.files)))

  /** When the probes began that may have found some files of an overwrite removed. */
  val torn = mutable.Set.empty[Long]

  /** How often rows were read. */
  var reads = 0

  /** The version in use. */
  var version = Option.empty[Version]

  override val options: GlobalTableOptions =
    GlobalTableOptions(refresh = Some(Duration.ofSeconds(1)))

  override def readsVersions: Boolean = false

  override def readsFolders: Boolean = false

  override def canMove: Boolean = false

  override def fingerprint(probe: Probe): Option[String] = Some(rows(probe.files.files))

  override def probe(): Probe = {
    val started = time
    sleep(random.nextInt(3))
    val names = folder
    sleep(random.nextInt(if (random.nextInt(4) == 0) 100 else 3))
    if (isOverwritten) torn += started
    if (!exists) throw new FileNotFoundException(s"$root")
    val found = names.copy(files = names.files.filter(file => folder.paths(file.path)))
    Probe(started, FileListing(Map(root -> found)))
  }

  def write(probe: Probe, staged: Option[StagedFiles], draft: Path): Version =
    Version("", 0, fingerprint(probe).get, rows = Some(1), content = Some(read(probe)))

  override def sleep(ms: Long): Unit = {
    val end = time + ms
    while (next <= end && (isWritten || steps.nonEmpty)) {
      time = time.max(next)
      if (steps.isEmpty) steps ++= (if (marks) job() else change())
      val step = steps.dequeue()
      step.run()
      next = time + 1 + random.nextInt(
        if (step.isQuick) 5 else if (random.nextInt(8) == 0) 2000 else 60)
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
    files.toSeq.map(file => s"${file.path}").sorted.mkString(" ")

  /**
   * A change of the folder that others see.
   *
   * @param isQuick whether the next one follows at once, as within one call of the file system
   */
  private case class Step(run: () => Unit, isQuick: Boolean = false)

  /** Returns the steps of a job that adds files, and may overwrite others first. */
  private def job(): Seq[Step] = {
    jobs += 1
    val removals = random.nextInt(6) match {
      case 0 => removeFolder()
      case 1 => remove(overwritten) :+ Step(() => ())
      case _ => Nil
    }
    removals ++
      (Step(() => start()) +: Seq.fill(1 + random.nextInt(3))(Step(() => add()))) :+
      Step(() => commit(folder.copy(writing = false))) :+
      Step(() => folder = folder.copy(committed = Some(time)))
  }

  /** The steps that remove the folder: its files and `_SUCCESS` in any order, at last itself. */
  private def removeFolder(): Seq[Step] = {
    val mark = Step(() => folder = folder.copy(committed = None), isQuick = true)
    random.shuffle(mark +: remove(folder.files)) :+ Step(() => exists = false)
  }

  private def remove(files: Set[SourceFile]): Seq[Step] = files.toSeq.map { file =>
    val removal = () => {
      isOverwritten = true
      folder = folder.copy(files = folder.files - file)
    }
    Step(removal, isQuick = true)
  }

  private def start(): Unit = {
    exists = true
    folder = folder.copy(writing = true)
  }

  private def change(): Seq[Step] = {
    jobs += 1
    Seq(Step { () =>
      if (folder.files.size > 1 && random.nextInt(3) == 0) {
        folder = folder.copy(files = folder.files - folder.files.minBy(_.modified))
      } else add()
      commit(folder)
    })
  }

  /**
   * The files of a partition that no job has overwritten since the version in use. A newer one that
   * the next job removes looks like one that was never written.
   */
  private def overwritten: Set[SourceFile] = {
    val used = version.toSeq.flatMap(_.content.get.split(' ')).toSet
    val partitions = folder.files.groupBy(_.path.getParent).values
      .filter(_.exists(file => used(file.path.toString)))
    random.shuffle(partitions.toSeq).headOption.getOrElse(Set.empty)
  }

  private def partition(): Path = new Path(root, s"p=${random.nextInt(2)}")

  private def add(): Unit = {
    files += 1
    val name = f"part-$files%05d-$jobs%08x-0000-0000-0000-000000000000.c000"
    folder = folder.copy(
      files = folder.files + SourceFile(new Path(partition(), name), 1, time)(null))
  }

  private def commit(to: FolderListing): Unit = {
    folder = to
    isOverwritten = false
    states += time -> rows(folder.files)
  }
}
