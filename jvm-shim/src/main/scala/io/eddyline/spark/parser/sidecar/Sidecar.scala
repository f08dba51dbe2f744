package io.eddyline.spark.parser.sidecar

import java.util.{LinkedHashMap, Map => JMap}

import org.apache.spark.{SparkConf, SparkEnv}
import org.apache.spark.internal.Logging
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.internal.SQLConf

/**
 * The sidecar of this JVM, started by the first text that needs it. If a process fails, the text is
 * sent to another one, once. A thread that waits for the reply can be interrupted, which happens
 * when its statement is cancelled. Recent replies are cached, because Spark Connect parses each
 * text twice.
 *
 * Errors, all of them `AnalysisException`: EDDYLINE_SIDECAR.NOT_STARTED, FAILED, TIMEOUT,
 * VERSION_MISMATCH; and EDDYLINE_READER, if a process cannot read the text, but goes on.
 */
private[spark] object Sidecar extends Logging {

  /** What may not happen again; a Python that cannot be started is the same the next time. */
  private val RETRIED = Set("EDDYLINE_SIDECAR.FAILED", "EDDYLINE_SIDECAR.TIMEOUT")
  private val REMEMBERED_TEXTS = 256
  private val REMEMBERED_LENGTH = 64 << 10

  private val processes = new SidecarProcesses(() => SidecarProcess.start(conf))

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

  /** The id of the oldest process, or -1 if none runs; for `eddyline doctor` and the tests. */
  def pid: Long = processes.pids.headOption.getOrElse(-1L)

  /** Ends all processes and clears the cache; the next text starts another process. */
  def stop(): Unit = {
    processes.stop()
    recent.synchronized(recent.clear())
  }

  private def ask(request: Request): String =
    try processes.use(_.ask(request))
    catch {
      case e: AnalysisException if RETRIED(e.getCondition) =>
        logWarning("The sidecar failed; retrying once", e)
        processes.use(_.ask(request))
    }

  private def conf: SparkConf = Option(SparkEnv.get).fold(new SparkConf)(_.conf)
}
