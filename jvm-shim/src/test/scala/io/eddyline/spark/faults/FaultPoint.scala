package io.eddyline.spark.faults

/** The failure that a test has requested; any other failure of a query fails the test. */
class InjectedFault(place: String) extends RuntimeException(s"injected fault: $place")

/**
 * Lets the n-th pass of a place fail, with an exception or by halting the JVM; one switch per JVM.
 *
 * The places in the life of a micro-batch, in order:
 *  - `offset log`: before and after `offsets/<batch>` gets its name
 *  - `in version record`: before and after `eddyline/global/<batch>` gets its name
 *  - `before state commit`: a task is about to commit its state store
 *  - `in state commit`: before and after a file of the state's new version gets its name
 *  - `after state commit`: a task's store is committed, or the sink has got the rows but has not
 *    written any
 *  - `in sink`: the sink wrote one more row
 *  - `before commit log`: the sink is done, or `commits/<batch>` is about to be made
 *  - `in commit log`: before and after `commits/<batch>` gets its name
 */
object FaultPoint {
  val OffsetLog = "offset log"
  val InVersionRecord = "in version record"
  val BeforeStateCommit = "before state commit"
  val InStateCommit = "in state commit"
  val AfterStateCommit = "after state commit"
  val BeforeCommitLog = "before commit log"
  val InCommitLog = "in commit log"

  private var armed: Option[(String, Int, Boolean)] = None

  /** Lets the n-th pass of the place fail, counted from 1; `halt` kills the JVM. */
  def arm(place: String, pass: Int, halt: Boolean): Unit =
    synchronized { armed = Some((place, pass, halt)) }

  /** Removes the fault; returns whether it had not occurred yet. */
  def disarm(): Boolean = synchronized {
    val waiting = armed.nonEmpty
    armed = None
    waiting
  }

  /** Notes that the code under test has reached the place, and fails if armed. */
  def reach(place: String): Unit = {
    Straggler.linger(place)
    fail(place)
  }

  private def fail(place: String): Unit = synchronized {
    armed match {
      case Some((`place`, 1, halt)) =>
        if (halt) {
          System.err.println(s"halted: $place")
          Runtime.getRuntime.halt(1)
        }
        armed = None
        throw new InjectedFault(place)
      case Some((`place`, left, halt)) => armed = Some((place, left - 1, halt))
      case _ =>
    }
  }
}
