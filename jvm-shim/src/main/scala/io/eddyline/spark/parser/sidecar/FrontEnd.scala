package io.eddyline.spark.parser.sidecar

import java.io.File
import java.net.JarURLConnection

/** The front end in Python, which a standalone jar (`eddyline jar --standalone`) brings. */
private[parser] object FrontEnd {
  private val FOLDER = "eddyline/python"

  /** Where Python finds it, as a folder of a jar; None if the jar is a plain one. */
  lazy val path: Option[String] =
    Option(getClass.getResource(s"/$FOLDER/eddyline/sidecar.py")).map(_.openConnection).collect {
      case module: JarURLConnection => s"${new File(module.getJarFileURL.toURI)}/$FOLDER"
    }
}
