"""Runs golden files with the eddyline that pip has installed, as a user's program would.

    python golden.py [--remote sc://…] SCRATCH FILE…

It prints JSON: the version of Spark, the jar, and for each file what failed in it, or null.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from pyspark.sql import SparkSession

import eddyline
from eddyline.versions import is_older
from goldenfiles import read_golden, run_golden
from sessions import drop_queries_and_global_tables, drop_tables_and_views, local_settings


def settings(scratch: Path) -> dict[str, str]:
    """Returns settings by which a session writes into `scratch` alone."""
    return {
        **local_settings(scratch),
        "spark.driver.memory": "1g",
        "spark.log.level": "OFF",
        "spark.sql.catalogImplementation": "in-memory",
        "spark.ui.showConsoleProgress": "false",
    }


def builder(scratch: Path, remote: str | None) -> SparkSession.Builder:
    """Returns a builder of a session of a server, or of one of its own."""
    made = SparkSession.builder
    if remote:
        return made.remote(remote)
    for key, value in settings(scratch).items():
        made.config(key, value)
    return made


def outcome(spark: SparkSession, path: Path, scratch: Path) -> str | None:
    """Returns the error of the first block of a file that fails, or None."""
    golden = read_golden(path)
    if is_older(spark.version, golden.since):
        return None
    checkpoints = scratch / "checkpoints" / path.parent.name / path.stem
    spark.conf.set("spark.sql.streaming.checkpointLocation", str(checkpoints))
    for key, value in next(golden.confs()).items():
        spark.conf.set(key, value)
    try:
        run_golden(spark, golden)
    except Exception as error:  # each file is reported
        return f"{type(error).__name__}: {error}"
    finally:
        spark.sql("RESET")
        drop_queries_and_global_tables(spark)
        drop_tables_and_views(spark)
    return None


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--remote")
    parser.add_argument("scratch", type=Path)
    parser.add_argument("files", type=Path, nargs="+")
    given = parser.parse_args()
    spark = eddyline.configure(builder(given.scratch, given.remote)).getOrCreate()
    report = {
        "spark": spark.version,
        "jar": str(eddyline.jar_path()),
        "files": {str(path): outcome(spark, path, given.scratch) for path in given.files},
    }
    json.dump(report, sys.stdout)
    spark.stop()


if __name__ == "__main__":
    main()
