"""The cogroup cases of the tests of Kafka Streams, each run as a batch COGROUP.

A case's `final_derived` holds the last value of each key (and window), which a batch must give.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import pytest

from kafka_streams import CASES, SILENT, Case, as_row, cogroup, expected, last, reason_not_to_run

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


COGROUPS = [case for case in CASES if case["feature"] == "cogroup"]


@pytest.mark.parametrize("case", COGROUPS, ids=lambda case: case["name"])
def test_kafka_case(spark: SparkSession, case: Case) -> None:
    if reason := reason_not_to_run(case):
        pytest.skip(reason)
    for name, rows in case["inputs"].items():
        _create_view(spark, name, rows)
    _create_view(spark, SILENT, [])
    found = sorted(tuple(row) for row in spark.sql(cogroup(case)).collect())
    assert found
    assert found == sorted(expected(case, "final_derived"))


@pytest.mark.parametrize(
    "case", [case for case in CASES if "final_derived" in case], ids=lambda case: case["name"]
)
def test_final_rows_are_the_last_updates(case: Case) -> None:
    assert last(map(as_row, case["expected"])) == sorted(map(as_row, case["final_derived"]))


def _create_view(spark: SparkSession, name: str, rows: Iterable[Case]) -> None:
    schema = "key STRING, value STRING, ts BIGINT, seq INT"
    data = [(row["key"], row["value"], row["ts"], row["seq"]) for row in rows]
    frame = spark.createDataFrame(data, schema)
    frame.selectExpr("key", "value", "timestamp_millis(ts) AS ts", "seq").createTempView(name)
