"""CREATE STREAMING QUERY: definitions that outlive the server that runs them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException

from eddyline import streaming_queries
from waiting import eventually

from .globaltable_harness import file_faults
from .streamingquery_harness import COPY, NOW, arrive, copied, finish, one, refused, status

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from .streamingquery_harness import Servers

pytestmark = pytest.mark.usefixtures("events_and_copy")

CREATE = f"CREATE STREAMING QUERY q {COPY}"


def test_a_definition(spark: SparkSession, servers: Servers, tmp_path: Path) -> None:
    spark.sql("SET spark.sql.shuffle.partitions = 3")
    text = f"CREATE STREAMING QUERY q TRIGGER EVERY 1 SECOND COMMENT 'a copy'\n  {COPY}"
    created = one(spark, text)
    assert (created.name, created.status) == ("q", "RUNNING")
    stored = servers.stored()
    assert stored["statement"] == text
    assert (stored["catalog"], stored["namespace"]) == ("spark_catalog", ["default"])
    assert stored["confs"]["spark.sql.shuffle.partitions"] == "3"
    assert stored["checkpoint"] == f"file:{tmp_path}/q"
    assert (stored["comment"], stored["running"]) == ("a copy", True)
    assert stored["user"] == one(spark, "SELECT current_user() AS u").u
    assert one(spark, "SHOW CREATE STREAMING QUERY q").statement == text
    (info,) = streaming_queries(spark)
    assert info.persistent
    assert (servers.location.stat().st_mode & 0o777) == 0o700
    spark.sql("RESET spark.sql.shuffle.partitions")


def test_statements_change_what_the_next_server_does(spark: SparkSession, servers: Servers) -> None:
    spark.sql(CREATE)
    spark.sql("STOP STREAMING QUERY q")
    assert not servers.stored()["running"]
    servers.end()
    servers.begin()
    eventually(lambda: [info.status for info in streaming_queries(spark)] == ["STOPPED"])
    assert one(spark, "START STREAMING QUERY q").status == "RUNNING"
    assert servers.stored()["running"]
    assert refused(spark, "START STREAMING QUERY q").endswith("ALREADY_RUNNING")
    assert servers.stored()["running"]
    assert one(spark, "DROP STREAMING QUERY q").status == "DROPPED"
    assert list(servers.location.glob("*.json")) == []
    servers.end()
    servers.begin()
    assert streaming_queries(spark) == []


@pytest.mark.parametrize("way", ["end", "kill"])
def test_a_query_continues_with_the_next_server(
    spark: SparkSession, servers: Servers, way: str
) -> None:
    arrive(spark, 1)
    spark.sql(CREATE)
    eventually(lambda: copied(spark) == [1])
    getattr(servers, way)()
    arrive(spark, 2)
    servers.begin(leaseDuration="4s")
    eventually(lambda: copied(spark) == [1, 2])
    # a server that sleeps for a part of its lease stops the query, and starts it again
    eventually(lambda: status(spark) == "RUNNING")


def test_a_start_that_hangs_keeps_no_other(
    spark: SparkSession, servers: Servers, tmp_path: Path
) -> None:
    spark.sql("CREATE STREAMING QUERY a AS INSERT INTO copy SELECT k, v FROM STREAM events")
    spark.sql("CREATE STREAMING QUERY b AS INSERT INTO copy SELECT -k, v FROM STREAM events")
    servers.end()
    arrive(spark, 1)
    faults = file_faults(spark)
    faults.hold(f"{tmp_path}/a")
    try:
        servers.begin()
        faults.awaitReader()
        eventually(lambda: copied(spark) == [-1])
    finally:
        faults.mend()
    eventually(lambda: copied(spark) == [-1, 1])


def test_a_finished_query_stays_finished(spark: SparkSession, servers: Servers) -> None:
    arrive(spark, 1)
    finish(spark, f"CREATE STREAMING QUERY q {NOW} {COPY}")
    servers.end()
    assert not servers.stored()["running"]
    arrive(spark, 2)
    servers.begin()
    eventually(lambda: [info.status for info in streaming_queries(spark)] == ["STOPPED"])
    assert copied(spark) == [1]
    finish(spark, "START STREAMING QUERY q")
    assert copied(spark) == [1, 2]


def test_two_servers(spark: SparkSession, servers: Servers) -> None:
    spark.sql(CREATE)
    servers.leave()
    servers.begin(autoStart="false")
    (info,) = streaming_queries(spark)
    assert (info.name, info.status, info.target) == ("q", "STANDBY", "copy")
    assert info.persistent
    for statement in ("STOP STREAMING QUERY q", "DROP STREAMING QUERY q", CREATE):
        assert refused(spark, statement) == "EDDYLINE_STREAMING_QUERY.NOT_OWNER"
    arrive(spark, 1)
    eventually(lambda: copied(spark) == [1])
    servers.reset()
    servers.begin(autoStart="false")
    eventually(lambda: [info.status for info in streaming_queries(spark)] == ["STOPPED"])
    assert one(spark, "START STREAMING QUERY q").status == "RUNNING"


def test_clauses_in_a_definition(spark: SparkSession, servers: Servers) -> None:
    text = (
        "CREATE STREAMING QUERY q AS INSERT INTO copy "
        "COGROUP STREAM events BY k, STREAM other AS o BY k "
        "AGGREGATE CAST(count(events.*) + count(o.*) AS INT) EMIT ON CHANGE"
    )
    spark.sql("CREATE TABLE other (k INT) USING parquet")
    arrive(spark, 1)
    spark.sql(text)
    assert servers.stored()["statement"] == text
    eventually(lambda: [tuple(row) for row in spark.table("copy").collect()] == [(1, 1)])
    servers.end()
    servers.begin()
    spark.sql("INSERT INTO other VALUES (1)")
    eventually(lambda: {(1, 1), (1, 2)} == {tuple(row) for row in spark.table("copy").collect()})


def test_a_definition_that_fails_is_reported(spark: SparkSession, servers: Servers) -> None:
    spark.sql("CREATE TABLE dim (k INT) USING parquet")
    spark.sql(CREATE)
    spark.sql(f"CREATE STREAMING QUERY r {COPY} LEFT SEMI JOIN dim USING (k)")
    servers.end()
    spark.sql("DROP TABLE dim")
    (servers.location / "s.json").write_text('{"name": "s"}')
    servers.begin(maxRestarts="0")

    def found() -> dict[str, tuple[str, str | None]]:
        return {info.name: (info.status, info.last_error) for info in streaming_queries(spark)}

    eventually(
        lambda: (
            {k: v[0] for k, v in found().items()} == {"q": "RUNNING", "r": "FAILED", "s": "FAILED"}
        )
    )
    assert "dim" in str(found()["r"][1])
    assert "statement" in str(found()["s"][1])
    for statement in ("START STREAMING QUERY s", f"CREATE STREAMING QUERY IF NOT EXISTS s {COPY}"):
        assert refused(spark, statement).endswith("INVALID_DEFINITION")
    spark.sql("CREATE TABLE dim (k INT) USING parquet")
    assert one(spark, "START STREAMING QUERY r").status == "RUNNING"
    assert refused(spark, "CREATE STREAMING QUERY s " + COPY).endswith("ALREADY_EXISTS")
    assert one(spark, "DROP STREAMING QUERY s").status == "DROPPED"
    assert sorted(found()) == ["q", "r"]


def test_a_query_that_fails_is_started_again(spark: SparkSession, servers: Servers) -> None:
    servers.end()
    servers.begin(maxRestarts="1000")
    spark.sql("CREATE TABLE once (k INT, v INT) USING parquet")
    spark.sql("CREATE STREAMING QUERY q AS INSERT INTO once SELECT k, v FROM STREAM events")
    first = streaming_queries(spark)[0].started
    spark.sql("ALTER TABLE once RENAME TO away")
    arrive(spark, 1)
    eventually(lambda: status(spark) == "FAILED")
    spark.sql("ALTER TABLE away RENAME TO once")
    eventually(lambda: spark.table("once").count() == 1)
    eventually(lambda: status(spark) == "RUNNING" and streaming_queries(spark)[0].started > first)


def test_but_not_into_another_table(spark: SparkSession, servers: Servers) -> None:
    arrive(spark, 1)
    spark.sql(CREATE)
    eventually(lambda: spark.sql("SHOW STREAMING QUERY PROGRESS q").count())
    spark.sql("DROP TABLE copy")
    spark.sql("CREATE TABLE copy (k INT, v INT) USING parquet")
    arrive(spark, 2)
    eventually(lambda: status(spark) == "FAILED")
    spark.sql("CREATE TABLE other (k INT, v INT) USING parquet")
    other = COPY.replace("copy", "other")
    spark.sql(f"CREATE STREAMING QUERY r {NOW} {other}")
    # the server supervises q before it stores that r has ended
    eventually(lambda: not servers.stored("r")["running"])
    first = streaming_queries(spark)[0]
    assert (first.name, first.status, copied(spark)) == ("q", "FAILED", [])
    assert "is not the one into which the streaming query has written" in str(first.last_error)
    spark.sql("START STREAMING QUERY q")
    eventually(lambda: copied(spark) == [2])


def test_create_if_not_exists_and_or_replace(spark: SparkSession, servers: Servers) -> None:
    arrive(spark, 1)
    spark.sql(CREATE)
    assert refused(spark, CREATE) == "EDDYLINE_STREAMING_QUERY.ALREADY_EXISTS"
    other = "AS INSERT INTO copy SELECT k, v + 10 FROM STREAM events"
    run = one(spark, f"CREATE STREAMING QUERY IF NOT EXISTS q {other}").run_id
    assert run == one(spark, "AWAIT STREAMING QUERY q TIMEOUT 1 MILLISECOND").run_id
    eventually(lambda: copied(spark) == [1])
    bad = "AS INSERT INTO copy SELECT k, w FROM STREAM events"
    condition = refused(spark, f"CREATE OR REPLACE STREAMING QUERY q {bad}")
    assert condition.startswith("UNRESOLVED_COLUMN")
    assert one(spark, "AWAIT STREAMING QUERY q TIMEOUT 1 MILLISECOND").run_id == run
    assert one(spark, f"CREATE OR REPLACE STREAMING QUERY q {other}").run_id != run
    assert other in servers.stored()["statement"]
    arrive(spark, 2)
    eventually(lambda: {(1, 1), (2, 12)} == {tuple(row) for row in spark.table("copy").collect()})
    spark.sql("START STREAMING QUERY r " + COPY)
    assert refused(spark, f"CREATE OR REPLACE STREAMING QUERY r {other}").endswith("ALREADY_EXISTS")
    spark.sql("DROP STREAMING QUERY r")


def test_a_start_that_fails_leaves_nothing(spark: SparkSession, servers: Servers) -> None:
    taken = one(spark, CREATE).checkpoint
    condition = refused(spark, f"CREATE STREAMING QUERY r CHECKPOINT '{taken}' {COPY}")
    assert condition == "EDDYLINE_STREAMING_QUERY.CHECKPOINT_IN_USE"
    condition = refused(spark, "CREATE STREAMING QUERY r AS INSERT INTO copy SELECT 1, 2")
    assert condition == "EDDYLINE_STREAMING_QUERY.NOT_STREAMING"
    assert [info.name for info in streaming_queries(spark)] == ["q"]
    assert [path.name for path in servers.location.glob("*.json")] == ["q.json"]


def test_the_longest_name(spark: SparkSession, servers: Servers, tmp_path: Path) -> None:
    create = f"CREATE STREAMING QUERY {{}} CHECKPOINT '{tmp_path}/c' {COPY}"
    condition = refused(spark, create.format("n" * 204))
    assert condition == "EDDYLINE_STREAMING_QUERY.NAME_TOO_LONG"
    assert not list(servers.location.glob("*.json"))
    spark.sql(create.format("n" * 203))
    assert servers.stored("n" * 203)["running"]


def test_what_ends_with_the_session_is_refused(spark: SparkSession, servers: Servers) -> None:
    spark.sql("CREATE TEMPORARY VIEW dim AS SELECT 1 AS k")
    spark.sql("CREATE TEMPORARY VIEW all_events AS SELECT * FROM STREAM events")
    spark.sql("CREATE GLOBAL TEMPORARY VIEW dim AS SELECT 1 AS k")
    spark.sql("DECLARE VARIABLE x INT DEFAULT 1")
    spark.udf.register("plus", lambda n: n + 1, "int")
    spark.sql("CREATE TEMPORARY FUNCTION ones() RETURNS TABLE (n INT) RETURN SELECT 1")
    sources = [
        "k, v FROM all_events",
        "k, v FROM STREAM events JOIN dim USING (k)",
        "k, v FROM STREAM events JOIN global_temp.dim USING (k)",
        "k, v FROM STREAM events WHERE EXISTS (SELECT 1 FROM dim WHERE dim.k = events.k)",
        "k, x FROM STREAM events",
        "k, plus(v) FROM STREAM events",
        "* FROM (WITH c AS (SELECT k, plus(v) FROM STREAM events) SELECT * FROM c)",
        "k, n FROM STREAM events CROSS JOIN ones()",
        "k, n FROM STREAM events LATERAL VIEW plus(v) AS n",
    ]
    for source in sources:
        condition = refused(spark, f"CREATE STREAMING QUERY q AS INSERT INTO copy SELECT {source}")
        assert condition == "EDDYLINE_STREAMING_QUERY.TEMPORARY_OBJECT", source
    # where Spark is told not to put values into texts
    query = "CREATE STREAMING QUERY q AS INSERT INTO copy SELECT k, :x FROM STREAM events"
    spark.conf.set("spark.sql.legacy.parameterSubstitution.constantsOnly", "true")
    with pytest.raises(AnalysisException, match=r"UNBOUND_SQL_PARAMETER.* x\."):
        spark.sql(query, args={"x": 1})
    spark.conf.unset("spark.sql.legacy.parameterSubstitution.constantsOnly")
    assert not list(servers.location.glob("*.json"))
    for view in ("dim", "all_events", "global_temp.dim"):
        spark.sql(f"DROP VIEW {view}")
    spark.sql("DROP TEMPORARY VARIABLE x")


@pytest.mark.parametrize("marker", [":{}", "?"])
def test_the_values_of_parameters_are_stored(
    spark: SparkSession, servers: Servers, tmp_path: Path, marker: str
) -> None:
    """Variables stay in the text, also before and between the parameters."""
    values = {"name": "q", "every": 1, "checkpoint": f"{tmp_path}/own", "plus": 10, "least": 1}
    name, every, checkpoint, plus, least = map(marker.format, values)
    sql = (
        f"CREATE STREAMING QUERY IDENTIFIER({name}) COMMENT '${{env:HOME}}' TRIGGER EVERY {every} "
        f"SECOND CHECKPOINT {checkpoint} AS INSERT INTO copy SELECT k, v + {plus} "
        f"FROM STREAM events WHERE '${{env:PATH}}' <> '' AND k > {least}"
    )
    spark.sql(sql, args=list(values.values()) if marker == "?" else values)
    arrive(spark, 1, 2)
    written = sql
    for shown in ("'q'", "1", f"'{tmp_path}/own'", "10", "1"):
        written = re.sub(r":(name|every|checkpoint|plus|least)\b|\?", shown, written, count=1)
    assert servers.stored()["statement"] == written
    assert one(spark, "SHOW CREATE STREAMING QUERY q").statement == written
    servers.end()
    servers.begin()
    eventually(lambda: copied(spark) == [2])
    assert spark.table("copy").first().v == 12
    assert servers.stored()["checkpoint"] == f"file:{tmp_path}/own"


def test_secrets_are_stored_as_references(
    spark: SparkSession, servers: Servers, tmp_path: Path
) -> None:
    secret = "EDDYLINE_STREAMING_QUERY.SECRET_IN_CLEAR"
    create = "CREATE STREAMING QUERY q OPTIONS ('password' '{}') " + COPY
    assert refused(spark, create.format("hunter22")) == secret
    spark.sql("SET spark.sql.catalog.x.token = hunter22")
    assert refused(spark, CREATE) == secret
    spark.sql("RESET spark.sql.catalog.x.token")
    statement = create.format("${env:PATH}")
    spark.sql(statement)
    assert servers.stored()["statement"] == statement
    assert one(spark, "SHOW CREATE STREAMING QUERY q").statement == statement
    servers.end()  # which renews no lease any more
    files = [path for path in servers.location.rglob("*") if path.is_file()]
    assert not [path for path in files if b"hunter22" in path.read_bytes()]


@pytest.mark.usefixtures("servers")
def test_purge_deletes_the_checkpoint(spark: SparkSession, tmp_path: Path) -> None:
    arrive(spark, 1)
    finish(spark, f"CREATE STREAMING QUERY q {NOW} {COPY}")
    (tmp_path / "keep").write_text("")
    spark.sql("DROP STREAMING QUERY q PURGE")
    assert not (tmp_path / "q").exists()
    assert (tmp_path / "keep").exists()
    finish(spark, f"CREATE STREAMING QUERY q {NOW} {COPY}")
    assert copied(spark) == [1, 1]
    spark.sql("DROP STREAMING QUERY q")
    assert (tmp_path / "q").exists()
