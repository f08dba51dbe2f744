"""The options of EMIT ON CHANGE and checkpoints: what may change on one, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException

from .harness import Stream, arrive, at

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.usefixtures("table")

TIMED = "STREAM t WATERMARK ts DELAY OF INTERVAL 0 SECONDS AS t"
ROWS = f"SELECT k, v, ts FROM {TIMED} EMIT ON CHANGE EXCEPT (ts) KEY (k)"
GROUPS = "SELECT k, max(v) AS v FROM STREAM t GROUP BY k EMIT ON CHANGE"
OPTIONS = {
    "ORDER BY": ("ORDER BY ts", "ORDER BY ts"),
    "EXPIRE AFTER": ("EXPIRE AFTER 1 HOUR", "EXPIRE AFTER 2 HOURS"),
    "TOLERANCE": ("TOLERANCE 3", "TOLERANCE (v 2)"),
    "HEARTBEAT": ("HEARTBEAT 1 DAY", "HEARTBEAT 2 DAYS"),
}


class Program:
    """A stream whose query is edited between its runs."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.spark = spark
        self.sql = ""
        self.stream = Stream(lambda: spark.sql(self.sql).select("k", "v"), folder)

    def run(self, sql: str, *rows: str) -> list[tuple[int, ...]]:
        """Writes rows of t and runs the query over them; returns what it emits."""
        self.sql = sql
        if rows:
            arrive(self.spark, "t", rows)
        return [row for batch in self.stream.run() for row in batch]

    def refused(self, sql: str, option: str, condition: str) -> None:
        """Asserts that the query is refused for its option, before any micro-batch."""
        before = len(self.stream.batches)
        with pytest.raises(AnalysisException) as caught:
            self.run(sql)
        assert caught.value.getCondition() == condition
        (context,) = caught.value.getQueryContext()
        assert context.fragment().startswith("EMIT ON CHANGE")
        assert caught.value.getMessageParameters()["option"] == option
        assert len(self.stream.batches) == before


@pytest.fixture
def program(spark: SparkSession, tmp_path: Path) -> Program:
    return Program(spark, tmp_path)


@pytest.mark.parametrize("option", OPTIONS)
def test_an_option_of_key_stays_and_its_number_may_change(
    spark: SparkSession, program: Program, option: str, provider: str
) -> None:
    text, other = OPTIONS[option]
    assert program.run(f"{ROWS} {text}", at(1, 5, 0), at(2, 7, 0)) == [(1, 5), (2, 7)]
    program.refused(ROWS, option, "EDDYLINE_EMIT.OPTION_REMOVED")
    assert program.run(f"{ROWS} {other}", at(1, 5, 1), at(2, 9, 1)) == [(2, 9)]
    assert program.stream.dropped == 1


def test_an_option_is_not_added_to_a_checkpoint(program: Program) -> None:
    assert program.run(ROWS, at(1, 5), at(2, 7)) == [(1, 5), (2, 7)]
    for option, (text, _) in OPTIONS.items():
        program.refused(f"{ROWS} {text}", option, "EDDYLINE_EMIT.OPTION_ADDED")
    assert program.run(ROWS, at(1, 5), at(2, 9)) == [(2, 9)]


@pytest.mark.parametrize("option", ["TOLERANCE", "HEARTBEAT"])
def test_an_option_and_the_state_of_an_aggregation(program: Program, option: str) -> None:
    text, other = OPTIONS[option]
    assert program.run(f"{GROUPS} {text}", at(1, 5), at(2, 7)) == [(1, 5), (2, 7)]
    program.refused(GROUPS, option, "EDDYLINE_EMIT.OPTION_REMOVED")
    assert program.run(f"{GROUPS} {other}", at(1, 5), at(2, 9)) == [(2, 9)]
    program.stream.folder = program.stream.folder / "plain"
    assert program.run(GROUPS) == [(1, 5), (2, 9)]
    program.refused(f"{GROUPS} {text}", option, "EDDYLINE_EMIT.OPTION_ADDED")
    assert program.run(GROUPS, at(1, 6)) == [(1, 6)]


def test_a_tolerance_of_another_column_compares_with_the_row_last_emitted(
    program: Program,
) -> None:
    sql = "SELECT k, v, unix_seconds(ts) % 3600 AS s FROM STREAM t EMIT ON CHANGE KEY (k) TOLERANCE"
    assert program.run(f"{sql} (v 3)", at(1, 5, 0)) == [(1, 5)]
    assert program.run(f"{sql} (v 3)", at(1, 7, 0)) == []
    assert program.run(f"{sql} (s 3)", at(1, 5, 2)) == []
    assert program.run(f"{sql} (s 3)", at(1, 7, 0)) == [(1, 7)]


@pytest.mark.parametrize(
    ("before", "after", "changed"),
    [
        ("OF (v) KEY (k)", "OF (s) KEY (k)", ("v", "s")),
        ("KEY (k)", "KEY (s)", ("k", "s")),
        ("KEY (k) HEARTBEAT 1 DAY", "KEY (v) HEARTBEAT 1 DAY", ("k", "v")),
    ],
)
def test_other_columns_are_not_compared_with_those_of_a_checkpoint(
    program: Program, before: str, after: str, changed: tuple[str, str]
) -> None:
    sql = "SELECT k, v, bigint(v % 7) AS s FROM STREAM t EMIT ON CHANGE"
    assert program.run(f"{sql} {before}", at(1, 5)) == [(1, 5)]
    with pytest.raises(AnalysisException, match=r"EDDYLINE_EMIT.COLUMNS_CHANGED") as caught:
        program.run(f"{sql} {after}")
    found = caught.value.getMessageParameters()
    assert (found["before"], found["now"]) == changed
    renamed = sql.replace("AS s", "AS x")
    assert program.run(f"{renamed} {before.replace('(s)', '(x)')}", at(1, 5), at(1, 6)) == [(1, 6)]


def test_a_server_refuses_a_changed_option_before_a_micro_batch(
    spark: SparkSession, tmp_path: Path
) -> None:
    spark.sql("CREATE TABLE sink (k BIGINT, v BIGINT) USING parquet")
    start = (
        f"START STREAMING QUERY q TRIGGER AVAILABLE NOW CHECKPOINT '{tmp_path}/checkpoint' "
        f"AS INSERT INTO sink {GROUPS}"
    )
    arrive(spark, "t", [at(1, 5)])
    spark.sql(f"{start} TOLERANCE 3")
    spark.sql("AWAIT STREAMING QUERY q")
    spark.sql("DROP STREAMING QUERY q")
    with pytest.raises(AnalysisException, match="OPTION_REMOVED"):
        spark.sql(start)
    assert spark.sql("SHOW STREAMING QUERIES").count() == 0
    assert [tuple(row) for row in spark.table("sink").collect()] == [(1, 5)]


def test_the_end_of_a_window_is_a_key_that_expires(program: Program) -> None:
    sql = (
        f"SELECT k, max(v) AS v, window.end AS until FROM {TIMED} GROUP BY "
        "window(ts, '10 seconds'), k EMIT ON CHANGE TOLERANCE 1"
    )
    assert program.run(sql, at(1, 5, 0)) == [(1, 5)]
    assert program.run(sql, at(1, 7, 1), at(1, 5, 25)) == [(1, 5), (1, 7)]
    assert program.run(sql, at(1, 5, 26)) == []
    assert program.stream.progress["stateOperators"][0]["numRowsTotal"] == 1
