package io.eddyline.spark.parser

import java.util.{LinkedHashMap, Map => JMap}

import org.apache.spark.{SparkConf, SparkEnv}
import org.apache.spark.internal.Logging
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.internal.SQLConf

/**
 * The sidecar of this JVM, started by the first text that needs it. A text is read by one of its
 * processes, and once more if that fails. A thread that waits for the reply can be interrupted, as
 * it is when its statement is cancelled. Spark Connect parses each text twice, hence the memory of
 * recent replies.
 *
 * Errors, all of them `AnalysisException`: EDDYLINE_SIDECAR.NOT_STARTED, FAILED, TIMEOUT,
 * VERSION_MISMATCH.
 */
private[spark] object Sidecar extends Logging {
  private val REMEMBERED_TEXTS = 256
  private val REMEMBERED_LENGTH = 64 << 10

  private val processes = new SidecarProcesses(() => SidecarProcess.start(conf))

  private val recent = new LinkedHashMap[Request, Reply](64, 0.75f, true) {
    override def removeEldestEntry(eldest: JMap.Entry[Request, Reply]): Boolean =
      size > REMEMBERED_TEXTS
  }

  /** What the sidecar says of `text`, under the settings of the session at hand. */
  def read(text: String): Reply = {
    val request = Request(text, SQLConf.get.doubleQuotedIdentifiers)
    recent.synchronized(Option(recent.get(request))).getOrElse {
      val reply = Reply.parse(ask(request))
      if (text.length <= REMEMBERED_LENGTH) recent.synchronized(recent.put(request, reply))
      reply
    }
  }

  /** The process id, or -1 where none runs. For `eddyline doctor` and the tests. */
  def pid: Long = processes.pids.headOption.getOrElse(-1L)

  /** End what runs, and forget its replies; the next text starts another process. */
  def stop(): Unit = {
    processes.stop()
    recent.synchronized(recent.clear())
  }

  private def ask(request: Request): String =
    try processes.use(_.ask(request))
    catch {
      case e: AnalysisException =>
        logWarning("The sidecar failed, and is asked once more", e)
        processes.use(_.ask(request))
    }

  private def conf: SparkConf = Option(SparkEnv.get).fold(new SparkConf)(_.conf)
}
