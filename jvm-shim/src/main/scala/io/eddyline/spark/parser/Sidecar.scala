package io.eddyline.spark.parser

import java.io.IOException
import java.util.{LinkedHashMap, Map => JMap}

import org.apache.spark.{SparkConf, SparkEnv}
import org.apache.spark.internal.Logging
import org.apache.spark.sql.AnalysisException

import io.eddyline.spark.{EddylineConf, EddylineErrors, EddylineVersion}

/**
 * The one sidecar of this JVM: started by the first text that needs it, one request at a time, one
 * restart for each request. Spark Connect parses each text twice, hence the memory of recent
 * replies.
 *
 * Errors: EDDYLINE_SIDECAR.NOT_STARTED, FAILED, TIMEOUT, VERSION_MISMATCH.
 */
private[spark] object Sidecar extends Logging {
  private val REMEMBERED_TEXTS = 256
  private val REMEMBERED_LENGTH = 64 << 10

  private var process: Option[SidecarProcess] = None

  private val recent = new LinkedHashMap[String, Reply](64, 0.75f, true) {
    override def removeEldestEntry(eldest: JMap.Entry[String, Reply]): Boolean =
      size > REMEMBERED_TEXTS
  }

  /** What the sidecar says of `text`. */
  def read(text: String): Reply = synchronized {
    Option(recent.get(text)).getOrElse {
      val reply = Reply.parse(ask(text))
      if (text.length <= REMEMBERED_LENGTH) recent.put(text, reply)
      reply
    }
  }

  /** The process id, or -1 where none runs. For `eddyline doctor` and the tests. */
  def pid: Long = synchronized(process.filter(_.isAlive).fold(-1L)(_.pid))

  /** End the process, if one runs, and forget its replies; the next text starts another. */
  def stop(): Unit = synchronized {
    process.foreach(_.stop())
    process = None
    recent.clear()
  }

  private def ask(text: String): String = {
    def attempt(): Either[SidecarProcess, String] = {
      val sidecar = running()
      try Right(sidecar.ask(text))
      catch {
        case e: IOException =>
          logWarning(s"The sidecar with process id ${sidecar.pid} failed", e)
          process = None
          sidecar.stop()
          Left(sidecar)
      }
    }
    attempt().orElse(attempt()).fold(sidecar => throw failed(sidecar), identity)
  }

  private def conf: SparkConf = Option(SparkEnv.get).fold(new SparkConf)(_.conf)

  private def running(): SidecarProcess = process.filter(_.isAlive).getOrElse {
    val started = start(PythonLocator.find(conf))
    process = Some(started)
    started
  }

  private def start(python: String): SidecarProcess = {
    val sidecar =
      try new SidecarProcess(python, EddylineConf.sidecarTimeout(conf))
      catch {
        case e: IOException => throw error("NOT_STARTED", e, "python" -> python,
          "reason" -> e.getMessage)
      }
    val version =
      try sidecar.hello()
      catch {
        case e: IOException =>
          sidecar.stop()
          throw error("NOT_STARTED", e, "python" -> python, "reason" -> sidecar.lastWords)
      }
    if (version != EddylineVersion.eddyline) {
      sidecar.stop()
      throw error("VERSION_MISMATCH", null, "python" -> python, "pythonVersion" -> version,
        "jarVersion" -> EddylineVersion.eddyline)
    }
    logInfo(s"Started the sidecar by $python, process id ${sidecar.pid}")
    sidecar
  }

  private def failed(sidecar: SidecarProcess): AnalysisException =
    if (sidecar.timedOut) {
      error("TIMEOUT", null, "timeout" -> EddylineConf.sidecarTimeout(conf).toString)
    } else {
      error("FAILED", null, "python" -> sidecar.python, "reason" -> sidecar.lastWords)
    }

  private def error(
      condition: String, cause: Throwable, parameters: (String, String)*): AnalysisException =
    EddylineErrors.analysis(
      s"EDDYLINE_SIDECAR.$condition", parameters.toMap, cause = Option(cause))
}
