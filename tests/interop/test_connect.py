"""Spark Connect: the client holds no jar, and the server parses each text twice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from eddyline import EddylineError, configure
from interop.server import Server
from interop.shop import COGROUP, ROWS, SYNTAX_ERROR, TYPE_MISMATCH, VIEWS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture
def builder(connect: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[SparkSession.Builder]:
    """Yields a builder of a remote session, and stops what it made."""
    from pyspark.sql import SparkSession

    # pyspark would export this for good; if set here, it is undone before a classic session
    monkeypatch.setenv("SPARK_CONNECT_MODE_ENABLED", "1")
    yield SparkSession.builder.remote(f"sc://127.0.0.1:{connect.port}")
    if (made := SparkSession.getActiveSession()) is not None:
        made.stop()


@pytest.fixture
def remote(builder: SparkSession.Builder) -> SparkSession:
    session = builder.getOrCreate()
    for view in VIEWS:
        session.sql(view)
    return session


def test_clause(remote: SparkSession) -> None:
    df = remote.sql(f"{COGROUP} ORDER BY customer_id")
    assert df.columns == ["customer_id", "in_cart", "spent"]
    assert df.collect() == ROWS


def test_named_arguments(remote: SparkSession) -> None:
    sql = COGROUP.replace("BY buyer", "WHERE price > :more BY buyer") + " HAVING count(*) > :least"
    assert remote.sql(sql, args={"more": 2, "least": 1}).collect() == [(1, 2, 5)]


def test_positional_arguments(remote: SparkSession) -> None:
    sql = COGROUP.replace("BY buyer", "WHERE price > ? BY buyer") + " HAVING count(*) > ?"
    assert remote.sql(sql, args=[2, 1]).collect() == [(1, 2, 5)]


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        (
            SYNTAX_ERROR,
            ("EDDYLINE_COGROUP.SYNTAX_ERROR", "42601", ",", SYNTAX_ERROR.index(", count")),
        ),
        (
            TYPE_MISMATCH,
            ("EDDYLINE_COGROUP.KEY_TYPE_MISMATCH", "42K09", "buyer", TYPE_MISMATCH.index("buyer")),
        ),
    ],
    ids=["syntax", "analysis"],
)
def test_error_points_into_what_was_typed(
    remote: SparkSession, sql: str, expected: tuple[str, str, str, int]
) -> None:
    from pyspark.errors import AnalysisException

    with pytest.raises(AnalysisException) as refused:
        remote.sql(sql).collect()
    error = refused.value
    (context,) = error.getQueryContext()
    at = (context.fragment(), context.startIndex())
    assert (error.getCondition(), error.getSqlState(), *at) == expected


def test_a_stream_says_how_it_is_started(remote: SparkSession) -> None:
    from pyspark.errors import AnalysisException

    remote.sql("CREATE TABLE live (k INT) USING parquet")
    stream = remote.sql("SELECT k FROM STREAM live EMIT ON UPDATE")
    for action in (stream.show, stream.count, stream.collect):
        with pytest.raises(AnalysisException, match="START STREAMING QUERY name") as refused:
            action()
        assert refused.value.getCondition() == "EDDYLINE_EMIT.STREAM_NOT_STARTED"
    remote.sql("DROP TABLE live")


def test_dataframe_goes_on_from_a_clause(remote: SparkSession) -> None:
    from pyspark.sql import functions as f

    shop = remote.sql(COGROUP)
    names = remote.createDataFrame([(1, "Ann"), (3, "Cid")], "customer_id int, name string")
    df = (
        shop.where(f.col("spent").isNotNull())
        .join(names, "customer_id")
        .select("name", (f.col("spent") + f.col("in_cart")).alias("sum"))
        .orderBy("name")
    )
    assert df.collect() == [("Ann", 9), ("Cid", 9)]


def test_temporary_views(remote: SparkSession) -> None:
    remote.sql(f"CREATE TEMPORARY VIEW by_sql AS {COGROUP}")
    remote.sql(COGROUP).createOrReplaceTempView("by_dataframe")
    for view in ("by_sql", "by_dataframe"):
        assert remote.sql(f"SELECT * FROM {view} ORDER BY ALL").collect() == ROWS
        assert remote.table(view).where("in_cart = 0").collect() == ROWS[2:]


def test_configure_leaves_a_remote_builder_alone(builder: SparkSession.Builder) -> None:
    before = dict(builder._options)
    configured = configure(builder)
    assert configured is builder
    assert builder._options == before
    assert configured.getOrCreate().sql(_ONE_KEY).collect() == [(7, 2)]


def test_configure_checks_a_remote_session(builder: SparkSession.Builder) -> None:
    disabled = builder.config("spark.eddyline.enabled", "false")
    with pytest.raises(EddylineError, match=r"EDDYLINE_ENVIRONMENT\.JAR_NOT_LOADED"):
        configure(disabled).getOrCreate()


_ONE_KEY = "COGROUP (SELECT 7 AS k) AS a BY k, (SELECT 7 AS k) AS b BY k AGGREGATE count(*) AS n"
