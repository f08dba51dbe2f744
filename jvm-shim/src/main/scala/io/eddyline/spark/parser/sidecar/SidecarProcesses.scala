package io.eddyline.spark.parser.sidecar

import java.util.concurrent.{LinkedBlockingDeque, TimeUnit}

import scala.annotation.tailrec

/**
 * The pool of sidecar processes. Each reads one text at a time, and one is enough for all sessions,
 * because a text takes milliseconds. If a large text makes others wait for two seconds, another
 * process is started for them, up to four in total, and ended if another one is idle after its
 * text.
 *
 * @param start starts a process, or raises an error
 */
private[parser] class SidecarProcesses(start: () => SidecarProcess) {
  import SidecarProcesses._

  private val idle = new LinkedBlockingDeque[SidecarProcess]
  private var running = Vector.empty[SidecarProcess]
  private var places = 0 // number of processes that run or are starting

  /** Runs `body` with a process that no other thread uses; ends the process if `body` throws. */
  def use[T](body: SidecarProcess => T): T = {
    val sidecar = take(limit = 1, patience = 0)
    val result =
      try body(sidecar)
      catch {
        case e: Throwable =>
          end(sidecar)
          throw e
      }
    if (!giveBack(sidecar)) end(sidecar)
    result
  }

  /** The ids of the running processes, the oldest first. */
  def pids: Seq[Long] = synchronized(running).filter(_.isAlive).map(_.pid)

  /** Ends all processes; a thread that uses one gets EDDYLINE_SIDECAR.FAILED. */
  def stop(): Unit = {
    Iterator.continually(idle.poll()).takeWhile(_ != null).foreach(end)
    synchronized(running).foreach(_.stop())
  }

  @tailrec
  private def take(limit: Int, patience: Long): SidecarProcess =
    idle.poll(patience, TimeUnit.MILLISECONDS) match {
      case null => if (takePlace(limit)) started() else take(MAX_PROCESSES, PATIENCE_MILLIS)
      case sidecar if sidecar.isAlive => sidecar
      case ended =>
        end(ended)
        take(limit, patience = 0)
    }

  private def takePlace(limit: Int): Boolean = synchronized {
    val free = places < limit
    if (free) places += 1
    free
  }

  private def started(): SidecarProcess = {
    val sidecar =
      try start()
      catch {
        case e: Throwable =>
          synchronized(places -= 1)
          throw e
      }
    synchronized(running :+= sidecar)
    sidecar
  }

  private def giveBack(sidecar: SidecarProcess): Boolean = synchronized {
    idle.isEmpty && idle.offer(sidecar)
  }

  private def end(sidecar: SidecarProcess): Unit = {
    synchronized {
      running = running.filterNot(_ eq sidecar)
      places -= 1
    }
    sidecar.stop()
  }
}

private object SidecarProcesses {
  private val MAX_PROCESSES = 4
  private val PATIENCE_MILLIS = 2000L
}
