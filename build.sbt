// One project for each supported Spark, compiled against the pyspark of its environment: `.venv`,
// or `.venv-spark-<minor>`, both made by `make`. jvm-shim/build.py says what the wheel's jars are
// built from, and these are built from the same.

import scala.sys.process.Process
import scala.xml.{Elem, Node}
import scala.xml.transform.{RewriteRule, RuleTransformer}

/** The environments by the minor version of their Spark; those that were not made are missing. */
lazy val environments: Seq[(String, File)] = {
  val code = "from eddyline.versions import spark_lines; print(*(x.minor for x in spark_lines()))"
  val minors = Process(Seq(".venv/bin/python", "-c", code)).!!.trim.split(" ").toSeq
  val older = minors.init.map(minor => minor -> file(s".venv-spark-$minor/bin/python"))
  older.filter(_._2.exists) :+ (minors.last -> file(".venv/bin/python"))
}

def build(python: File, arguments: String*): Seq[String] =
  Process(Seq(python.getPath, "jvm-shim/build.py") ++ arguments).!!.linesIterator.toSeq

/** Adds Spark to a POM. It is no dependency of the build, as Maven need not have that Spark. */
def provided(artifact: String, version: String): Node => Node = {
  val spark =
    <dependency>
      <groupId>org.apache.spark</groupId>
      <artifactId>{artifact}</artifactId>
      <version>{version}</version>
      <scope>provided</scope>
    </dependency>
  val rule = new RewriteRule {
    override def transform(node: Node): Seq[Node] = node match {
      case all: Elem if all.label == "dependencies" => all.copy(child = all.child ++ spark)
      case other => other
    }
  }
  new RuleTransformer(rule).transform(_).head
}

def line(minor: String, python: File): Project = {
  val facts = build(python, "--facts").map(_.split("=", 2)).groupBy(_(0))
    .map { case (name, found) => name -> found.map(_(1)) }
  def fact(name: String): String = facts(name).head
  val client = (file(fact("jars")) * "hadoop-client-api-*.jar").get().head.base
  require(fact("minor") == minor, s"$python has Spark ${fact("spark")}: unset SPARK_HOME")
  val id = "spark" + minor.replace(".", "")

  Project(id, file("build/sbt") / id).disablePlugins(ScalafmtPlugin).settings(
    name := s"eddyline for Spark $minor",
    moduleName := s"eddyline-spark-$minor",
    version := fact("version"),
    scalaVersion := fact("scala"),
    description := s"${fact("description")}; for Spark $minor",
    scalacOptions := facts("flag"),
    // sbt brings Scala itself, in the same version
    Compile / unmanagedJars := (file(fact("jars")) *
      ("*.jar" -- ("scala-library-*.jar" | "scala-compiler-*.jar" | "scala-reflect-*.jar"))).classpath,
    Compile / unmanagedSourceDirectories := facts("source").map(file),
    Test / unmanagedSourceDirectories := facts("suite").map(file),
    Compile / resourceGenerators += Def.task {
      build(python, "--resources", (Compile / resourceManaged).value.getPath).map(file)
    },
    Compile / packageBin / packageOptions := Nil,
    Compile / packageDoc / publishArtifact := false,
    // the version before a release is published again and again
    publishM2Configuration := publishM2Configuration.value.withOverwrite(true),
    libraryDependencies += "org.scalatest" %% "scalatest" % "3.2.19" % Test,
    // the servers of HDFS, whose client is among Spark's jars
    libraryDependencies += ("org.apache.hadoop" % "hadoop-client-minicluster" %
      client.split("-").last % Test).intransitive(),
    Test / fork := true,
    Test / javaOptions ++= Seq(
      "-Xmx512m",
      "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
      s"-Dlog4j2.configurationFile=${file("python/eddyline/cli/log4j2.properties").absolutePath}"),
    pomPostProcess := provided("spark-sql_" + scalaBinaryVersion.value, fact("spark")))
}

lazy val site = "https://github.com/eddyline/eddyline"

ThisBuild / organization := "io.eddyline"
ThisBuild / organizationName := "The eddyline developers"
ThisBuild / homepage := Some(url(site))
ThisBuild / licenses := Seq(License.Apache2)
ThisBuild / developers := List(
  Developer("eddyline", (ThisBuild / organizationName).value, "", url(site)))
ThisBuild / scmInfo := Some(ScmInfo(url(site), s"scm:git:$site.git"))

lazy val lines = new CompositeProject {
  override val componentProjects: Seq[Project] = environments.map { case (minor, python) =>
    line(minor, python)
  }
}

lazy val root = project.in(file("."))
  .aggregate(lines.componentProjects.map(_.project): _*)
  .settings(
    publish / skip := true,
    // the files that the projects share are formatted once
    Compile / scalafmt / unmanagedSources :=
      (baseDirectory.value / "jvm-shim/src" ** "*.scala").get())
