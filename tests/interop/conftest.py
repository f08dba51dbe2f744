"""The servers of the tests, one of each kind for the whole run."""

from __future__ import annotations

import getpass
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from interop.dbt_client import Dbt, dbt_project
from interop.hive import open_cursor
from interop.launch import confs
from interop.server import Server, running

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def thrift(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    scratch = tmp_path_factory.mktemp("thrift")
    checkpoints = {"spark.sql.streaming.checkpointLocation": str(scratch / "checkpoints")}
    with running("thrift", scratch, checkpoints) as server:
        yield server


@pytest.fixture(scope="session")
def connect(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running("connect", tmp_path_factory.mktemp("connect")) as server:
        yield server


@pytest.fixture
def cursor(thrift: Server) -> Iterator[Any]:
    with open_cursor(thrift) as cursor:
        yield cursor


@pytest.fixture
def remote(connect: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[SparkSession]:
    """Yields a session of the Connect server."""
    from pyspark.sql import SparkSession

    monkeypatch.setenv("SPARK_CONNECT_MODE_ENABLED", "1")
    session = SparkSession.builder.remote(f"sc://127.0.0.1:{connect.port}").getOrCreate()
    yield session
    session.stop()


@pytest.fixture(scope="module")
def leaving_no_query(thrift: Server) -> Iterator[Server]:
    """The Thrift server, from which the streaming queries are dropped after a module."""
    yield thrift
    with open_cursor(thrift, user=getpass.getuser()) as cursor:  # the server's user
        cursor.execute("SHOW STREAMING QUERIES")
        for name, *_ in cursor.fetchall():
            cursor.execute(f"DROP STREAMING QUERY `{name}` PURGE")


@pytest.fixture(scope="session")
def dbt_by_thrift(thrift: Server) -> Iterator[Dbt]:
    with dbt_project(thrift.scratch, "thrift", port=thrift.port) as dbt:
        yield dbt


@pytest.fixture(scope="module")
def dbt(dbt_by_thrift: Dbt, leaving_no_query: Server) -> Dbt:
    """The project `dbt_project` by `method: thrift`, with nothing but its seeds."""
    dbt_by_thrift.sql("drop schema if exists shop cascade")
    dbt_by_thrift.run("seed")
    return dbt_by_thrift


@pytest.fixture(scope="session")
def dbt_in_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dbt]:
    """The project `dbt_project` by `method: session`, with its seeds."""
    scratch = tmp_path_factory.mktemp("dbt_session")
    given = {
        **confs(scratch),
        "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.streaming.checkpointLocation": str(scratch / "checkpoints"),
    }
    with dbt_project(scratch, "session", given) as dbt:
        dbt.run("seed")
        yield dbt
