package io.eddyline.spark.parser.sidecar

import java.io.{BufferedReader, InputStream, InputStreamReader}
import java.nio.charset.StandardCharsets.UTF_8

import scala.util.control.NonFatal

import org.apache.spark.internal.Logging

/** Copies the process's standard error to Spark's log and keeps its last line. */
private[parser] class SidecarDiagnostics(stream: InputStream) extends Logging {
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

  /** The last line, after the end of the stream or so many milliseconds. */
  def lastLine(millis: Long): Option[String] = { drain.join(millis); last }
}
