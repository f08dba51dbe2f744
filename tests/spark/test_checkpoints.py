"""Checkpoints of streams that an older Spark has written go on under the newest one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from eddyline.versions import is_newest, spark_lines
from waiting import PROCESS_HANGS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).resolve().parents[2]
# The environment of `make setup`, which has the newest Spark.
NEWEST = ROOT / ".venv/bin/python"
STORES = "org.apache.spark.sql.execution.streaming.state"
STREAMS = {
    "sums": "SELECT k, sum(v) AS total FROM STREAM events GROUP BY k EMIT ON CHANGE",
    "rows": "SELECT k, v FROM STREAM events EMIT ON CHANGE KEY (k)",
    "groups": (
        "COGROUP STREAM events AS e BY k, STREAM others AS o BY k "
        "AGGREGATE sum(e.v) AS total, count(o.name) AS names EMIT ON CHANGE"
    ),
}
# Appends rows, runs each stream until it has read them, and prints what all its runs have emitted.
DRIVER = """
import json, sys
import eddyline
from pyspark.sql import SparkSession
folder, provider, streams, events, others = json.loads(sys.argv[1])
builder = eddyline.configure(SparkSession.builder.master("local[1]"))
builder = builder.config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "2")
builder = builder.config("spark.driver.memory", "1g")
spark = builder.config("spark.sql.streaming.stateStore.providerClass", provider).getOrCreate()
tables = (("events", "k INT, v INT", events), ("others", "k INT, name STRING", others))
for name, schema, rows in tables:
    spark.sql(f"CREATE TABLE {name} ({schema}) USING parquet LOCATION '{folder}/{name}'")
    spark.createDataFrame(rows, schema).write.insertInto(name)
found = {}
for name, sql in streams.items():
    stream = spark.sql(sql).writeStream.format("parquet").trigger(availableNow=True)
    stream = stream.option("checkpointLocation", f"{folder}/checkpoints/{name}")
    stream.start(f"{folder}/{name}").awaitTermination()
    found[name] = sorted(map(list, spark.read.parquet(f"{folder}/{name}").collect()))
print("FOUND" + json.dumps([spark.version, found]))
"""


def run(python: Path, *given: Any) -> list[Any]:
    done = subprocess.run(
        [python, "-c", DRIVER, json.dumps(given)],
        capture_output=True,
        check=False,
        text=True,
        timeout=PROCESS_HANGS,
        cwd=given[0],
        env={key: value for key, value in os.environ.items() if not key.startswith("PYSPARK")},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found: list[Any] = json.loads(done.stdout.partition("FOUND")[2])
    return found


@pytest.mark.parametrize("store", ["HDFSBackedStateStoreProvider", "RocksDBStateStoreProvider"])
def test_state_of_an_older_spark(spark: SparkSession, tmp_path: Path, store: str) -> None:
    if is_newest(spark.version):
        pytest.skip("this is the newest Spark: `make test-spark-<minor>` runs it")
    provider = f"{STORES}.{store}"
    folder = str(tmp_path)
    version, before = run(
        Path(sys.executable), folder, provider, STREAMS, [(1, 5), (2, 7)], [(1, "a")]
    )
    assert version == spark.version
    assert before == {
        "sums": [[1, 5], [2, 7]],
        "rows": [[1, 5], [2, 7]],
        "groups": [[1, 5, 1], [2, 7, 0]],
    }
    more = [(1, 0), (2, 7), (3, 4)]
    version, after = run(NEWEST, folder, provider, STREAMS, more, [(3, "b")])
    assert version == spark_lines()[-1].pyspark
    assert after == {
        "sums": [[1, 5], [2, 7], [2, 14], [3, 4]],
        "rows": [[1, 0], [1, 5], [2, 7], [3, 4]],
        "groups": [[1, 5, 1], [2, 7, 0], [2, 14, 0], [3, 4, 1]],
    }
