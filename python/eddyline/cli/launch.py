"""The settings of eddyline as other launchers of Spark take them."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator, Mapping

import javaproperties

from eddyline.session import PYTHON, settings, spark_defaults
from eddyline.versions import spark_lines

# where the image of docs/launch.md has them
_IMAGE_JAR = "/opt/spark/eddyline.jar"
_IMAGE_PYTHON = "/usr/bin/python3"


def _found() -> dict[str, str]:
    """Returns the settings beside `spark-defaults.conf`, whose lists the launcher would replace."""
    return settings(spark_defaults())


def _spark_submit() -> Iterator[str]:
    """Yields options of spark-submit."""
    found = _found()
    *options, last = (f"--conf {shlex.quote(f'{key}={value}')}" for key, value in found.items())
    yield from (f"{option} \\" for option in options)
    yield last


def _defaults() -> Iterator[str]:
    """Yields lines of `spark-defaults.conf`."""
    for key, value in _found().items():
        yield f"{key}  {javaproperties.escape(value)}"


def _python() -> Iterator[str]:
    """Yields a builder of sessions."""
    yield "from pyspark.sql import SparkSession"
    yield ""
    yield "spark = ("
    yield "    SparkSession.builder"
    for key, value in _found().items():
        yield f"    .config({json.dumps(key)}, {json.dumps(value)})"
    yield "    .getOrCreate()"
    yield ")"


def _kubernetes() -> Iterator[str]:
    """Yields a part of a SparkApplication of the Spark operator."""
    spark = spark_lines()[-1].pyspark
    found = settings({PYTHON: _IMAGE_PYTHON}, _IMAGE_JAR, spark)
    found["spark.jars"] = f"local://{_IMAGE_JAR}"
    yield "spec:"
    yield f"  image: spark-eddyline:{spark}"
    yield f"  sparkVersion: {spark}"
    yield "  sparkConf:"
    yield from (f"    {key}: {json.dumps(value)}" for key, value in found.items())


LAUNCHERS: Mapping[str, Callable[[], Iterator[str]]] = {
    "spark-submit": _spark_submit,
    "defaults": _defaults,
    "python": _python,
    "kubernetes": _kubernetes,
}
"""What yields the lines for a launcher, each but `kubernetes` with the errors of `jar_path`."""
