"""MAX STALENESS of a global table while a micro-batch of real-time mode runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from eddyline import global_tables, streaming_queries
from eddyline.report import GlobalTableInfo
from kafka.topics import Topic
from waiting import eventually

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.since("4.3")

LOOKUP = """
    START STREAMING QUERY q TRIGGER REAL TIME 10 MINUTES
    AS INSERT INTO {out} (key, value)
    SELECT id, name FROM STREAM {source} AS s JOIN fresh_people ON string(s.key) = id
"""


def create(spark: SparkSession, folder: Path, options: str) -> None:
    spark.sql("SELECT 'a' AS id, 'Ada' AS name").write.parquet(str(folder))
    spark.sql(
        f"CREATE GLOBAL TABLE fresh_people PRIMARY KEY (id) {options} "
        f"AS SELECT * FROM parquet.`{folder}`"
    )


def table(spark: SparkSession) -> GlobalTableInfo:
    (found,) = global_tables(spark)
    return found


@pytest.mark.parametrize("wait", ["", "ON STALE WAIT 1 HOUR"])
def test_no_row_is_looked_up_in_a_stale_version(
    spark: SparkSession, make: Callable[[str], Topic], tmp_path: Path, wait: str
) -> None:
    source, out = make("ids"), make("names")
    people, away = tmp_path / "people", tmp_path / "away"
    create(spark, people, f"REFRESH EVERY 200 MILLISECONDS MAX STALENESS 10 SECONDS {wait}")
    spark.sql(LOOKUP.format(source=source.name, out=out.name))
    source.write([("a", "1")])
    eventually(lambda: out.records() == [("a", "Ada")])
    people.rename(away)
    eventually(lambda: table(spark).status == "STALE")
    source.write([("a", "2")])
    if wait:
        away.rename(people)
        eventually(lambda: out.records() == [("a", "Ada")] * 2)
        return
    eventually(lambda: streaming_queries(spark)[0].status == "FAILED")
    (info,) = streaming_queries(spark)
    assert "[EDDYLINE_GLOBAL_TABLE.STALE]" in (info.last_error or "")
    assert "MAX STALENESS 10000 ms" in (info.last_error or "")
    assert out.records() == [("a", "Ada")]


def test_probes_come_before_a_version_is_stale(
    spark: SparkSession, make: Callable[[str], Topic], tmp_path: Path
) -> None:
    """REFRESH EVERY alone would confirm the version too late."""
    source, out = make("ids"), make("names")
    create(spark, tmp_path / "people", "REFRESH EVERY 1 HOUR MAX STALENESS 20 SECONDS")
    spark.sql(LOOKUP.format(source=source.name, out=out.name))
    source.write([("a", "1")])
    eventually(lambda: out.records() == [("a", "Ada")])
    eventually(lambda: (table(spark).age_ms or 0) > 5_000)
    eventually(lambda: (table(spark).age_ms or 0) < 5_000)
    source.write([("a", "2")])
    eventually(lambda: out.records() == [("a", "Ada")] * 2)
