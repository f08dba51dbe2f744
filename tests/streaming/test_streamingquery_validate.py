"""VALIDATE STREAMING QUERY, and CREATE OR REPLACE with and without RESET CHECKPOINT."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException

from waiting import eventually

from .streamingquery_harness import NOW, arrive, finish, one, refused, rows, status

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from .streamingquery_harness import Servers

pytestmark = pytest.mark.usefixtures("events_and_copy")

SUMS = "AS INSERT INTO copy SELECT k, sum(v) FROM STREAM events GROUP BY k EMIT ON CHANGE"
COUNTS = SUMS.replace("sum(v)", "count(v)")
LARGE = SUMS.replace("EMIT", "HAVING sum(v) > 100 EMIT")
KEEPS = "keeps state"
NEEDS = "needs a new checkpoint"


def validated(spark: SparkSession, definition: str) -> list[tuple[str, ...]]:
    found = spark.sql(f"VALIDATE STREAMING QUERY q {definition}").collect()
    return [tuple(row) for row in found]


def test_rows(spark: SparkSession) -> None:
    arrive(spark, 1)
    finish(spark, f"START STREAMING QUERY q {NOW} {SUMS}")
    assert validated(spark, f"{NOW} {SUMS}") == []
    assert validated(spark, f"COMMENT 'new' {COUNTS}") == [
        (
            "aggregate",
            "sum(v)",
            "count(v)",
            NEEDS,
            "The state of an aggregation has the values of exactly these aggregates so far.",
        ),
        (
            "output column",
            "sum(v) BIGINT",
            "count(v) BIGINT",
            KEEPS,
            "Rows that are written from now on have it.",
        ),
        ("TRIGGER", "AVAILABLE NOW", None, KEEPS, "It counts from the next start on."),
        ("COMMENT", None, "new", KEEPS, "It counts from the next start on."),
    ]


def test_nothing_is_changed(spark: SparkSession, tmp_path: Path) -> None:
    arrive(spark, 1)
    finish(spark, f"START STREAMING QUERY q {NOW} {SUMS}")
    files = {p: p.stat().st_mtime_ns for p in (tmp_path / "q").rglob("*") if p.is_file()}
    statement = one(spark, "SHOW CREATE STREAMING QUERY q")
    validated(spark, COUNTS)
    assert {p: p.stat().st_mtime_ns for p in (tmp_path / "q").rglob("*") if p.is_file()} == files
    assert one(spark, "SHOW CREATE STREAMING QUERY q") == statement
    arrive(spark, 2)
    finish(spark, "START STREAMING QUERY q")
    assert rows(spark) == [(1, 1), (2, 2)]


def test_a_running_query(spark: SparkSession) -> None:
    arrive(spark, 1)
    spark.sql(f"START STREAMING QUERY q {SUMS}")
    eventually(lambda: rows(spark) == [(1, 1)])
    assert [row[3] for row in validated(spark, COUNTS)] == [NEEDS, KEEPS]
    arrive(spark, 2)
    eventually(lambda: rows(spark) == [(1, 1), (2, 2)])


def test_a_query_without_state_yet(spark: SparkSession) -> None:
    spark.sql(f"START STREAMING QUERY q {NOW} {SUMS}")
    one(spark, "AWAIT STREAMING QUERY q")
    (aggregate, _) = validated(spark, f"{NOW} {COUNTS}")
    assert aggregate[3:] == (KEEPS, "The query has not begun, so it has no state yet.")


def test_another_checkpoint(spark: SparkSession, tmp_path: Path) -> None:
    arrive(spark, 1)
    finish(spark, f"START STREAMING QUERY q {NOW} {SUMS}")
    other = tmp_path / "other"
    ((part, before, after, verdict, _),) = validated(spark, f"{NOW} CHECKPOINT '{other}' {SUMS}")
    assert (part, before, after) == ("CHECKPOINT", f"file:{tmp_path}/q", f"file:{other}")
    assert verdict == NEEDS
    (tmp_path / "q").rename(other)
    (tmp_path / "q").symlink_to(other)
    assert validated(spark, f"{NOW} CHECKPOINT '{other}' {SUMS}") == []


def test_confs_that_the_checkpoint_keeps(spark: SparkSession) -> None:
    arrive(spark, 1)
    finish(spark, f"START STREAMING QUERY q {NOW} {SUMS}")
    options = "OPTIONS ('spark.sql.shuffle.partitions' '3')"
    conf, options_row = validated(spark, f"{NOW} {options} {SUMS}")
    assert conf[0] == "conf"
    assert conf[2:] == (
        "spark.sql.shuffle.partitions = 3",
        KEEPS,
        "The checkpoint keeps the old value.",
    )
    assert options_row[0] == "OPTIONS"


def test_secrets(spark: SparkSession) -> None:
    arrive(spark, 1)
    secret = "OPTIONS ('password' 'open sesame')"
    finish(spark, f"START STREAMING QUERY q {NOW} {secret} {SUMS}")
    assert "sesame" not in str(validated(spark, f"{NOW} {secret.replace('open', 'shut')} {SUMS}"))


def test_an_old_query_that_is_gone(spark: SparkSession) -> None:
    arrive(spark, 1)
    spark.sql("CREATE TABLE more (k INT, v INT) USING parquet")
    finish(spark, f"START STREAMING QUERY q {NOW} {SUMS}")
    spark.sql("DROP TABLE events")
    ((part, _, _, verdict, reason),) = validated(spark, f"{NOW} {SUMS.replace('events', 'more')}")
    assert (part, verdict) == ("query", NEEDS)
    assert "TABLE_OR_VIEW_NOT_FOUND" in reason


def test_errors(spark: SparkSession) -> None:
    assert refused(spark, f"VALIDATE STREAMING QUERY q {SUMS}").endswith("NOT_FOUND")
    finish(spark, f"START STREAMING QUERY q {NOW} {SUMS}")
    wrong = SUMS.replace("sum(v)", "sum(x)")
    assert refused(spark, f"VALIDATE STREAMING QUERY q {wrong}").startswith("UNRESOLVED_COLUMN")


def test_replace_refuses_to_lose_state(spark: SparkSession, servers: Servers) -> None:
    arrive(spark, 1)
    spark.sql(f"CREATE STREAMING QUERY q {SUMS}")
    eventually(lambda: rows(spark) == [(1, 1)])
    stored = servers.stored()
    with pytest.raises(AnalysisException, match=r"was sum\(v\) and is count\(v\)") as caught:
        spark.sql(f"CREATE OR REPLACE STREAMING QUERY q {COUNTS}")
    assert caught.value.getCondition() == "EDDYLINE_STREAMING_QUERY.LOSES_STATE"
    assert servers.stored() == stored
    arrive(spark, 1)
    eventually(lambda: rows(spark) == [(1, 1), (1, 2)])


def test_replace_keeps_state(spark: SparkSession, servers: Servers) -> None:
    arrive(spark, 60)
    spark.sql(f"CREATE STREAMING QUERY q {SUMS}")
    eventually(lambda: rows(spark) == [(60, 60)])
    spark.sql(f"CREATE OR REPLACE STREAMING QUERY q {LARGE}")
    arrive(spark, 60, 1)
    eventually(lambda: rows(spark) == [(60, 60), (60, 120)])


def test_reset_begins_without_state(spark: SparkSession, servers: Servers, tmp_path: Path) -> None:
    arrive(spark, 5)
    spark.sql(f"CREATE STREAMING QUERY q {SUMS}")
    eventually(lambda: rows(spark) == [(5, 5)])
    spark.sql(f"CREATE OR REPLACE STREAMING QUERY q RESET CHECKPOINT {COUNTS}")
    eventually(lambda: rows(spark) == [(5, 1), (5, 5)])
    assert not servers.stored()["resetting"]
    assert not (tmp_path / "q.before-reset").exists()
    servers.kill()
    servers.begin(leaseDuration="4s")
    arrive(spark, 5)
    eventually(lambda: rows(spark) == [(5, 1), (5, 2), (5, 5)])


def test_a_reset_that_fails_is_undone(spark: SparkSession, servers: Servers) -> None:
    arrive(spark, 5)
    spark.sql(f"CREATE STREAMING QUERY q {SUMS}")
    eventually(lambda: rows(spark) == [(5, 5)])
    stored = servers.stored()
    broken = "OPTIONS ('spark.sql.streaming.checkpointFileManagerClass' 'none.Such')"
    with pytest.raises(Exception, match=r"none\.Such"):
        spark.sql(f"CREATE OR REPLACE STREAMING QUERY q RESET CHECKPOINT {broken} {COUNTS}")
    assert servers.stored() == stored
    eventually(lambda: status(spark) == "RUNNING")
    arrive(spark, 5)
    eventually(lambda: rows(spark) == [(5, 5), (5, 10)])


def test_a_reset_that_another_server_finishes(
    spark: SparkSession, servers: Servers, tmp_path: Path
) -> None:
    arrive(spark, 5)
    spark.sql(f"CREATE STREAMING QUERY q {SUMS}")
    eventually(lambda: rows(spark) == [(5, 5)])
    servers.end()
    stored = servers.stored()
    counts = stored["statement"].replace("sum(v)", "count(v)")
    servers.store({**stored, "statement": counts, "resetting": True})
    servers.begin()
    eventually(lambda: rows(spark) == [(5, 1), (5, 5)])
    assert not servers.stored()["resetting"]


@pytest.mark.parametrize(
    "statement",
    ["CREATE STREAMING QUERY", "START STREAMING QUERY", "VALIDATE STREAMING QUERY"],
)
def test_reset_without_replace(spark: SparkSession, statement: str) -> None:
    found = refused(spark, f"{statement} q RESET CHECKPOINT {SUMS}")
    assert found == "EDDYLINE_STREAMING_QUERY.RESET_WITHOUT_REPLACE"
