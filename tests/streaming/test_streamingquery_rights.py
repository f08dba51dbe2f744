"""Who may change the streaming queries of others."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from eddyline import streaming_queries

from .streamingquery_harness import COPY, one, refused, status

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

    from .streamingquery_harness import Servers

pytestmark = pytest.mark.usefixtures("events_and_copy")

NOT_ALLOWED = "EDDYLINE_STREAMING_QUERY.NOT_ALLOWED"


@contextmanager
def acting_as(spark: SparkSession, name: str) -> Iterator[None]:
    assert spark._jvm is not None
    user = spark._jvm.org.apache.spark.sql.catalyst.CurrentUserContext.CURRENT_USER()
    user.set(name)
    try:
        yield
    finally:
        user.remove()


def test_a_function_runs_no_statement(spark: SparkSession) -> None:
    """Whoever reads the function would run the statement."""
    spark.sql(f"START STREAMING QUERY q {COPY}")
    columns = "name STRING, status STRING, id STRING, run_id STRING, checkpoint STRING"
    body = "SELECT * FROM __eddyline_streaming_query(action => 'stop', name => 'q')"
    with acting_as(spark, "mal"):
        create = f"CREATE FUNCTION stopping() RETURNS TABLE ({columns}) RETURN {body}"
        assert refused(spark, create) == "EDDYLINE_STATEMENT_IN_QUERY"
    assert status(spark) == "RUNNING"


@pytest.mark.parametrize("kind", ["START", "CREATE"])
def test_only_owner_and_admins_change_a_query(
    spark: SparkSession, servers: Servers, kind: str
) -> None:
    servers.end()
    servers.begin(admins="carl, dora")
    with acting_as(spark, "ann"):
        spark.sql(f"{kind} STREAMING QUERY q {COPY}")
    with acting_as(spark, "bob"):
        for verb in ("START", "STOP", "RESTART", "DROP"):
            assert refused(spark, f"{verb} STREAMING QUERY q") == NOT_ALLOWED
        assert refused(spark, "DROP STREAMING QUERY IF EXISTS q PURGE") == NOT_ALLOWED
        if kind == "CREATE":
            assert refused(spark, f"CREATE OR REPLACE STREAMING QUERY q {COPY}") == NOT_ALLOWED
        # bob sees it, and has queries of his own
        assert [(info.name, info.user) for info in streaming_queries(spark)] == [("q", "ann")]
        assert spark.sql("DESCRIBE STREAMING QUERY q").count() > 0
        spark.sql(f"{kind} STREAMING QUERY r {COPY}")
        assert one(spark, "DROP STREAMING QUERY r").status == "DROPPED"
    with acting_as(spark, "ann"):
        assert one(spark, "STOP STREAMING QUERY q").status == "STOPPED"
    with acting_as(spark, "dora"):
        assert one(spark, "START STREAMING QUERY q").status == "RUNNING"
    # the user of the application
    assert one(spark, "RESTART STREAMING QUERY q").status == "RUNNING"
    assert streaming_queries(spark)[0].user == "ann"
    with acting_as(spark, "ann"):
        assert one(spark, "DROP STREAMING QUERY q").status == "DROPPED"


def test_a_placeholder_typed_by_hand_stores_nothing_else(
    spark: SparkSession, servers: Servers
) -> None:
    """The statement that is stored must define the query of that name."""
    for statement in (
        "DROP TABLE events",
        f"CREATE STREAMING QUERY other {COPY}",
        f"START STREAMING QUERY q {COPY}",
    ):
        call = (
            f"SELECT * FROM __eddyline_start_streaming_query("
            f"statement => X'{statement.encode().hex()}', name => 'q', "
            f"target => TABLE(copy), text => X'00', query => TABLE(SELECT k, v FROM STREAM events))"
        )
        assert refused(spark, call) == "EDDYLINE_STREAMING_QUERY.INVALID_DEFINITION"
    assert list(servers.location.glob("*.json")) == []
    assert spark.table("events").count() == 0
