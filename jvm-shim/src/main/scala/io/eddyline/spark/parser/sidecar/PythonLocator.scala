package io.eddyline.spark.parser.sidecar

import java.io.File
import java.net.JarURLConnection

import scala.util.Try

import org.apache.spark.SparkConf

import io.eddyline.spark.base.EddylineConf

/** Finds the Python that runs the sidecar, and its modules. */
private[parser] object PythonLocator {
  private val FOLDER = "eddyline/python"

  /** The modules in a standalone jar (`eddyline jar --standalone`); None if it is a plain one. */
  lazy val modules: Option[String] =
    Option(getClass.getResource(s"/$FOLDER/eddyline/sidecar.py")).map(_.openConnection).collect {
      case module: JarURLConnection => s"${new File(module.getJarFileURL.toURI)}/$FOLDER"
    }

  /**
   * Returns the first of: `spark.eddyline.python`, EDDYLINE_PYTHON, the Python whose site-packages
   * contain the jar, `spark.pyspark.driver.python`, PYSPARK_DRIVER_PYTHON, `spark.pyspark.python`,
   * PYSPARK_PYTHON, `python3` on the path. One that is set but empty does not count.
   */
  def find(conf: SparkConf): String =
    Iterator(
      conf.getOption(EddylineConf.PYTHON.key),
      sys.env.get("EDDYLINE_PYTHON"),
      besideJar,
      conf.getOption("spark.pyspark.driver.python"),
      sys.env.get("PYSPARK_DRIVER_PYTHON"),
      conf.getOption("spark.pyspark.python"),
      sys.env.get("PYSPARK_PYTHON")).flatten.find(_.nonEmpty).getOrElse("python3")

  /** The Python under `<prefix>`, if `<prefix>/lib/pythonX.Y/site-packages` contains the jar. */
  private def besideJar: Option[String] =
    for {
      jar <- Try(new File(getClass.getProtectionDomain.getCodeSource.getLocation.toURI)).toOption
      site <- Iterator.iterate(jar)(_.getParentFile).takeWhile(_ != null)
        .find(folder => Set("site-packages", "dist-packages")(folder.getName))
      prefix <- Iterator.iterate(site)(_.getParentFile).takeWhile(_ != null).drop(3).nextOption()
      python <- Seq("python", "python3").map(new File(new File(prefix, "bin"), _))
        .find(_.canExecute)
    } yield python.getPath
}
