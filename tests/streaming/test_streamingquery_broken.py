"""Definitions that cannot be loaded, and locations that cannot be used."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from eddyline import streaming_queries
from waiting import eventually

from .streamingquery_harness import (
    COPY,
    NOW,
    arrive,
    copied,
    finish,
    one,
    refused,
    rows_of,
    status,
)
from .test_streamingquery_rights import NOT_ALLOWED, acting_as

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession

    from .streamingquery_harness import Servers

pytestmark = pytest.mark.usefixtures("events_and_copy")

QUERY = f"{NOW} AS INSERT INTO default.copy SELECT k, v FROM STREAM default.events"


@pytest.fixture
def broken(spark: SparkSession, servers: Servers) -> Iterator[Servers]:
    """A server that cannot load `q`, whose user is ann and whose database is gone."""
    spark.sql("CREATE DATABASE gone")
    spark.sql("USE gone")
    arrive_in = spark.sql
    arrive_in("INSERT INTO default.events VALUES (1, 1)")
    with acting_as(spark, "ann"):
        finish(spark, f"CREATE STREAMING QUERY q {QUERY}")
    spark.sql("USE default")
    servers.end()
    spark.sql("DROP DATABASE gone")
    servers.begin(maxRestarts="0")
    eventually(lambda: [info.status for info in streaming_queries(spark)] == ["FAILED"])
    yield servers
    spark.sql("DROP DATABASE IF EXISTS gone")


def test_a_start_loads_it_again(spark: SparkSession, broken: Servers) -> None:
    assert refused(spark, "START STREAMING QUERY q") == "SCHEMA_NOT_FOUND"
    assert status(spark) == "FAILED"
    spark.sql("CREATE DATABASE gone")
    finish(spark, "START STREAMING QUERY q")
    assert copied(spark) == [1]


def test_a_replacement_of_it(spark: SparkSession, broken: Servers, tmp_path: Path) -> None:
    before = broken.stored()
    create = "CREATE OR REPLACE STREAMING QUERY q "
    with acting_as(spark, "bob"):
        assert refused(spark, f"{create} RESET CHECKPOINT {QUERY}") == NOT_ALLOWED
    with acting_as(spark, "ann"):
        assert refused(spark, create + QUERY) == "EDDYLINE_STREAMING_QUERY.LOSES_STATE"
        offsets = tmp_path / "q" / "offsets" / "0"
        content = offsets.read_bytes()
        offsets.write_bytes(b"")
        assert refused(spark, create + QUERY) == "EDDYLINE_STREAMING_QUERY.CHECKPOINT_DAMAGED"
        offsets.write_bytes(content)
        no_stream = QUERY.replace("STREAM ", "")
        condition = refused(spark, f"{create} RESET CHECKPOINT {no_stream}")
        assert condition == "EDDYLINE_STREAMING_QUERY.NOT_STREAMING"
        assert (broken.stored(), status(spark)) == (before, "FAILED")
        finish(spark, f"{create} RESET CHECKPOINT {QUERY}")
    assert copied(spark) == [1, 1]


def test_a_purge_of_it(spark: SparkSession, broken: Servers, tmp_path: Path) -> None:
    with acting_as(spark, "bob"):
        assert refused(spark, "DROP STREAMING QUERY q PURGE") == NOT_ALLOWED
    assert one(spark, "DROP STREAMING QUERY q PURGE").checkpoint == f"file:{tmp_path}/q"
    assert not (tmp_path / "q").exists()
    (broken.location / "r.json").write_text("{")
    condition = refused(spark, "DROP STREAMING QUERY r PURGE")
    assert condition == "EDDYLINE_STREAMING_QUERY.CHECKPOINT_NOT_DELETED"
    assert one(spark, "DROP STREAMING QUERY r").status == "DROPPED"


def test_a_drop_without_the_file_system_of_its_checkpoint(
    spark: SparkSession, servers: Servers
) -> None:
    finish(spark, f"CREATE STREAMING QUERY q {NOW} {COPY}")
    servers.end()
    servers.store({**servers.stored(), "checkpoint": "gone://host/q"})
    servers.begin()
    assert one(spark, "DROP STREAMING QUERY q").status == "DROPPED"
    assert not (servers.location / "q.json").exists()


def test_no_purge_of_what_another_query_uses(
    spark: SparkSession, broken: Servers, tmp_path: Path
) -> None:
    (broken.location / "r.json").write_text(json.dumps({**broken.stored(), "name": "r"}))
    condition = refused(spark, "DROP STREAMING QUERY r PURGE")
    assert condition == "EDDYLINE_STREAMING_QUERY.CHECKPOINT_NOT_DELETED"
    assert (tmp_path / "q/metadata").exists()


def test_a_class_that_cannot_be_linked(spark: SparkSession, servers: Servers) -> None:
    """Such an error is none of `NonFatal`, and must not end the thread that supervises."""
    spark.sql(f"CREATE STREAMING QUERY q {COPY}")
    servers.end()
    stored = servers.stored()
    confs = {**stored["confs"], "spark.sql.catalog.unlinked": "io.eddyline.spark.UnlinkedCatalog"}
    servers.store({**stored, "name": "a", "catalog": "unlinked", "confs": confs}, "a")
    servers.begin()
    eventually(
        lambda: (
            {info.name: info.status for info in streaming_queries(spark)}
            == {"a": "FAILED", "q": "RUNNING"}
        )
    )


def test_a_file_that_no_query_has(spark: SparkSession, servers: Servers) -> None:
    servers.end()
    (servers.location / "lease").mkdir(parents=True, exist_ok=True)
    (servers.location / "notes 100%.json").write_text("")
    (servers.location / "lease/7.claim").write_text("")
    servers.begin(leaseDuration="1s")
    assert streaming_queries(spark) == []
    eventually((servers.location / "lease/8.beat").exists)
    claim = json.loads((servers.location / "lease/8.claim").read_text())
    assert claim["host"] == spark.conf.get("spark.driver.host")
    servers.end()
    servers.begin()  # with a lease that lasts as long as a statement
    spark.sql(f"CREATE STREAMING QUERY q {COPY}")


def test_a_setting_that_is_refused(spark: SparkSession, servers: Servers) -> None:
    servers.end()
    with pytest.raises(Exception, match="must be at least one second"):
        servers.begin(leaseDuration="0s")


@pytest.mark.parametrize("rights", [0o702, 0o720])
def test_a_location_that_others_may_write(
    spark: SparkSession, servers: Servers, rights: int
) -> None:
    servers.end()
    servers.location.mkdir(exist_ok=True)
    servers.location.chmod(rights)
    servers.begin()
    condition = refused(spark, f"CREATE STREAMING QUERY q {COPY}")
    assert condition == "EDDYLINE_STREAMING_QUERY.LOCATION_NOT_PROTECTED"
    servers.location.chmod(0o700)
    spark.sql(f"CREATE STREAMING QUERY q {COPY}")


def test_a_location_that_is_not_there(spark: SparkSession, servers: Servers) -> None:
    """Transient queries run without it, and SHOW says what is wrong with it."""
    servers.end()
    servers.begin(location="nowhere://host/definitions")
    arrive(spark, 1)
    finish(spark, f"START STREAMING QUERY t {NOW} {COPY}", "t")
    assert copied(spark) == [1]
    transient, location = streaming_queries(spark)
    assert (transient.name, transient.status, transient.persistent) == ("t", "FINISHED", False)
    assert (location.name, location.status) == ("nowhere://host/definitions", "FAILED")
    assert "LOCATION_FAILED" in str(location.last_error)
    condition = refused(spark, f"CREATE STREAMING QUERY q {COPY}")
    assert condition == "EDDYLINE_STREAMING_QUERY.LOCATION_FAILED"
    one(spark, "DROP STREAMING QUERY t")


def test_an_object_store_has_no_lease(
    spark: SparkSession, servers: Servers, tmp_path: Path
) -> None:
    assert spark._jsc is not None
    spark._jsc.hadoopConfiguration().set("fs.s3a.impl", "io.eddyline.spark.PlainObjectStore")
    servers.end()
    servers.begin(location=f"s3a:{tmp_path}/store")
    create = f"CREATE STREAMING QUERY q {COPY}"
    assert refused(spark, create) == "EDDYLINE_STREAMING_QUERY.LOCATION_NOT_ATOMIC"
    spark.sql(f"START STREAMING QUERY q {COPY}")
    spark.sql("DROP STREAMING QUERY q")
    servers.end()
    servers.begin(location=f"s3a:{tmp_path}/store", locationSharedByNone="true")
    spark.sql(create)
    assert (tmp_path / "store/q.json").exists()


def test_a_refresh_that_fails_repeats_no_write(spark: SparkSession) -> None:
    spark.sql("CREATE OR REPLACE TABLE lake.unrefreshed.copy (k INT, v BIGINT)")
    arrive(spark, 1)
    target = "INSERT INTO lake.unrefreshed.copy SELECT k, v FROM STREAM events"
    finish(spark, f"START STREAMING QUERY q {NOW} AS {target}")
    assert rows_of(spark, "lake.unrefreshed.copy") == [(1, 1)]
