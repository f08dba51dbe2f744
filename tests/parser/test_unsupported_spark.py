"""The jar on a Spark that it was not built for."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from eddyline.session import settings
from waiting import PROCESS_HANGS

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

# Prints what each text gives: a list of rows, or the text of an error.
DRIVER = """
import json, sys
from pyspark.sql import SparkSession
builder = SparkSession.builder.master("local[1]")
for key, value in json.loads(sys.argv[1]).items():
    builder = builder.config(key, value)
spark = builder.getOrCreate()
found = []
for text in json.loads(sys.argv[2]):
    try:
        found.append([list(row) for row in spark.sql(text).collect()])
    except Exception as error:
        found.append(str(error))
print("FOUND" + json.dumps(found))
"""
CLAUSES = (
    "COGROUP range(2) AS a BY id, range(3) AS b BY id AGGREGATE count(*) AS n",
    "CREATE GLOBAL TABLE g AS SELECT 1 AS k",
    "SELECT id FROM range(3) EMIT ON CHANGE",
)


@pytest.mark.full
def test_clauses_are_refused_by_the_version(spark: SparkSession, tmp_path: Path) -> None:
    """The build's properties say another version, so this Spark is not the one of the jar."""
    folder = tmp_path / "eddyline"
    folder.mkdir()
    (folder / "build.properties").write_text("version=0.1.0\nspark=9.8.7\n")
    given = settings({"spark.driver.extraClassPath": str(tmp_path)})
    conf = {**given, "spark.ui.enabled": "false", "spark.driver.memory": "1g"}
    conf["spark.driver.bindAddress"] = "127.0.0.1"
    texts = ["SELECT 1 AS x", "EXPLAIN SELECT 1 AS x", "SELEC 1", *CLAUSES]
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, json.dumps(conf), json.dumps(texts)],
        capture_output=True,
        check=False,
        text=True,
        timeout=PROCESS_HANGS,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert "FOUND" in done.stdout, done.stderr
    plain, explained, typo, *refused = json.loads(done.stdout.partition("FOUND")[2])
    assert plain == [[1]]
    assert "EDDYLINE_UNSUPPORTED_SPARK_VERSION" in explained[0][0]
    assert "PARSE_SYNTAX_ERROR" in typo
    minor = ".".join(spark.version.split(".")[:2])
    for error in refused:
        assert error.startswith("[EDDYLINE_UNSUPPORTED_SPARK_VERSION]")
        assert f"supports Spark 9.8, but this is Spark {minor}" in error
        assert error.endswith("SQLSTATE: 56038")
