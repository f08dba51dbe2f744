package io.eddyline.spark.parser

import java.io.{BufferedInputStream, BufferedOutputStream, BufferedReader, DataInputStream}
import java.io.{DataOutputStream, EOFException, IOException, InputStreamReader}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.concurrent.{Executors, ScheduledExecutorService, TimeUnit}
import java.util.concurrent.atomic.AtomicBoolean

import scala.util.control.NonFatal

import org.apache.spark.internal.Logging

/**
 * One running `python -m eddyline.sidecar`. Frames on its standard input and output are a length of
 * four bytes and that many bytes of UTF-8. The process ends when its standard input closes, so it
 * cannot outlive this JVM. Not thread-safe: [[Sidecar]] holds the lock.
 */
private[parser] class SidecarProcess(val python: String, timeout: Long) extends Logging {

  private val process: Process = {
    val builder = new ProcessBuilder(python, "-u", "-m", "eddyline.sidecar")
    // A folder `eddyline` in the working directory must not be what runs.
    builder.environment.put("PYTHONSAFEPATH", "1")
    builder.start()
  }
  private val requests = new DataOutputStream(new BufferedOutputStream(process.getOutputStream))
  private val replies = new DataInputStream(new BufferedInputStream(process.getInputStream))
  private val diagnostics = new SidecarDiagnostics(process.getErrorStream)
  private val expired = new AtomicBoolean(false)

  def pid: Long = process.pid

  def isAlive: Boolean = process.isAlive

  /** Whether the watchdog ended the process. */
  def timedOut: Boolean = expired.get

  /** The last words on standard error, else the exit status. */
  def lastWords: String = {
    process.waitFor(1, TimeUnit.SECONDS)
    diagnostics.lastLine.getOrElse(
      if (process.isAlive) "it closed its standard output"
      else s"exit status ${process.exitValue}")
  }

  /** The first frame: the version of eddyline that the process runs. */
  def hello(): String = watched(readFrame())

  /** One round trip. Throws `IOException` if the process ends before it has answered. */
  def ask(text: String): String = watched {
    val bytes = text.getBytes(UTF_8)
    requests.writeInt(bytes.length)
    requests.write(bytes)
    requests.flush()
    readFrame()
  }

  def stop(): Unit = {
    try requests.close()
    catch { case e: IOException => logDebug("The sidecar was already gone", e) }
    if (!process.waitFor(SidecarProcess.GRACE_SECONDS, TimeUnit.SECONDS)) process.destroyForcibly()
  }

  private def readFrame(): String = {
    val length = replies.readInt()
    if (length < 0 || length > SidecarProcess.MAX_FRAME) {
      throw new EOFException(s"not a frame of the sidecar (length $length)")
    }
    val bytes = new Array[Byte](length)
    replies.readFully(bytes)
    new String(bytes, UTF_8)
  }

  private def watched[T](body: => T): T = {
    val kill: Runnable = () => { expired.set(true); process.destroyForcibly() }
    val guard = SidecarProcess.watchdog.schedule(kill, timeout, TimeUnit.MILLISECONDS)
    try body
    finally guard.cancel(false)
  }
}

private object SidecarProcess {
  private val GRACE_SECONDS = 2L
  private val MAX_FRAME = 256 << 20

  private lazy val watchdog: ScheduledExecutorService =
    Executors.newSingleThreadScheduledExecutor { task =>
      val thread = new Thread(task, "eddyline-sidecar-watchdog")
      thread.setDaemon(true)
      thread
    }
}

/** Drains the process's standard error into Spark's log and remembers its last line. */
private class SidecarDiagnostics(stream: java.io.InputStream) extends Logging {
  @volatile private var last: Option[String] = None

  private val drain = new Thread("eddyline-sidecar-stderr") {
    override def run(): Unit =
      try {
        val reader = new BufferedReader(new InputStreamReader(stream, UTF_8))
        Iterator.continually(reader.readLine()).takeWhile(_ != null).filter(_.trim.nonEmpty)
          .foreach { line => logWarning(s"sidecar: $line"); last = Some(line.trim) }
      } catch { case NonFatal(e) => logDebug("The sidecar's standard error is closed", e) }
  }
  drain.setDaemon(true)
  drain.start()

  def lastLine: Option[String] = { drain.join(1000); last }
}
