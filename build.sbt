// The same sources as jvm-shim/build.py, for IDEs and ScalaTest. Spark comes from the installed
// pyspark: EDDYLINE_PYTHON, by default .venv/bin/python, tells where.

import scala.sys.process._

val python = sys.env.getOrElse("EDDYLINE_PYTHON", ".venv/bin/python")

def ask(code: String): String = Process(Seq(python, "-c", code)).!!.trim

lazy val sparkHome = file(ask("import os, pyspark; print(os.path.dirname(pyspark.__file__))"))
lazy val sparkMinor = ask("import pyspark; print('.'.join(pyspark.__version__.split('.')[:2]))")

// scala-spark-since-<minor> is for that Spark and newer ones, scala-spark-before-<minor> for older
def foldersOf(minor: String): Seq[File] = {
  def number(text: String): Int = text.split('.').map(_.toInt).reduce(_ * 1000 + _)
  val name = "scala-spark-(since|before)-(.+)".r
  IO.listFiles(file("jvm-shim/src/main")).toSeq.filter(_.getName match {
    case name(bound, other) => (number(minor) >= number(other)) == (bound == "since")
    case _ => false
  })
}

ThisBuild / scalaVersion :=
  ask("from eddyline.versions import scala_version; print(scala_version())")
ThisBuild / version := ask("import eddyline; print(eddyline.__version__)")
ThisBuild / organization := "io.eddyline"

lazy val shim = (project in file("."))
  .settings(
    name := s"eddyline-spark-$sparkMinor",
    Compile / unmanagedSourceDirectories := Seq(
      baseDirectory.value / "jvm-shim/src/main/scala") ++ foldersOf(sparkMinor),
    Test / unmanagedSourceDirectories := Seq(baseDirectory.value / "jvm-shim/src/test/scala"),
    Compile / unmanagedResourceDirectories := Nil,
    // sbt brings Scala itself, in the same version
    Compile / unmanagedJars := ((sparkHome / "jars") ** ("*.jar" -- "scala-library-*.jar" --
      "scala-compiler-*.jar" -- "scala-reflect-*.jar")).classpath,
    Compile / resourceGenerators += Def.task {
      val out = (Compile / resourceManaged).value
      Process(Seq(python, "jvm-shim/build.py", "--resources", out.getPath)).!!
        .linesIterator.map(file).toSeq
    }.taskValue,
    scalacOptions ++= Seq("-deprecation", "-feature", "-unchecked", "-release", "17"))
