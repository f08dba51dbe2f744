package io.eddyline.spark.parser.sidecar

import java.io._
import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import java.util.concurrent.{Callable, ExecutionException, Executors, TimeoutException, TimeUnit}

import scala.util.Using

import org.apache.spark.SparkConf
import org.apache.spark.internal.Logging
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.eddyline.DaemonThreads

import io.eddyline.spark.base.{EddylineConf, EddylineErrors, EddylineVersion}

/**
 * One running process of the Python module `eddyline.sidecar`. A frame on its standard input or
 * output is a length of four bytes, then that many bytes. The process ends when its standard input
 * closes, so it cannot outlive this JVM. It is not thread-safe: one thread uses it at a time.
 *
 * @param timeout maximum time for one reply, in ms
 */
private[parser] class SidecarProcess private (python: String, timeout: Long) {
  import SidecarProcess._

  private val process: Process = {
    val builder = new ProcessBuilder(python, "-u", "-c", START)
    PythonLocator.modules.foreach { path =>
      // first: a package of this name and another version may be installed
      builder.environment.merge("PYTHONPATH", path,
        (others, own) =>
          own + File.pathSeparator + others)
    }
    // an empty item is the working directory
    builder.environment.computeIfPresent("PYTHONPATH",
      (_, items) =>
        items.split(File.pathSeparator).filter(new File(_).isAbsolute).mkString(File.pathSeparator))
    builder.start()
  }
  private val requests = new DataOutputStream(new BufferedOutputStream(process.getOutputStream))
  private val replies = new DataInputStream(new BufferedInputStream(process.getInputStream))
  private val diagnostics = new SidecarDiagnostics(process.getErrorStream)

  /** Does the I/O: a thread that waits for this one can be interrupted, one that reads cannot. */
  private val pipe =
    Executors.newSingleThreadExecutor(DaemonThreads(s"eddyline-sidecar-$pid"))

  def pid: Long = process.pid

  def isAlive: Boolean = process.isAlive

  /** Sends a request and returns the reply as JSON. Errors: EDDYLINE_SIDECAR.FAILED, TIMEOUT. */
  def ask(request: Request): String =
    try {
      await(timeout) {
        val frame = request.frame
        requests.writeInt(frame.length)
        requests.write(frame)
        requests.flush()
        readFrame(MAX_FRAME)
      }
    } catch {
      case e: TimeoutException => throw error("TIMEOUT", e, "timeout" -> timeout.toString)
      case e: IOException => throw error("FAILED", e, "python" -> python, "reason" -> reason(e))
    }

  def stop(): Unit = {
    pipe.shutdownNow()
    try requests.close()
    catch { case _: IOException => } // the process has ended by itself
    if (!process.waitFor(GRACE_SECONDS, TimeUnit.SECONDS)) process.destroyForcibly()
  }

  /**
   * Reads the first frame: the version of eddyline that the process runs. It has 30 seconds for
   * its start, however little time a reply has. One that was killed meanwhile has FAILED.
   */
  private def hello(): String = {
    val limit = timeout.max(START_MILLIS)
    try await(limit)(readFrame(MAX_VERSION))
    catch {
      case e: IOException =>
        val condition = if (wasKilled) "FAILED" else "NOT_STARTED"
        throw error(condition, e, "python" -> python, "reason" -> reason(e))
      case e: TimeoutException =>
        throw error(
          "NOT_STARTED", e, "python" -> python, "reason" -> s"it did not answer within $limit ms")
    }
  }

  /** Returns what `body` reads; kills the process after a timeout or an interrupt. */
  private def await(millis: Long)(body: => String): String = {
    val read: Callable[String] = () => body
    val answer = pipe.submit(read)
    try answer.get(millis, TimeUnit.MILLISECONDS)
    catch {
      case e: ExecutionException => throw e.getCause
      case e @ (_: TimeoutException | _: InterruptedException) =>
        process.destroyForcibly()
        throw e
    }
  }

  private def readFrame(limit: Int): String = {
    val length = replies.readInt()
    if (length < 0 || length > limit) {
      val printed = ByteBuffer.allocate(4).putInt(length).array ++
        replies.readNBytes(replies.available.min(MAX_SHOWN))
      throw new NotAFrameException(new String(printed, UTF_8).takeWhile(_ >= ' '))
    }
    val bytes = new Array[Byte](length)
    replies.readFully(bytes)
    new String(bytes, UTF_8)
  }

  private def reason(e: IOException): String = e match {
    case e: NotAFrameException => e.getMessage
    case _ => stderrTail
  }

  /** Whether a signal has ended the process, whose number Java adds to 128. */
  private def wasKilled: Boolean =
    process.waitFor(EXIT_SECONDS, TimeUnit.SECONDS) && process.exitValue > SIGNAL

  /** The last line on standard error, else the exit status. */
  private def stderrTail: String = {
    val ended = process.waitFor(EXIT_SECONDS, TimeUnit.SECONDS)
    // after the end of the process its standard error ends, unless a child of it has it open
    diagnostics.lastLine(if (ended) timeout else STDERR_MILLIS).getOrElse(
      if (process.isAlive) "it closed its standard output"
      else s"exit status ${process.exitValue}")
  }
}

private[parser] object SidecarProcess extends Logging {
  private val GRACE_SECONDS = 2L
  private val START_MILLIS = 30000L
  private val STDERR_MILLIS = 1000L
  private val EXIT_SECONDS = 10L
  private val SIGNAL = 128
  private val MAX_FRAME = 256 << 20 // bytes, as the others
  private val MAX_VERSION = 255
  private val MAX_SHOWN = 80

  /** A Python printed something else, as one does whose `sitecustomize` greets. */
  private class NotAFrameException(printed: String) extends IOException(
      s"""it printed "$printed" on standard output, where its answers belong""")

  /** The program, which python/eddyline/start_sidecar.py describes. */
  private val START = Using.resource(getClass.getResourceAsStream("/eddyline/start_sidecar.py"))(
    file => new String(file.readAllBytes(), UTF_8))

  /** Starts a process. Errors: EDDYLINE_SIDECAR.FAILED, NOT_STARTED, VERSION_MISMATCH. */
  def start(conf: SparkConf): SidecarProcess = {
    val python = PythonLocator.find(conf)
    val sidecar =
      try new SidecarProcess(python, EddylineConf.sidecarTimeout(conf))
      catch {
        case e: IOException =>
          throw error("NOT_STARTED", e, "python" -> python, "reason" -> e.getMessage)
      }
    try {
      requireVersion(python, sidecar.hello())
      logInfo(s"Started the sidecar by $python, process id ${sidecar.pid}")
      sidecar
    } catch {
      case e: Throwable =>
        sidecar.stop()
        throw e
    }
  }

  private def requireVersion(python: String, version: String): Unit =
    if (version != EddylineVersion.eddyline) {
      throw error("VERSION_MISMATCH", null, "python" -> python, "pythonVersion" -> version,
        "jarVersion" -> EddylineVersion.eddyline)
    }

  private def error(
      condition: String, cause: Throwable, parameters: (String, String)*): AnalysisException =
    EddylineErrors.analysis(
      s"EDDYLINE_SIDECAR.$condition", parameters.toMap, cause = Option(cause))
}
