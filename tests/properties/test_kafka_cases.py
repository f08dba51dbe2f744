"""The cogroup cases of the tests of Kafka Streams, each run as a batch COGROUP.

A case's `final_derived` holds the last value of each key (and window), which a batch must give.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Case = dict[str, Any]
Row = tuple[Any, ...]

FILE = Path(__file__).resolve().parents[1] / "cases/kafka_cogroup.json"
CASES: list[Case] = json.loads(FILE.read_text("utf-8"))

SKIPPED = {
    "cogroup_sliding": "sliding windows: no equivalent, Spark's window(t, size, slide) is hopping",
}

# Values that Spark must not give. Kafka starts every row of a session with a new initializer and
# merges it with the session that it finds; Spark merges aggregation buffers, so there is one.
DIFFERENT = {"session_same_timestamp_no_tombstone": {"0+0+A+A": "0+A+A"}}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_kafka_case(spark: SparkSession, case: Case) -> None:
    operation = case["params"]["op"]
    if operation in SKIPPED:
        pytest.skip(SKIPPED[operation])
    for name, rows in case["inputs"].items():
        _create_view(spark, name, rows)
    _create_view(spark, "silent", [])
    found = sorted(tuple(row) for row in spark.sql(_cogroup(case)).collect())
    values = DIFFERENT.get(case["name"], {})
    assert set(values) <= {row["value"] for row in case["final_derived"]}
    expected = [
        _row({**row, "value": values.get(row["value"], row["value"])})
        for row in case["final_derived"]
    ]
    assert expected
    assert found == sorted(expected)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_final_rows_are_the_last_updates(case: Case) -> None:
    last = {(row["key"], *row.get("window", ())): _row(row) for row in case["expected"]}
    assert sorted(last.values()) == sorted(map(_row, case["final_derived"]))


def _row(row: Case) -> Row:
    return (row["key"], *row.get("window", ()), row["value"], row["ts"])


def _create_view(spark: SparkSession, name: str, rows: Iterable[Case]) -> None:
    schema = "key STRING, value STRING, ts BIGINT, seq INT"
    data = [(row["key"], row["value"], row["ts"], row["seq"]) for row in rows]
    frame = spark.createDataFrame(data, schema)
    frame.selectExpr("key", "value", "timestamp_millis(ts) AS ts", "seq").createTempView(name)


def _cogroup(case: Case) -> str:
    """Returns the case as SQL: the columns key, start and end of a window, value, ts."""
    params = case["params"]
    keys, columns = "key", "key"
    if params["op"] == "cogroup_time_window":
        assert params["advance"] == params["size"], "a hopping window also needs start >= 0"
        keys = f"(key, window(ts, '{params['size']} milliseconds') AS w)"
        columns = "key, unix_millis(w.start), unix_millis(w.end)"
    elif params["op"] == "cogroup_session":
        keys = f"(key, session_window(ts, '{params['gap']} milliseconds') AS w)"
        # Kafka's session ends at its last event, Spark's one gap later
        columns = f"key, unix_millis(w.start), unix_millis(w.end) - {params['gap']}"
    # Kafka drops a NULL value unless there is a window; in SQL such a row counts
    where = "WHERE value IS NOT NULL" if params["op"] == "cogroup" else ""
    names = [*case["inputs"], "silent"]  # Kafka may cogroup one stream, COGROUP needs two branches
    branches = ", ".join(f"{name} {where} BY {keys}" for name in names)
    # Kafka folds in order of arrival, which SQL must be told: `seq`, over all branches
    steps = ", ".join(
        f"collect_list(struct({name}.seq, concat('{_sign(case, name)}', {name}.value) AS step))"
        for name in names
    )
    last = ", ".join(f"max({name}.ts)" for name in names)
    return f"""
        SELECT {columns}, value, unix_millis(ts) FROM (
          COGROUP {branches}
          AGGREGATE aggregate(array_sort(concat({steps})), '{params["init"]}',
                              (folded, row) -> concat(folded, row.step)) AS value,
                    greatest({last}) AS ts)
    """


def _sign(case: Case, name: str) -> str:
    sign = case["params"]["agg"].get(name, "")
    return "" if sign == "concat" else str(sign)
