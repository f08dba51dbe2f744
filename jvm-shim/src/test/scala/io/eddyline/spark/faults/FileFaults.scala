package io.eddyline.spark.faults

import java.io.IOException
import java.util.concurrent.CountDownLatch

import org.apache.hadoop.fs.Path

/** Lets reads or writes below a folder fail or wait for the test; one switch per JVM. */
object FileFaults {
  private sealed trait Fault
  private case object ReadOnly extends Fault
  private case object Full extends Fault
  private case class Held(isFirm: Boolean = false, deletes: Boolean = false) extends Fault {
    val reached = new CountDownLatch(1)
    val released = new CountDownLatch(1)

    def pass(): Unit = {
      reached.countDown()
      while (released.getCount > 0) {
        try released.await()
        catch { case _: InterruptedException if isFirm => }
      }
    }
  }

  /**
   * How many milliseconds a job waits after each file that it publishes, so that a reader sees one
   * file of it before the next. `make flaky` sets it, to find tests that take a job for one step.
   */
  private val PAUSE = sys.env.get("EDDYLINE_COMMIT_PAUSE_MS").filter(_.nonEmpty).map(_.toLong)

  @volatile private var armed: Option[(String, Fault)] = None

  /** Lets changes of files and folders below the folder fail. */
  def readOnly(folder: String): Unit = armed = Some(folder -> ReadOnly)

  /** Lets the creation of files below the folder fail; folders can be created. */
  def full(folder: String): Unit = armed = Some(folder -> Full)

  /** Lets threads that read a file below the folder wait. */
  def hold(folder: String): Unit = armed = Some(folder -> Held())

  /** Lets threads that delete something below the folder wait. */
  def holdDeletions(folder: String): Unit = armed = Some(folder -> Held(deletes = true))

  /** Lets threads that read a file below the folder wait, also when they are interrupted. */
  def holdFirmly(folder: String): Unit = armed = Some(folder -> Held(isFirm = true))

  /** Waits until a thread reads or deletes there. */
  def awaitReader(): Unit = armed.foreach {
    case (_, held: Held) => held.reached.await()
    case _ =>
  }

  /** Removes the fault and releases waiting threads. */
  def mend(): Unit = {
    val before = armed
    armed = None
    before.foreach {
      case (_, held: Held) => held.released.countDown()
      case _ =>
    }
  }

  private[spark] def reading(path: Path): Unit = at(path) {
    case held: Held if !held.deletes => held.pass()
    case _ =>
  }

  private[spark] def deleting(path: Path): Unit = at(path) {
    case held: Held if held.deletes => held.pass()
    case _ => changing(path)
  }

  private[spark] def writing(path: Path): Unit = at(path) {
    case ReadOnly => throw new IOException(s"Read-only file system: $path")
    case Full => throw new IOException(s"No space left on device: $path")
    case _ =>
  }

  private[spark] def changing(path: Path): Unit = at(path) {
    case ReadOnly => throw new IOException(s"Read-only file system: $path")
    case _ =>
  }

  private[spark] def renamed(source: Path, target: Path): Unit =
    if (isTemporary(source) && !isTemporary(target)) PAUSE.foreach(Thread.sleep)

  private def isTemporary(path: Path): Boolean = path.toUri.getPath.contains("/_temporary/")

  private def at(path: Path)(act: Fault => Unit): Unit = armed.foreach { case (folder, fault) =>
    if (s"${path.toUri.getPath}/".startsWith(s"$folder/")) act(fault)
  }
}
