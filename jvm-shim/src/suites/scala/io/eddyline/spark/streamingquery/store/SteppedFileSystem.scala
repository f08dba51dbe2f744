package io.eddyline.spark.streamingquery.store

import java.io.{File, IOException}

import org.apache.hadoop.fs.{Path, RawLocalFileSystem}

/** The local file system, each step of which a test may interrupt, also one that only reads. */
class SteppedFileSystem extends RawLocalFileSystem {
  override def pathToFile(path: Path): File = {
    SteppedFileSystem.step()
    super.pathToFile(path)
  }
}

object SteppedFileSystem {
  private var left = Int.MaxValue
  private var action = () => ()

  /**
   * Does something before the n-th step of a body, counted from 0, as another application would;
   * returns whether there was such a step.
   */
  def meanwhile(n: Int)(other: => Unit)(body: => Unit): Boolean = {
    var isDone = false
    action = () => {
      isDone = true
      other
    }
    left = n
    try body
    finally left = Int.MaxValue
    isDone
  }

  /** Runs something that dies before its n-th step, as all that follow; returns whether it did. */
  def diesAt(n: Int)(body: => Unit): Boolean = meanwhile(n) {
    left = 0
    throw new IOException("the program is dead")
  } {
    try body
    catch { case _: IOException if left == 0 => }
  }

  private def step(): Unit =
    if (left > 0) left -= 1
    else {
      left = Int.MaxValue
      action()
    }
}
