package io.eddyline.spark.parser.sidecar

import java.util.{LinkedHashMap, Map => JMap}
import java.util.concurrent.locks.ReentrantLock

import org.apache.spark.{SparkConf, SparkEnv}
import org.apache.spark.internal.Logging
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.internal.SQLConf

/**
 * The sidecar of this JVM, a process that starts with the first text that needs it. It reads one
 * text at a time, because a text takes milliseconds. If the process fails, the text is sent to a
 * new one, once; not if it does not answer in time, since others wait. A thread that waits can be
 * interrupted, which happens when its statement is cancelled; if the process is reading the text of
 * this thread, the process ends. Recent replies are cached, because Spark Connect parses each text
 * twice.
 *
 * Errors, all of them `AnalysisException`: EDDYLINE_SIDECAR.NOT_STARTED, FAILED, TIMEOUT,
 * VERSION_MISMATCH; and EDDYLINE_READER, if reading the text fails but the process survives.
 */
private[spark] object Sidecar extends Logging {

  /** The number of replies in the cache. */
  private val REMEMBERED_TEXTS = 256

  /** The maximum length of a text whose reply is cached, in characters. */
  private val REMEMBERED_LENGTH = 64 << 10

  /** Held while a text is sent and its reply is read. */
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
    val last = process
    process = None // the process may live a little longer
    last.foreach(_.stop())
    recent.synchronized(recent.clear())
  }

  private def ask(request: Request): String = {
    lock.lockInterruptibly()
    try askOnce(request)
    catch {
      case e: AnalysisException if e.getCondition == "EDDYLINE_SIDECAR.FAILED" =>
        logWarning("The sidecar failed; retrying once", e)
        askOnce(request)
    } finally lock.unlock()
  }

  private def askOnce(request: Request): String = {
    val sidecar = running.getOrElse(start())
    try sidecar.ask(request)
    catch {
      case e: Throwable =>
        process = None
        sidecar.stop()
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
