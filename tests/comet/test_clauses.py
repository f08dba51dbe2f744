"""The clauses with Comet: what is native, what steps aside, and why."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from comet.plans import executed
from eddyline import why
from streaming.harness import Stream

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.usefixtures("tables")


def test_check_assumption(spark: SparkSession) -> None:
    assert spark.sql("CHECK ASSUMPTION ON good PARTITIONED BY (k)").collect() == []
    assert len(spark.sql("CHECK ASSUMPTION ON bad PARTITIONED BY (k)").collect()) == 10


@pytest.mark.parametrize(
    ("aggregate", "exchanges", "reason"),
    [
        ("sum(a.v)", 1, "no aggregate is DISTINCT or collects rows into an object"),
        ("size(collect_list(a.v))", 1, "Comet collects the rows of all branches natively"),
        ("count(DISTINCT a.v)", 3, "count(DISTINCT a.v) would read the rows of all branches"),
    ],
)
def test_a_cogroup_is_native(
    spark: SparkSession, aggregate: str, exchanges: int, reason: str
) -> None:
    """It has one shuffle, or that of each branch and of the merge of what these return."""
    query = f"COGROUP good AS a BY k, bad AS b BY k AGGREGATE {aggregate} AS x, count(b.*) AS n"
    frame = spark.sql(query)
    assert {row.n for row in frame.collect()} == {10}
    plan = executed(frame)
    for name in ("CometUnion", "CometHashAggregate", "CometNativeScan"):
        assert name in plan, plan
    assert not re.search(r"[-+:] (Hash|ObjectHash|Sort)Aggregate", plan), plan
    assert plan.count("CometExchange") == exchanges, plan
    assert reason in str(spark.sql(f"EXPLAIN CLAUSES {query}").collect())
    native = why(frame).native[0]
    assert native.outcome == "NATIVE"
    assert {"CometUnion", "CometExchange"} <= set(native.operators.split(", "))


def test_what_is_not_native_is_told(spark: SparkSession) -> None:
    """In Comet's words."""
    frame = spark.sql("SELECT k, max_by(v, s) AS v FROM good ASSUME PARTITIONED BY (k) GROUP BY k")
    told = {one.operators: str(one.reason) for one in why(frame).native if one.outcome == "SPARK"}
    assert told.keys() == {"SortAggregate"}
    assert "Unsupported ordering data type: StringType" in told["SortAggregate"]


def test_a_lookup_is_a_join_of_spark(spark: SparkSession) -> None:
    spark.sql(
        "CREATE GLOBAL TABLE named PRIMARY KEY (k) REFRESH MANUAL "
        "AS SELECT DISTINCT k, k + 1 AS w FROM good"
    )
    frame = spark.sql("SELECT sum(w) AS w FROM bad JOIN named USING (k)")
    assert frame.collect()[0].w == 2100
    assert "GlobalLookup" in executed(frame)


def test_streams_are_those_of_spark(spark: SparkSession, tmp_path: Path) -> None:
    stream = Stream(
        lambda: spark.sql(
            "COGROUP STREAM good AS a BY k, STREAM bad AS b BY k "
            "AGGREGATE sum(a.v) AS x, count(b.*) AS n EMIT ON CHANGE"
        ),
        tmp_path,
    )
    (batch,) = stream.run()
    assert {row[2] for row in batch} == {10}
    assert "Comet" not in stream.plan
