"""Checkpoints of queries in real-time mode: what they fix, and what they leave open."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from checkpoints import await_commit
from kafka.test_real_time import LATEST, LONG, ONE_TASK, TOP, counting
from kafka.topics import Topic
from waiting import eventually

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.since("4.3")


def test_the_checkpoint_keeps_the_number_of_partitions(
    spark: SparkSession, make: Callable[[str], Topic], tmp_path: Path
) -> None:
    source, out = make("keeping"), make("kept")
    spark.sql(counting(source.name, out.name, trigger="TRIGGER REAL TIME 5 SECONDS"))
    eventually((tmp_path / "checkpoints/q/offsets/0").exists)
    spark.sql("DROP STREAMING QUERY q")
    source.write([("a", "1")])
    spark.sql(counting(source.name, out.name, shuffle=200))
    eventually(lambda: out.records() == [("a", "1")])


@pytest.mark.parametrize("clause", ["EMIT ON UPDATE", "EMIT ON CHANGE", "EMIT ON CHANGE KEY (key)"])
def test_a_checkpoint_moves_between_triggers(
    spark: SparkSession, make: Callable[[str], Topic], tmp_path: Path, clause: str
) -> None:
    source, out = make("moving"), make("moved")
    checkpoint = tmp_path / "checkpoints/q"
    real_time = "TRIGGER REAL TIME 5 SECONDS"
    for number, trigger in enumerate([real_time, "TRIGGER AVAILABLE NOW", real_time], 1):
        spark.sql(
            f"START STREAMING QUERY q {trigger} {ONE_TASK} AS INSERT INTO {out.name} (key, value) "
            "SELECT string(key) AS key, string(count(*)) AS value "
            f"FROM STREAM {source.name} GROUP BY string(key) {clause}"
        )
        source.write([("a", "")])
        if trigger != real_time:
            spark.sql("AWAIT STREAMING QUERY q")
            spark.sql("START STREAMING QUERY q")
            spark.sql("AWAIT STREAMING QUERY q")
        eventually(lambda of=number: out.records()[-1:] == [("a", str(of))])
        if trigger == real_time:
            await_commit(checkpoint)  # of the micro-batch that has answered, or of one after it
        spark.sql("DROP STREAMING QUERY q")
    assert out.records() == [("a", "1"), ("a", "2"), ("a", "3")]


@pytest.mark.parametrize("query", [TOP, LATEST], ids=["aggregate", "key"])
def test_a_run_answers_each_key_once_more(
    spark: SparkSession, make: Callable[[str], Topic], tmp_path: Path, query: str
) -> None:
    """The run before it may have emitted another row last, and stored nothing of it."""
    source, out = make("again"), make("answered")
    into = f"AS INSERT INTO {out.name} (key, value) {query.format(source=source.name)}"
    spark.sql(f"START STREAMING QUERY q TRIGGER REAL TIME 5 SECONDS {ONE_TASK} {into}")
    source.write([("a", "5"), ("a", "5")])
    eventually(lambda: out.records() == [("a", "5")])
    await_commit(tmp_path / "checkpoints/q")
    spark.sql("DROP STREAMING QUERY q")
    source.write([("a", "5"), ("a", "5")])  # the first run may have read them
    spark.sql(f"START STREAMING QUERY q {LONG} {ONE_TASK} {into}")
    eventually(lambda: out.records()[1:] == [("a", "5")])
    source.write([("a", "5"), ("a", "7")])
    eventually(lambda: out.records()[2:] == [("a", "7")])
