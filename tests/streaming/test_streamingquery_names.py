"""Names of streaming queries, and the folders of their checkpoints."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException

from eddyline import streaming_queries
from goldenfiles import error_place
from waiting import eventually

from .streamingquery_harness import COPY, NOW, arrive, copied, finish, one, refused

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.usefixtures("events_and_copy")

SLOW = "TRIGGER EVERY 1 HOUR"
COUNT = "AS INSERT INTO copy SELECT k, int(count(*)) FROM STREAM events GROUP BY k EMIT ON CHANGE"

FOLDERS = {
    "plain_2": "plain_2",
    "my-query": "my-query",
    "Rooms": "rooms",
    "../up": "%2e%2e%2fup",
    "..": "%2e%2e",
    "a:b c": "a%3ab%20c",
    "100%": "100%25",
    "it's \\n": "it%27s%20%5cn",
    "`\n\x01": "%60%0a%01",
    "Émile 🌊": "%c3%a9mile%20%f0%9f%8c%8a",
}


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def test_folders(spark: SparkSession, tmp_path: Path) -> None:
    """Each query has its own folder below the root."""
    for name in FOLDERS:
        assert one(spark, f"START STREAMING QUERY {quoted(name)} {SLOW} {COPY}").name == name
    eventually(lambda: {path.name for path in tmp_path.iterdir()} == set(FOLDERS.values()))
    assert {info.name for info in streaming_queries(spark)} == set(FOLDERS)
    for name in FOLDERS:
        assert one(spark, f"DROP STREAMING QUERY {quoted(name)}").status == "DROPPED"


@pytest.mark.parametrize("typed", ["..", "`\n\x01", "../it's 100% Émile 🌊"])
def test_a_name_goes_on_with_its_state(spark: SparkSession, typed: str) -> None:
    name = quoted(typed)
    arrive(spark, 1, 1)
    finish(spark, f"START STREAMING QUERY {name} {NOW} {COUNT}", name)
    arrive(spark, 1)
    finish(spark, f"RESTART STREAMING QUERY {name}", name)
    assert sorted(row.v for row in spark.table("copy").collect()) == [2, 3]
    spark.sql(f"DROP STREAMING QUERY {name}")


def test_string_literals_as_regexes(spark: SparkSession) -> None:
    spark.conf.set("spark.sql.parser.escapedStringLiterals", "true")
    name = "it's a \\ name"
    assert one(spark, f"START STREAMING QUERY {quoted(name)} {SLOW} {COPY}").name == name


def test_the_case_of_a_name(spark: SparkSession) -> None:
    arrive(spark, 1)
    finish(spark, f"START STREAMING QUERY Rooms {NOW} {COPY}", "ROOMS")
    spark.sql("DROP STREAMING QUERY rooms")
    finish(spark, f"START STREAMING QUERY rooms {NOW} {COPY}", "rooms")
    assert copied(spark) == [1], "it went on from the checkpoint"


def test_a_name_that_is_too_long(spark: SparkSession, tmp_path: Path) -> None:
    longest, longer = "é" * 42 + "abc", "é" * 42 + "abcd"
    one(spark, f"START STREAMING QUERY {quoted(longest)} {SLOW} {COPY}")
    sql = f"START STREAMING QUERY {quoted(longer)} {SLOW} {COPY}"
    with pytest.raises(AnalysisException) as caught:
        spark.sql(sql)
    assert caught.value.getCondition() == "EDDYLINE_STREAMING_QUERY.NAME_TOO_LONG"
    assert error_place(caught.value, sql)[0] == sql.index("`")
    one(spark, f"START STREAMING QUERY {quoted(longer)} {SLOW} CHECKPOINT '{tmp_path}/c' {COPY}")


@pytest.mark.parametrize("kind", ["START", "CREATE"])
def test_a_name_with_nul(spark: SparkSession, kind: str) -> None:
    sql = f"{kind} STREAMING QUERY `a\0b` {SLOW} {COPY}"
    with pytest.raises(AnalysisException) as caught:
        spark.sql(sql)
    assert caught.value.getCondition() == "EDDYLINE_STREAMING_QUERY.NAME_WITH_NUL"
    assert "The name a\\0b contains" in str(caught.value)
    assert error_place(caught.value, sql)[0] == sql.index("`")


@pytest.mark.parametrize("path", ["a:b", "", "nowhere://host/path", "http://127.0.0.1:1/path"])
def test_a_checkpoint_that_is_no_path(spark: SparkSession, path: str) -> None:
    sql = f"START STREAMING QUERY q CHECKPOINT '{path}' {COPY}"
    assert refused(spark, sql) == "EDDYLINE_STREAMING_QUERY.INVALID_CHECKPOINT"
    assert streaming_queries(spark) == []


def test_checkpoints(spark: SparkSession, tmp_path: Path) -> None:
    spark.sql(f"START STREAMING QUERY a {NOW} CHECKPOINT '{tmp_path}/x' {COPY}")
    with pytest.raises(AnalysisException) as caught:
        spark.sql(f"START STREAMING QUERY b CHECKPOINT 'file:{tmp_path}/y/../x' {COPY}")
    assert caught.value.getCondition() == "EDDYLINE_STREAMING_QUERY.CHECKPOINT_IN_USE"
    other = (
        spark.sql("SELECT k FROM STREAM events")
        .writeStream.format("noop")
        .option("checkpointLocation", str(tmp_path / "other"))
        .start()
    )
    with pytest.raises(AnalysisException) as caught:
        spark.sql(f"START STREAMING QUERY c CHECKPOINT '{tmp_path}/other' {COPY}")
    assert caught.value.getCondition() == "EDDYLINE_STREAMING_QUERY.CHECKPOINT_IN_USE"
    assert other.isActive
    other.stop()
    spark.conf.unset("spark.sql.streaming.checkpointLocation")
    sql = f"START STREAMING QUERY b {COPY}"
    with pytest.raises(AnalysisException) as caught:
        spark.sql(sql)
    assert caught.value.getCondition() == "EDDYLINE_STREAMING_QUERY.CHECKPOINT_MISSING"
    assert error_place(caught.value, sql)[0] == sql.index("b ")
    with pytest.raises(AnalysisException) as caught:
        spark.sql(sql.replace("STREAM ", "", 1))
    assert caught.value.getCondition() == "EDDYLINE_STREAMING_QUERY.NOT_STREAMING"
    assert [info.name for info in streaming_queries(spark)] == ["a"]
