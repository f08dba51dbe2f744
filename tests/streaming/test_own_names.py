"""Columns of users that have the names which eddyline gives to columns of its own."""

from __future__ import annotations

import re
import tomllib
from itertools import count
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

from .streamingquery_harness import NOW, finish, rows_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LANGUAGE = Path(__file__).resolve().parents[2] / "sql"
SOURCES = LANGUAGE.with_name("jvm-shim") / "src/main"
ALONE = count()


def own_names() -> set[str]:
    """Returns the names in the sources, but for those of functions."""
    found = {"key", "change", "order", "last", "part0", "hash_high", "hash_low"}
    for path in SOURCES.rglob("*.scala"):
        text = path.read_text("utf-8")
        found |= set(re.findall(r'"(\w*eddyline_\w+)"', text))
        found |= {f"__eddyline_{word}" for word in re.findall(r"\$\{PREFIX\}(\w+)", text)}
        found |= set(re.findall(r'extends EmitOption\("(.*?)"', text))
    return found - set(tomllib.loads((LANGUAGE / "placeholders.toml").read_text("utf-8")))


def columns(*given: str) -> pytest.MarkDecorator:
    """Gives a test the names of its columns: these, and two random choices of all names."""
    names = sorted(own_names())
    random = [Random(seed).sample(names, len(given)) for seed in range(2)]
    return pytest.mark.parametrize("names", [list(given), *random], ids=["given", "0", "1"])


def named(names: list[str], sql: str) -> str:
    """Puts the names of columns in the place of $0, $1 and so on."""
    return re.sub(r"\$(\d)", lambda word: f"`{names[int(word[1])]}`", sql)


def test_there_are_names() -> None:
    assert {"__eddyline_deleted", "__eddyline_branch", "ORDER BY"} < own_names()


@pytest.mark.usefixtures("events_and_copy")
@columns("key", "order", "APPLY AS DELETE", "ORDER BY", "change")
@pytest.mark.parametrize("ordered", ["", "ORDER BY $1 "])
def test_the_state_of_a_key_and_its_last_change(
    spark: SparkSession, names: list[str], ordered: str
) -> None:
    table = f"lake.own{next(ALONE)}.t"
    kinds = "$0 INT, $1 INT, $2 BOOLEAN, $4 BIGINT"
    # a flag of the user's own is true in the row that is deleted
    spark.sql(named(names, f"CREATE TABLE own ({kinds}, $3 BOOLEAN) USING parquet"))
    spark.sql(named(names, f"CREATE TABLE {table} ({kinds})"))
    rows = "INSERT INTO own SELECT /*+ COALESCE(1) */ * FROM VALUES "
    spark.sql(f"{rows} (1, 1, true, 7, false), (1, 2, true, 8, false), (2, 1, true, 9, false)")
    sink = f"START STREAMING QUERY q {NOW} AS UPSERT INTO {table} KEY ($0) "
    query = (
        "SELECT $0, $1, $2, $4, ct FROM (SELECT * FROM STREAM own EMIT ON CHANGE "
        f"KEY ($0) {ordered}APPLY AS DELETE WHEN $3 WITH CHANGE TYPE ct)"
    )
    finish(spark, named(names, sink + query))
    assert rows_of(spark, table) == [(1, 2, True, 8), (2, 1, True, 9)]
    spark.sql(f"{rows} (1, 3, true, 1, true), (2, 3, false, 2, false)")
    finish(spark, "START STREAMING QUERY q")
    assert rows_of(spark, table) == [(2, 3, False, 2)]


@pytest.mark.usefixtures("events_and_copy")
def test_columns_with_the_names_of_a_hash(spark: SparkSession) -> None:
    spark.sql("CREATE TABLE own (k INT, hash_high BIGINT, hash_low BIGINT) USING parquet")
    spark.sql("INSERT INTO own VALUES (1, 2, 3)")
    query = "SELECT * FROM STREAM own EMIT ON CHANGE KEY (k) WITH CHANGE TYPE"
    spark.sql("CREATE TABLE written (k INT, high BIGINT, low BIGINT, kind STRING) USING parquet")
    finish(spark, f"START STREAMING QUERY q {NOW} AS INSERT INTO written {query}")
    spark.sql("INSERT INTO own VALUES (1, 2, 4)")
    finish(spark, "START STREAMING QUERY q")
    assert rows_of(spark, "written") == [(1, 2, 3, "insert"), (1, 2, 4, "update_postimage")]


