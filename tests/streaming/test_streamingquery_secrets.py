"""Texts shown about streaming queries and global tables contain no secret."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException

from waiting import eventually

from .streamingquery_harness import NOW, arrive, one, status

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

GONE = "*********(redacted)"


@pytest.mark.usefixtures("events_and_copy")
def test_options(spark: SparkSession) -> None:
    spark.sql(
        "START STREAMING QUERY q TRIGGER EVERY 1 HOUR "
        "OPTIONS ('redis.auth' 'hush1', url 'hush2', path 'open') "
        "AS INSERT INTO copy SELECT k, v FROM STREAM events"
    )
    described = {
        row.info_name: row.info_value for row in spark.sql("DESCRIBE STREAMING QUERY q").collect()
    }
    options = dict(pair.split("=") for pair in described["options"].split(", "))
    assert options == {"redis.auth": GONE, "url": GONE, "path": "open"}
    assert "hush" not in described["statement"]


WORDS = (
    "SELECT k, CASE 'token' WHEN 'secret' THEN 1 ELSE v END AS v FROM STREAM events "
    "WHERE string(v) NOT IN ('login', 'token', 'logout') "
    "AND coalesce(get_json_object('{}', '$.token'), 'x') <> 'password_reset'"
)


@pytest.mark.usefixtures("events_and_copy", "servers")
def test_words_that_are_no_secrets(spark: SparkSession) -> None:
    """A word such as token is a value like any other: it is stored and shown as typed."""
    spark.sql("CREATE TABLE token (k INT, v INT) USING parquet")
    create = f"CREATE STREAMING QUERY q {NOW} COMMENT 'of the token' AS INSERT INTO token {WORDS}"
    spark.sql(create)
    assert one(spark, "SHOW CREATE STREAMING QUERY q").statement == create
    arrive(spark, 1)
    spark.sql(f"START STREAMING QUERY r {NOW} AS INSERT INTO copy {WORDS}")
    spark.sql("AWAIT STREAMING QUERY r")
    assert one(spark, "SHOW CREATE STREAMING QUERY r").statement.endswith(WORDS)
    plan = one(spark, "EXPLAIN STREAMING QUERY r").plan
    assert "IN (login,token,logout)" in plan
    assert GONE not in plan


@pytest.mark.usefixtures("events_and_copy")
def test_everything_of_a_streaming_query(spark: SparkSession, tmp_path: Path) -> None:
    spark.conf.set("spark.sql.redaction.string.regex", "quiet\\w*")
    arrive(spark, 1)
    spark.sql("CREATE TABLE quiet6 (k INT, v INT) USING parquet")
    started = spark.sql(
        f"START STREAMING QUERY q {NOW} CHECKPOINT 'file://{tmp_path}/token=hush1' "
        "OPTIONS (apikey 'hush2', plain 'x') COMMENT 'password=hush3' "
        "AS INSERT INTO quiet6 SELECT k, if(string(k) = map('secret', 'hush4')['secret'], v, "
        "raise_error(concat('hu', 'sh2 and quiet5'))) FROM STREAM events"
    )
    eventually(lambda: status(spark) == "FAILED")
    awaiting = "AWAIT STREAMING QUERY q"
    with pytest.raises(AnalysisException) as caught:
        spark.sql(awaiting)
    with pytest.raises(AnalysisException) as in_use:
        spark.sql(
            f"START STREAMING QUERY other CHECKPOINT 'file://{tmp_path}/token=hush1' "
            "AS INSERT INTO copy SELECT k, v FROM STREAM events"
        )
    described = str(spark.sql("DESCRIBE STREAMING QUERY q").collect())
    for text in [
        str(started.collect()),
        str(caught.value),
        str(in_use.value),
        described,
        str(spark.sql("SHOW STREAMING QUERIES").collect()),
        str(spark.sql("SHOW STREAMING QUERY PROGRESS q").collect()),
        one(spark, "SHOW CREATE STREAMING QUERY q").statement,
        one(spark, "EXPLAIN STREAMING QUERY q").plan,
        str(one(spark, "STOP STREAMING QUERY q")),
        str(started._jdf.queryExecution().toString()),
    ]:
        assert "hush" not in text
        assert "quiet" not in text
    assert "plain=x" in described


def test_a_global_table(spark: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "rates"
    spark.range(2).write.csv(str(folder))
    spark.sql(
        f"CREATE GLOBAL TABLE rates (id INT) USING csv OPTIONS ('apikey' 'hush1') "
        f"LOCATION '{folder}'"
    )
    spark.sql("CREATE GLOBAL TABLE ids AS SELECT id, map('api-key', 'hush2') AS m FROM rates")
    for table in ("rates", "ids"):
        for statement in ("SHOW CREATE GLOBAL TABLE", "DESCRIBE GLOBAL TABLE"):
            assert "hush" not in str(spark.sql(f"{statement} {table}").collect())


@pytest.mark.usefixtures("events_and_copy", "servers")
@pytest.mark.parametrize(
    "option",
    [
        "'conf' 'password=hush'",
        "'url' 'jdbc:x:/h'",
        "'header' 'Authorization: Bearer hush'",
    ],
)
def test_a_definition_that_is_stored(spark: SparkSession, option: str) -> None:
    create = f"CREATE STREAMING QUERY q OPTIONS ({option}) AS INSERT INTO copy "
    with pytest.raises(AnalysisException) as caught:
        spark.sql(f"{create} SELECT k, v FROM STREAM events")
    assert caught.value.getCondition() == "EDDYLINE_STREAMING_QUERY.SECRET_IN_CLEAR"
    assert "hush" not in str(caught.value)


@pytest.mark.usefixtures("events_and_copy", "servers")
def test_an_empty_option_is_no_secret(spark: SparkSession) -> None:
    """Each text contains it."""
    create = "CREATE STREAMING QUERY q OPTIONS ('password' '') AS INSERT INTO copy "
    assert one(spark, f"{create} SELECT k, v FROM STREAM events").status == "RUNNING"
