"""The settings of the suite's session, of which tests/README.md says what a user's has not."""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Iterable
from pathlib import Path

from eddyline.archive import JAVA_OPTIONS, archive_for, used
from eddyline.errors import EddylineError
from eddyline.session import jar_path, settings, spark_folder
from eddyline.versions import OtherExtension
from sessions import local_settings
from tiers import ROOT

ARCHIVES = ROOT / "build/archives"


def suite_settings(folder: Path) -> dict[str, str]:
    """Returns the settings of a session whose warehouse is in `folder`."""
    jvm = _jvm_settings()
    return {
        **jvm,
        **used(jvm, _home()),
        **local_settings(folder),
        "spark.driver.memory": "2g",
        "spark.buffer.pageSize": "1m",  # of each sort and aggregation, however few its rows are
        "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.catalog.lake": "io.eddyline.spark.VersionedCatalog",
        "spark.log.level": "ERROR",
        "spark.hadoop.fs.file.impl": "io.eddyline.spark.PlainLocalFileSystem",
        "spark.hadoop.fs.AbstractFileSystem.file.impl": "io.eddyline.spark.PlainLocalFs",
    }


def _jvm_settings() -> dict[str, str]:
    """Returns the settings with which the JVM starts."""
    given = {
        "spark.driver.extraClassPath": str(_scala_test_jar()),
        "spark.sql.extensions": "io.eddyline.tests.OtherScans",
        JAVA_OPTIONS: "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m",
    }
    return {**given, **settings(given)}


def _home() -> Path:
    home = spark_folder()
    assert home is not None
    return home


def is_eddyline_first() -> bool:
    """Returns whether the suite's session loads eddyline before another extension."""
    return bool(os.environ.get("EDDYLINE_FIRST"))


def load_extension(other: OtherExtension, jars: Iterable[Path]) -> None:
    """Adds an extension to the suite's session, after eddyline if `is_eddyline_first`."""
    from pytest_spark.config import SparkConfigBuilder

    conf = SparkConfigBuilder.get()
    path = os.pathsep.join([conf.get("spark.driver.extraClassPath"), *map(str, jars)])
    extensions = [other.extension, conf.get("spark.sql.extensions")]
    if is_eddyline_first():
        extensions.reverse()
    loaded = {
        "spark.driver.extraClassPath": path,
        "spark.sql.extensions": ",".join(extensions),
        **other.settings,
    }
    for key, value in loaded.items():
        conf.set(key, value)


def _scala_test_jar() -> Path:
    """Returns the jar of the tests' Scala classes; `make test` keeps it fresh."""
    jar = ROOT / "build" / "tests" / jar_path().name.replace("-spark-", "-tests-")
    if not jar.exists():
        runpy.run_path(str(ROOT / "jvm-shim/build.py"))["build_test_jar"]()
    return jar


if __name__ == "__main__":  # makes the archives of the suite's JVM, and of one without its settings
    os.environ["EDDYLINE_ARCHIVES"] = str(ARCHIVES)
    for jvm in (_jvm_settings(), settings({})):
        try:
            archive_for(jvm, _home()).make()
        except EddylineError as error:
            print(f"eddyline: the tests start slowly: {error}", file=sys.stderr)
