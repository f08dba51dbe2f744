"""Queries in real-time mode that get another trigger or definition within a micro-batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException

from kafka.test_real_time import LONG, ONE_TASK
from kafka.topics import Topic
from waiting import eventually

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.since("4.3")

NOW = "TRIGGER AVAILABLE NOW"
SUM = "sum(int(string(value)))"
SUMS = f"SELECT string(key), string({SUM}) FROM STREAM {{source}} GROUP BY string(key)"
LOSES_STATE = "EDDYLINE_STREAMING_QUERY.LOSES_STATE"


def test_a_format_that_real_time_mode_cannot_continue_is_refused(
    spark: SparkSession, make: Callable[[str], Topic], tmp_path: Path
) -> None:
    source, out = make("formats"), make("continued")
    into = (
        f"AS INSERT INTO {out.name} (key, value) {SUMS.format(source=source.name)} EMIT ON CHANGE"
    )
    source.write([("a", "1")])
    spark.sql(f"CREATE STREAMING QUERY q {NOW} {ONE_TASK} {into}")
    spark.sql("AWAIT STREAMING QUERY q")
    found = spark.sql(f"VALIDATE STREAMING QUERY q {LONG} {ONE_TASK} {into}").collect()
    assert [row.part for row in found if row.verdict != "keeps state"] == ["TRIGGER"], found
    replace = f"CREATE OR REPLACE STREAMING QUERY q {{}} {LONG} {ONE_TASK} {into}"
    assert refused(spark, replace.format("")) == LOSES_STATE
    assert "AVAILABLE NOW" in spark.sql("SHOW STREAMING QUERIES").first().trigger
    checkpoint = f"CHECKPOINT '{tmp_path}/checkpoints/q'"
    spark.sql("DROP STREAMING QUERY q")
    statement = f"START STREAMING QUERY q {LONG} {checkpoint} {ONE_TASK} {into}"
    assert refused(spark, statement) == "EDDYLINE_STREAMING_QUERY.REAL_TIME_CHECKPOINT"
    spark.sql(f"CREATE STREAMING QUERY q {NOW} {checkpoint} {ONE_TASK} {into}")
    spark.sql("AWAIT STREAMING QUERY q")
    spark.sql(replace.format("RESET CHECKPOINT"))
    source.write([("a", "2")])
    eventually(lambda: out.records() == [("a", "1"), ("a", "1"), ("a", "3")])


@pytest.mark.parametrize(
    ("query", "trigger", "keeps_state"),
    [
        (f"{SUMS} EMIT ON CHANGE", NOW, True),
        ("SELECT string(key), string(value) FROM STREAM {source}", NOW, False),
        ("SELECT string(key), string(value) FROM STREAM {other}", LONG, False),
        (f"{SUMS.replace('sum', 'max')} EMIT ON CHANGE", LONG, False),
    ],
    ids=["trigger", "no_aggregate", "other_topic", "aggregate"],
)
def test_a_query_has_begun_before_its_first_commit(
    spark: SparkSession, make: Callable[[str], Topic], query: str, trigger: str, keeps_state: bool
) -> None:
    source, other, out = make("begun"), make("begun_other"), make("begun_out")
    into = f"{ONE_TASK} AS INSERT INTO {out.name} (key, value) "
    sums = into + SUMS.format(source=source.name) + " EMIT ON CHANGE"
    spark.sql(f"CREATE STREAMING QUERY q {LONG} {sums}")
    source.write([("a", "5")])
    eventually(lambda: out.records() == [("a", "5")])
    spark.sql("STOP STREAMING QUERY q")
    changed = f"{trigger} {into} " + query.format(source=source.name, other=other.name)
    found = spark.sql(f"VALIDATE STREAMING QUERY q {changed}").collect()
    assert all(row.verdict == "keeps state" for row in found) == keeps_state
    replace = f"CREATE OR REPLACE STREAMING QUERY q {changed}"
    if keeps_state:
        source.write([("a", "2")])
        spark.sql(replace)
        spark.sql("AWAIT STREAMING QUERY q")
        assert out.records()[-1] == ("a", "7")
    else:
        assert refused(spark, replace) == LOSES_STATE
        spark.sql("START STREAMING QUERY q")
        eventually(lambda: out.records() == [("a", "5")] * 2)


def refused(spark: SparkSession, statement: str) -> str | None:
    """Returns the condition with which a statement is refused."""
    with pytest.raises(AnalysisException) as caught:
        spark.sql(statement)
    return caught.value.getCondition()
