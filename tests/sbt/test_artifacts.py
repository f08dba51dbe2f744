"""What sbt publishes for each Spark: jars equal to the wheel's, with POMs that programs can use."""

from __future__ import annotations

import os
import runpy
import sys
import zipfile
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pyspark
import pytest

from eddyline.versions import SparkLine, eddyline_version, spark_line, spark_lines
from interop.jdbc import java
from interop.launch import SPARK_HOME, launcher, run
from tiers import ROOT

BUILD = runpy.run_path(str(ROOT / "jvm-shim/build.py"))
PUBLISHED = ROOT / "build/sbt"
CONSUMER = """
<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>example</groupId><artifactId>example</artifactId><version>1</version>
  <dependencies><dependency>
    <groupId>io.eddyline</groupId><artifactId>{artifact}</artifactId><version>{version}</version>
  </dependency></dependencies>
</project>
"""

each_spark = pytest.mark.parametrize("line", spark_lines(), ids=lambda line: line.minor)


def artifact(line: SparkLine) -> str:
    return f"eddyline-spark-{line.minor}_2.13"


def published(line: SparkLine, extension: str) -> Path:
    """Returns a published file, in the layout of Maven."""
    name, version = artifact(line), eddyline_version()
    return PUBLISHED / f"m2/io/eddyline/{name}/{version}/{name}-{version}.{extension}"


def scala_version(line: SparkLine) -> str:
    """Returns the version of Scala that a Spark has, in an environment of build.sbt."""
    is_newest = line == spark_lines()[-1]
    environment = ROOT / (".venv" if is_newest else f".venv-spark-{line.minor}")
    (jars,) = environment.glob("lib/python*/site-packages/pyspark/jars")
    version: str = BUILD["scala_version"](jars)
    return version


def text_at(node: Element, path: str) -> str | None:
    """Returns the text at a path below a node of a POM; None if there is none."""
    return node.findtext("/".join(f"{{*}}{name}" for name in path.split("/")))


def contents(jar: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(jar) as packed:
        files = [entry.filename for entry in packed.infolist() if not entry.is_dir()]
        return {name: packed.read(name) for name in files}


@each_spark
def test_the_jar_is_that_of_the_wheel(line: SparkLine) -> None:
    """Every class and resource is the same, whichever build a user has it from."""
    ours, theirs = contents(published(line, "jar")), contents(BUILD["jar_of"](ROOT, line.minor))
    assert sorted(ours) == sorted(theirs)
    assert [name for name in ours if ours[name] != theirs[name]] == []


@each_spark
def test_the_pom_describes_the_artifact(line: SparkLine) -> None:
    pom = ElementTree.parse(published(line, "pom")).getroot()
    wanted = {
        "groupId": "io.eddyline",
        "artifactId": artifact(line),
        "version": eddyline_version(),
        "packaging": "jar",
        "name": f"eddyline for Spark {line.minor}",
        "url": "https://github.com/eddyline/eddyline",
        "licenses/license/name": "Apache-2.0",
        "developers/developer/name": "The eddyline developers",
        "scm/url": "https://github.com/eddyline/eddyline",
    }
    assert {path: text_at(pom, path) for path in wanted} == wanted
    assert f"Spark {line.minor}" in str(text_at(pom, "description"))


@each_spark
def test_spark_is_provided(line: SparkLine) -> None:
    """The program brings Spark, so that the artifact never brings a second one."""
    pom = ElementTree.parse(published(line, "pom")).getroot()
    scopes = {
        (text_at(node, "artifactId"), text_at(node, "version")): text_at(node, "scope")
        for node in pom.iterfind("{*}dependencies/{*}dependency")
    }
    assert scopes.pop(("spark-sql_2.13", line.pyspark)) == "provided"
    assert scopes.pop(("scala-library", scala_version(line))) is None
    assert set(scopes.values()) == {"test"}


def resolved(line: SparkLine, folder: Path) -> list[Path]:
    """Returns the jars that Maven gives a project which depends on the artifact alone."""
    pom = folder / "pom.xml"
    pom.write_text(CONSUMER.format(artifact=artifact(line), version=eddyline_version()).strip())
    maven = ["mvn", "-q", "-B", f"-Dmaven.repo.local={PUBLISHED / 'm2'}", "-f", str(pom)]
    goal = ["dependency:copy-dependencies", f"-DoutputDirectory={folder / 'jars'}"]
    done = run([*maven, *goal], folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return sorted((folder / "jars").iterdir())


@each_spark
def test_maven_resolves_the_artifact(line: SparkLine, tmp_path: Path) -> None:
    names = [jar.name for jar in resolved(line, tmp_path)]
    assert names == [published(line, "jar").name, f"scala-library-{scala_version(line)}.jar"]


def test_a_program_is_compiled_and_submitted_with_the_artifact(tmp_path: Path) -> None:
    """Maven resolves it for the compiler, and `spark-submit --packages` for the driver."""
    line = spark_line(".".join(pyspark.__version__.split(".")[:2]))
    program, source = tmp_path / "program.jar", Path(__file__).with_name("Program.scala")
    path = os.pathsep.join(map(str, [*resolved(line, tmp_path), SPARK_HOME / "jars/*"]))
    scalac = [java(), "-cp", path, "scala.tools.nsc.Main", "-usejavacp"]
    done = run([*scalac, "-d", str(program), str(source)], tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    # an empty cache, since that of an earlier run would have the jar of that run
    ivy = tmp_path / "ivy"
    ivy.mkdir()
    (ivy / "local").symlink_to(PUBLISHED / "ivy/local")
    given = {
        "spark.master": "local[1]",
        "spark.driver.memory": "1g",
        "spark.ui.enabled": "false",
        "spark.jars.ivy": str(ivy),
        "spark.jars.packages": f"io.eddyline:{artifact(line)}:{eddyline_version()}",
        "spark.eddyline.python": sys.executable,
    }
    done = run(launcher("spark-submit", given, "--class", "Program", str(program)), tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1:] == ["[3]"]
