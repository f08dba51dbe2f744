"""A run of Spark whose JVM writes an archive of its classes: `-m eddyline.cli.training CONF`.

It runs the examples of `sql/examples`, once with each kind of state store, and exits with what went
wrong. Java names each class that it cannot archive, so what the JVM writes is not shown.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping
from importlib.resources import files
from tempfile import TemporaryDirectory

from pyspark.sql import SparkSession

from eddyline.archive import refusal
from eddyline.jvm import end_jvm, error_text, started_with
from eddyline.lowering.statements import statements_of
from eddyline.session import configure

_CHECKPOINTS = "spark.sql.streaming.checkpointLocation"
_STATE = "spark.sql.streaming.stateStore.providerClass"
_PROVIDERS = ("HDFSBackedStateStoreProvider", "RocksDBStateStoreProvider")
_PACKAGE = "org.apache.spark.sql.execution.streaming.state"
_USES = {"ArchiveClassesAtExit": "-XX:SharedArchiveFile=", "AOTCacheOutput": "-XX:AOTCache="}
_CREATES = re.compile(f"-XX:({'|'.join(_USES)})=")


def train(settings: Mapping[str, str]) -> str | None:
    """Runs the examples with these settings of Spark, and waits for the end of the JVM.

    Returns:
        Why a JVM cannot use the archive that was written, or None.
    """
    with TemporaryDirectory(prefix="eddyline-", ignore_cleanup_errors=True) as folder:
        own = {
            "spark.driver.host": "127.0.0.1",
            "spark.ui.port": "0",
            "spark.sql.shuffle.partitions": "2",
            "spark.sql.warehouse.dir": f"{folder}/warehouse",
            "spark.eddyline.globalTable.snapshotLocation": f"{folder}/snapshots",
        }
        builder = SparkSession.builder.master("local[2]")
        for key, value in {**settings, **own}.items():
            builder.config(key, value)
        spark = configure(builder).getOrCreate()
        try:
            for provider in _PROVIDERS:
                _run_examples(spark, provider, folder)
            options, class_path = started_with(spark)
        finally:
            spark.stop()
            end_jvm()
    return refusal(
        [_CREATES.sub(lambda it: _USES[it[1]], option) for option in options], class_path
    )


def _run_examples(spark: SparkSession, provider: str, folder: str) -> None:
    for example in sorted(files("eddyline").joinpath("sql/examples").iterdir(), key=str):
        session = spark.newSession()
        name = f"{provider}_{example.name.removesuffix('.sql')}"
        session.conf.set(_STATE, f"{_PACKAGE}.{provider}")
        session.conf.set(_CHECKPOINTS, f"{folder}/{name}")
        session.sql(f"CREATE DATABASE {name}")
        session.sql(f"USE {name}")
        for statement in statements_of(example.read_text("utf-8")):
            session.sql(statement.text).collect()


if __name__ == "__main__":
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    shown, null = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    for output in (1, 2):
        os.dup2(null, output)
    try:
        reason = train(json.loads(sys.argv[1]))
    except Exception as error:  # the report of the doctor has it
        reason = error_text(error)
    if reason:
        os.write(shown, reason.encode())
        sys.exit(1)
