package io.eddyline.spark.faults

import java.io.IOException
import java.util.concurrent.CountDownLatch

import org.apache.hadoop.fs.Path

/** One switch a JVM: what is read or written below a folder fails, or waits for the test. */
object FileFaults {
  private sealed trait Fault
  private case object ReadOnly extends Fault
  private case object Full extends Fault
  private case class Held(reached: CountDownLatch, released: CountDownLatch) extends Fault

  @volatile private var armed: Option[(String, Fault)] = None

  /** Nothing can be made below the folder. */
  def readOnly(folder: String): Unit = armed = Some(folder -> ReadOnly)

  /** Folders can be made below the folder, but no file. */
  def full(folder: String): Unit = armed = Some(folder -> Full)

  /** Whoever reads a file below the folder waits. */
  def hold(folder: String): Unit =
    armed = Some(folder -> Held(new CountDownLatch(1), new CountDownLatch(1)))

  /** Waits until somebody reads there. */
  def awaitReader(): Unit = armed.foreach {
    case (_, held: Held) => held.reached.await()
    case _ =>
  }

  /** Nothing fails or waits any more. */
  def mend(): Unit = {
    val before = armed
    armed = None
    before.foreach {
      case (_, held: Held) => held.released.countDown()
      case _ =>
    }
  }

  private[spark] def reading(path: Path): Unit = at(path) {
    case Held(reached, released) =>
      reached.countDown()
      released.await()
    case _ =>
  }

  private[spark] def writing(path: Path): Unit = at(path) {
    case ReadOnly => throw new IOException(s"Read-only file system: $path")
    case Full => throw new IOException(s"No space left on device: $path")
    case _ =>
  }

  private[spark] def making(path: Path): Unit = at(path) {
    case ReadOnly => throw new IOException(s"Read-only file system: $path")
    case _ =>
  }

  private def at(path: Path)(act: Fault => Unit): Unit = armed.foreach { case (folder, fault) =>
    if (s"${path.toUri.getPath}/".startsWith(s"$folder/")) act(fault)
  }
}