@pytest.mark.usefixtures("events_and_copy")
@columns("__eddyline_count", "__eddyline_key", "part0")
def test_keys_that_are_checked_to_be_unique(spark: SparkSession, names: list[str]) -> None:
    table = f"lake.own{next(ALONE)}.t"
    spark.sql(named(names, "CREATE TABLE own ($0 INT, $1 STRING, $2 BIGINT) USING parquet"))
    spark.sql(named(names, f"CREATE TABLE {table} ($0 INT, $1 STRING, $2 BIGINT)"))
    spark.sql("INSERT INTO own VALUES (1, 'a', 3), (1, 'b', 4)")
    start = f"START STREAMING QUERY q {NOW} AS UPSERT INTO {table} KEY ($0, $1) TABLE own"
    finish(spark, named(names, start.replace("TABLE own", "SELECT * FROM STREAM own")))
    assert rows_of(spark, table) == [(1, "a", 3), (1, "b", 4)]


@columns("__eddyline_deleted", "__eddyline_count", "__eddyline_rank", "__eddyline_key")
@pytest.mark.parametrize("latest", ["", "ON DUPLICATE KEY LATEST BY $2 "])
def test_a_global_table_that_grows(spark: SparkSession, names: list[str], latest: str) -> None:
    base = "CREATE TABLE base ($0 INT, $1 INT, $2 INT, $3 STRING) USING parquet"
    spark.sql(named(names, base))
    spark.sql("INSERT INTO base SELECT int(id), 0, 0, string(id) FROM range(200)")
    create = f"CREATE GLOBAL TABLE g PRIMARY KEY ($0, $1) {latest}REFRESH MANUAL AS TABLE base"
    spark.sql(named(names, create))
    expected = {key: str(key) for key in range(200)}
    more = [(200, "new"), (201, "new")] + ([(3, "newer"), (4, "newer")] if latest else [])
    spark.sql(f"INSERT INTO base VALUES {', '.join(f'({k}, 0, 1, {v!r})' for k, v in more)}")
    spark.sql("REFRESH GLOBAL TABLE g")
    expected |= dict(more)
    assert dict(spark.sql(named(names, "SELECT $0, $3 FROM g")).collect()) == expected
    lookup = "SELECT int(id), $3 FROM range(300) JOIN g ON $0 = id AND $1 = 0"
    assert dict(spark.sql(named(names, lookup)).collect()) == expected


@columns("k", "__eddyline_branch", "v", "__eddyline_using", "__eddyline_key_names")
def test_the_branches_of_a_cogroup(spark: SparkSession, names: list[str]) -> None:
    spark.sql(named(names, "CREATE TABLE one ($0 INT, $1 INT) USING parquet"))
    spark.sql(named(names, "CREATE TABLE two ($0 INT, $2 INT) USING parquet"))
    spark.sql("INSERT INTO one VALUES (1, 8), (2, 0), (3, 9)")
    spark.sql("INSERT INTO two VALUES (1, 5), (2, 6)")
    cogroup = "COGROUP one AS $3, two AS $4 USING ($0) AGGREGATE max($1) AS m, max($2) AS n HAVING "
    found = {
        "EVERY BRANCH": [(1, 8, 5), (2, 0, 6)],
        "EVERY BRANCH AND bit_or($1) > 0": [(1, 8, 5)],
        "bit_count(max($1)) = 1": [(1, 8, 5)],
        "max($2) IS NULL": [(3, 9, None)],
    }
    for having, rows in found.items():
        assert sorted(map(tuple, spark.sql(named(names, cogroup + having)).collect())) == rows
