"""VALIDATE STREAMING QUERY, and CREATE OR REPLACE with and without RESET CHECKPOINT."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException

from waiting import eventually

from . import harness
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
        ("TRIGGER", "AVAILABLE NOW", None, KEEPS, "It takes effect at the next start."),
        ("COMMENT", None, "new", KEEPS, "It takes effect at the next start."),
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


def test_a_copy_of_the_checkpoint(spark: SparkSession, servers: Servers, tmp_path: Path) -> None:
    arrive(spark, 1)
    finish(spark, f"CREATE STREAMING QUERY q {NOW} {SUMS}")
    copy = tmp_path / "copy"
    shutil.copytree(tmp_path / "q", copy)
    arrive(spark, 1, 2)
    finish(spark, "START STREAMING QUERY q")
    new = f"STREAMING QUERY q {NOW} CHECKPOINT '{copy}' {SUMS}"
    ((part, *_, reason),) = spark.sql(f"VALIDATE {new}").collect()
    assert (part, "ends with another micro-batch" in reason) == ("CHECKPOINT", True)
    loses = "EDDYLINE_STREAMING_QUERY.LOSES_STATE"
    assert refused(spark, f"CREATE OR REPLACE {new}") == loses
    shutil.rmtree(copy)
    shutil.copytree(tmp_path / "q", copy)
    arrive(spark, 1)
    finish(spark, f"CREATE OR REPLACE {new}")
    assert rows(spark) == [(1, 1), (1, 2), (1, 3), (2, 2)]


def test_confs_that_the_checkpoint_keeps(spark: SparkSession) -> None:
    arrive(spark, 1)
    finish(spark, f"START STREAMING QUERY q {NOW} {SUMS}")
    options = "OPTIONS ('spark.sql.shuffle.partitions' '3')"
    (conf,) = validated(spark, f"{NOW} {options} {SUMS}")
    assert conf[0] == "conf"
    assert conf[2:] == (
        "spark.sql.shuffle.partitions = 3",
        KEEPS,
        "The checkpoint keeps the old value.",
    )


def test_confs_that_reach_the_state(spark: SparkSession) -> None:
    """Time zones and ANSI are in no text; VALIDATE and CREATE OR REPLACE agree about them."""
    spark.sql("CREATE TABLE times (t TIMESTAMP, v INT) USING parquet")
    spark.sql("INSERT INTO times VALUES (timestamp'2026-01-01 23:30:00', 1)")
    start = (
        f"{NOW} AS INSERT INTO copy SELECT day(CAST(t AS DATE)), count(*) FROM STREAM times "
        "GROUP BY CAST(t AS DATE) EMIT ON UPDATE"
    )
    finish(spark, f"START STREAMING QUERY q {start}")
    zone = spark.conf.get("spark.sql.session.timeZone")
    assert validated(spark, start) == []
    (elsewhere, harmless) = validated(
        spark,
        start.replace(
            "AS INSERT",
            "OPTIONS ('spark.sql.session.timeZone' 'America/New_York', "
            "'spark.sql.files.maxPartitionBytes' '1m') AS INSERT",
            1,
        ),
    )
    assert elsewhere == (
        "conf",
        f"spark.sql.session.timeZone = {zone}",
        "spark.sql.session.timeZone = America/New_York",
        NEEDS,
        "The keys or aggregates in the state were computed with the old value.",
    )
    assert harmless[2:4] == ("spark.sql.files.maxPartitionBytes = 1m", KEEPS)
    spark.conf.set("spark.sql.ansi.enabled", "false")
    assert [(row[0], row[3]) for row in validated(spark, start)] == [("conf", NEEDS)]


@pytest.mark.parametrize(
    ("typed", "verdict", "reason"),
    [
        (" WITH CHANGE TYPE", NEEDS, "would never be deleted."),
        ("", KEEPS, "It takes effect at the next start."),
    ],
)
def test_confs_that_reach_having(
    spark: SparkSession, typed: str, verdict: str, reason: str
) -> None:
    """What is reported as gone depends on the time zone, which is in no text either."""
    spark.sql("CREATE TABLE times (k INT, t TIMESTAMP) USING parquet")
    spark.sql("INSERT INTO times VALUES (1, timestamp'2026-01-01 23:30:00')")
    kind = ", kind STRING" if typed else ""
    spark.sql(f"CREATE TABLE typed (k INT, n BIGINT{kind}) USING parquet")
    zone = "spark.sql.session.timeZone"
    start = (
        f"{NOW} {{}} AS INSERT INTO typed SELECT * FROM (SELECT k, count(*) AS n FROM STREAM times "
        f"GROUP BY k HAVING CAST(max(t) AS DATE) = DATE'2026-01-01' EMIT ON CHANGE{typed})"
    )
    finish(spark, f"CREATE STREAMING QUERY q {start.format('')}")
    assert validated(spark, start.format("")) == []
    elsewhere = start.format(f"OPTIONS ('{zone}' 'Asia/Tokyo')")
    (found,) = validated(spark, elsewhere)
    assert (found[0], found[3], found[4].endswith(reason)) == ("conf", verdict, True)
    spark.conf.set(zone, "Asia/Tokyo")
    assert validated(spark, start.format("")) == [found]
    if typed:
        loses = "EDDYLINE_STREAMING_QUERY.LOSES_STATE"
        replace = f"CREATE OR REPLACE STREAMING QUERY q {start.format('')}"
        assert refused(spark, replace) == loses


def test_replace_in_another_time_zone(spark: SparkSession, servers: Servers) -> None:
    spark.sql("CREATE TABLE times (t TIMESTAMP) USING parquet")
    harness.arrive(spark, "times", ["(timestamp'2026-01-01 23:30:00')"])
    statement = (
        "STREAMING QUERY q AS INSERT INTO copy SELECT day(d), count(*) FROM "
        "(SELECT date_trunc('DAY', t) AS d FROM STREAM times) GROUP BY d EMIT ON UPDATE"
    )
    spark.sql(f"CREATE {statement}")
    eventually(lambda: len(rows(spark)) == 1)
    spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    found = refused(spark, f"CREATE OR REPLACE {statement}")
    assert found == "EDDYLINE_STREAMING_QUERY.LOSES_STATE"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("count_if(s LIKE '%#1')", "count_if(s LIKE '%#2')"),
        ("sum(reduce(xs, 0, (a, x) -> a - x))", "sum(reduce(xs, 0, (a, x) -> x - a))"),
        (
            "count(transform(xs, (x, i) -> transform(xs, y -> x)))",
            "count(transform(xs, (x, i) -> transform(xs, y -> i)))",
        ),
        ("sum(v + (SELECT max(k) FROM copy))", "sum(v + (SELECT max(k) FROM events))"),
    ],
)
def test_what_texts_do_not_show(spark: SparkSession, before: str, after: str) -> None:
    """Literals with `#1`, lambdas and subqueries differ, though names and ids may not."""
    spark.sql("CREATE TABLE things (k INT, v INT, s STRING, xs ARRAY<INT>) USING parquet")
    spark.sql("INSERT INTO things VALUES (1, 1, 'room#1', array(1, 2))")
    query = f"{NOW} AS INSERT INTO copy SELECT k, {{}} FROM STREAM things GROUP BY k EMIT ON UPDATE"
    finish(spark, f"START STREAMING QUERY q {query.format(before)}")
    renamed = before.replace("(x, i)", "(first, i)").replace("-> x", "-> first")
    assert {row[3] for row in validated(spark, query.format(renamed))} <= {KEEPS}
    found = {row[0]: row[3] for row in validated(spark, query.format(after))}
    assert found["aggregate"] == NEEDS


def test_tables_in_subqueries_and_values(spark: SparkSession) -> None:
    arrive(spark, 1)
    query = (
        f"{NOW} AS INSERT INTO copy SELECT k, v FROM STREAM events JOIN VALUES (1, 2) AS n(k, w) "
        "USING (k) WHERE k IN (SELECT k FROM copy)"
    )
    finish(spark, f"START STREAMING QUERY q {query}")
    assert validated(spark, query) == []
    spark.sql("CREATE TABLE more (k INT) USING parquet")
    other = query.replace("k FROM copy", "k FROM more").replace("(1, 2)", "(1, 3)")
    catalog = "spark_catalog.default"
    assert [row[:4] for row in validated(spark, other)] == [
        ("filter", "IN (SELECT k FROM copy)", "IN (SELECT k FROM more)", KEEPS),
        (
            "table",
            f"VALUES (1, 2) AS n(k, w), {catalog}.copy",
            f"VALUES (1, 3) AS n(k, w), {catalog}.more",
            KEEPS,
        ),
    ]


def test_what_spark_refuses_in_a_stream(spark: SparkSession, tmp_path: Path) -> None:
    """It is refused before the old query stops, and before a checkpoint is made."""
    distinct = SUMS.replace("sum(v)", "count(DISTINCT v)")
    spark.sql(f"START STREAMING QUERY q {SUMS}")
    for statement in ("VALIDATE STREAMING QUERY q", "START STREAMING QUERY other"):
        with pytest.raises(AnalysisException, match="Distinct aggregations are not supported"):
            spark.sql(f"{statement} {distinct}")
    assert not (tmp_path / "other").exists()


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
    assert servers.stored()["generation"] == 1
    eventually(lambda: not (tmp_path / "q/offsets").exists())
    servers.end()
    servers.begin()
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


def test_a_reset_that_is_stored_when_the_server_is_killed(
    spark: SparkSession, servers: Servers, tmp_path: Path
) -> None:
    arrive(spark, 5)
    spark.sql(f"CREATE STREAMING QUERY q {SUMS}")
    eventually(lambda: rows(spark) == [(5, 5)])
    servers.end()
    stored = servers.stored()
    counts = stored["statement"].replace("sum(v)", "count(v)")
    servers.store({**stored, "statement": counts, "generation": 1})
    servers.begin()
    eventually(lambda: rows(spark) == [(5, 1), (5, 5)])
    eventually(lambda: not (tmp_path / "q/offsets").exists())


def test_the_state_after_a_reset_is_compared(spark: SparkSession, tmp_path: Path) -> None:
    arrive(spark, 5)
    spark.sql(f"CREATE STREAMING QUERY q {SUMS}")
    eventually(lambda: rows(spark) == [(5, 5)])
    spark.sql(f"CREATE OR REPLACE STREAMING QUERY q RESET CHECKPOINT {COUNTS}")
    eventually(lambda: not (tmp_path / "q/offsets").exists())
    assert NEEDS in {verdict for *_, verdict, _ in validated(spark, SUMS)}
    assert NEEDS not in {verdict for *_, verdict, _ in validated(spark, COUNTS)}


@pytest.mark.parametrize(
    "statement",
    ["CREATE STREAMING QUERY", "START STREAMING QUERY", "VALIDATE STREAMING QUERY"],
)
def test_reset_without_replace(spark: SparkSession, statement: str) -> None:
    found = refused(spark, f"{statement} q RESET CHECKPOINT {SUMS}")
    assert found == "EDDYLINE_STREAMING_QUERY.RESET_WITHOUT_REPLACE"
