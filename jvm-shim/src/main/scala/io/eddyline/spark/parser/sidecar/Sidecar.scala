package io.eddyline.spark.parser.sidecar

import java.util.{LinkedHashMap, Map => JMap}
import java.util.concurrent.locks.ReentrantLock

import org.apache.spark.{SparkConf, SparkEnv}
import org.apache.spark.internal.Logging
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.internal.SQLConf

/**
 * The sidecar of this JVM, a process that the first text starts which needs it. It reads one text
 * at a time, because a text takes milliseconds. If the process fails, the text is sent to another
 * one, once. A thread that waits can be interrupted, which happens when its statement is cancelled;
 * if the process is reading its text, that ends. Recent replies are cached, because Spark Connect
 * parses each text twice.
 *
 * Errors, all of them `AnalysisException`: EDDYLINE_SIDECAR.NOT_STARTED, FAILED, TIMEOUT,
 * VERSION_MISMATCH; and EDDYLINE_READER, if a process cannot read the text, but goes on.
 */
private[spark] object Sidecar extends Logging {

  /** What may not happen again; a Python that cannot be started is the same the next time. */
  private val RETRIED = Set("EDDYLINE_SIDECAR.FAILED", "EDDYLINE_SIDECAR.TIMEOUT")
  private val REMEMBERED_TEXTS = 256
  private val REMEMBERED_LENGTH = 64 << 10

  /** The thread that has it uses the process. */
  private val lock = new ReentrantLock

  @volatile private var process = Option.empty[SidecarProcess]

  private val recent = new LinkedHashMap[Request, Reply](64, 0.75f, true) {
    override def removeEldestEntry(eldest: JMap.Entry[Request, Reply]): Boolean =
      size > REMEMBERED_TEXTS
  }

  /** Returns the sidecar's reply to `text` under the settings of the active session. */
  def read(text: String): Reply = {
    val request = Request(text, SQLConf.get.doubleQuotedIdentifiers)
    recent.synchronized(Option(recent.get(request))).getOrElse {
      val reply = Reply.parse(ask(request))
      if (text.length <= REMEMBERED_LENGTH) recent.synchronized(recent.put(request, reply))
      reply
    }
  }

  /** The id of the process, or -1 if none runs; for `eddyline doctor` and the tests. */
  def pid: Long = running.fold(-1L)(_.pid)

  /** Ends the process, also while it reads a text, and clears the cache. */
  def stop(): Unit = {
    process.foreach(_.stop())
    recent.synchronized(recent.clear())
  }

  private def ask(request: Request): String = {
    lock.lockInterruptibly()
    try askOnce(request)
    catch {
      case e: AnalysisException if RETRIED(e.getCondition) =>
        logWarning("The sidecar failed; retrying once", e)
        askOnce(request)
    } finally lock.unlock()
  }

  private def askOnce(request: Request): String = {
    val asked = running.getOrElse(start())
    try asked.ask(request)
    catch {
      case e: Throwable =>
        asked.stop()
        throw e
    }
  }

  private def running: Option[SidecarProcess] = process.filter(_.isAlive)

  private def start(): SidecarProcess = {
    process = None
    val started = SidecarProcess.start(conf)
    process = Some(started)
    started
  }

  private def conf: SparkConf = Option(SparkEnv.get).fold(new SparkConf)(_.conf)
}
