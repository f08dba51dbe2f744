"""The jars of Spark's Kafka connector, which Spark does not include."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from eddyline.errors import EddylineError
from eddyline.java import find_java
from eddyline.session import spark_folder, started_spark
from eddyline.versions import jar_name, spark_line, spark_lines

_HANGS = 600  # seconds; a download may be slow
_SHOWN = 500  # characters of what a tool has printed

_POM = """\
<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>io.eddyline</groupId>
  <artifactId>kafka-connector</artifactId>
  <version>1</version>
  <dependencies>
{dependencies}
  </dependencies>
</project>
"""
# Without the exclusions Maven would ask the repositories that the parents of these name.
_POM_DEPENDENCY = """\
    <dependency>
      <groupId>{0}</groupId><artifactId>{1}</artifactId><version>{2}</version>
      <exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>
    </dependency>"""
_IVY = """\
<ivy-module version="2.0">
  <info organisation="io.eddyline" module="kafka-connector"/>
  <configurations><conf name="default"/></configurations>
  <dependencies>
{dependencies}
  </dependencies>
</ivy-module>
"""
_IVY_DEPENDENCY = (
    '    <dependency org="{0}" name="{1}" rev="{2}" transitive="false" conf="default->master"/>'
)


def connector(spark_minor: str | None = None) -> tuple[str, ...]:
    """Returns the Maven coordinates of the connector that fits a Spark, and of what it needs.

    Args:
        spark_minor: minor version such as "4.3"; None for that of the Spark that is started, or
            the newest where there is none.

    >>> connector()[0].rpartition(":")[0]
    'org.apache.spark:spark-sql-kafka-0-10_2.13'
    """
    if spark_minor is None and spark_folder() is None:
        return spark_lines()[-1].kafka
    return spark_line(spark_minor or started_spark()).kafka


def jar_names() -> tuple[str, ...]:
    """Returns the names of the files that `fetch` makes, that of the connector first."""
    return tuple(map(jar_name, connector()))


def fetch(folder: Path) -> list[Path]:
    """Fetches the jars of the connector into a folder, by Maven or else by Spark's Ivy.

    Maven knows the mirrors of its own settings; Ivy asks Maven Central.

    Args:
        folder: where the jars go; it is created if it is missing.

    Returns:
        The paths of the jars, the connector first.

    Raises:
        EddylineError: EDDYLINE_ENVIRONMENT.KAFKA_JARS_MISSING if neither fetches them,
            EDDYLINE_UNSUPPORTED_SPARK_VERSION if SPARK_HOME is of another Spark.
    """
    reasons = []
    for tool in _tools():
        with TemporaryDirectory() as scratch:
            reason = tool(Path(scratch))
            found = list(Path(scratch).glob("*.jar"))
            if set(jar_names()) <= {path.name for path in found}:
                folder.mkdir(parents=True, exist_ok=True)
                for path in found:
                    # whole or not at all, since another process may read the folder
                    partial = shutil.copy(path, folder / f"{path.name}.{os.getpid()}")
                    os.replace(partial, folder / path.name)
                return [folder / name for name in jar_names()]
        reasons.append(reason)
    raise EddylineError(
        "EDDYLINE_ENVIRONMENT.KAFKA_JARS_MISSING",
        reason="; ".join(reasons) or "there is neither Maven nor Spark, which brings Ivy",
        coordinates=", ".join(connector()),
    )


def _tools() -> Iterator[Callable[[Path], str]]:
    """Yields what fetches the jars into a folder and returns what it printed."""
    maven = shutil.which("mvn")
    if maven is not None:
        yield lambda scratch: _by_maven(maven, scratch)
    home = spark_folder()
    for ivy in home.glob("jars/ivy-*.jar") if home else ():
        yield lambda scratch, ivy=ivy: _by_ivy(ivy, scratch)  # type: ignore[misc]


def _by_maven(maven: str, scratch: Path) -> str:
    pom = scratch / "pom.xml"
    pom.write_text(_POM.format(dependencies=_dependencies(_POM_DEPENDENCY)), "utf-8")
    goal = ("dependency:copy-dependencies", f"-DoutputDirectory={scratch}")
    return "Maven: " + _printed([maven, "-q", "-B", "-f", str(pom), *goal])


def _by_ivy(ivy: Path, scratch: Path) -> str:
    module = scratch / "ivy.xml"
    module.write_text(_IVY.format(dependencies=_dependencies(_IVY_DEPENDENCY)), "utf-8")
    java, _ = find_java()
    words = ("-ivy", str(module), "-confs", "default", "-types", "jar", "-retrieve")
    pattern = f"{scratch}/[artifact]-[revision].[ext]"
    return "Ivy: " + _printed([java, "-jar", str(ivy), *words, pattern])


def _dependencies(template: str) -> str:
    return "\n".join(template.format(*coordinate.split(":")) for coordinate in connector())


def _printed(command: Iterable[str]) -> str:
    """Runs a command and returns the end of what it printed."""
    try:
        done = subprocess.run(
            list(command), capture_output=True, text=True, check=False, timeout=_HANGS
        )
    except subprocess.TimeoutExpired:
        return f"it did not end within {_HANGS} s"
    return (done.stdout + done.stderr).strip()[-_SHOWN:]
