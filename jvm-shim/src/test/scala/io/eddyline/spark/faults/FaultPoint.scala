package io.eddyline.spark.faults

/** The failure the tests ask for; no other failure of a query is forgiven. */
class InjectedFault(place: String) extends RuntimeException(s"injected fault: $place")

/**
 * One switch a JVM: the n-th pass of a place fails, by an exception or by halting the JVM.
 *
 * The places in the life of a micro-batch, in their order:
 *  - `offset log`: before and after `offsets/<batch>` gets its name
 *  - `in version record`: before and after `eddyline/global/<batch>` gets its name
 *  - `before state commit`: a task is about to commit its state store
 *  - `in state commit`: before and after a file of the state's new version gets its name
 *  - `after state commit`: a task's store is committed, or the sink has the rows and wrote none
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

  /** Let the n-th pass of the place fail, counted from 1; `halt` kills the JVM. */
  def arm(place: String, pass: Int, halt: Boolean): Unit =
    synchronized { armed = Some((place, pass, halt)) }

  /** Let nothing fail; tells whether the fault was still to come. */
  def disarm(): Boolean = synchronized {
    val waiting = armed.nonEmpty
    armed = None
    waiting
  }

  /** The code under test has come to the place. */
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
