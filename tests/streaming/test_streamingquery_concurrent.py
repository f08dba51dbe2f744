"""Statements about streaming queries at the same time, and an owner that loses its lease."""

from __future__ import annotations

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import AnalysisException

from eddyline import streaming_queries
from waiting import eventually

from .globaltable_harness import file_faults
from .streamingquery_harness import (
    COPY,
    NOW,
    arrive,
    copied,
    finish,
    held_batch,
    is_stopping,
    one,
    refused,
    rows,
    status,
)

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from eddyline.streamingquery import StreamingQueryInfo

    from .streamingquery_harness import Servers

pytestmark = pytest.mark.usefixtures("events_and_copy")

CREATE = f"CREATE STREAMING QUERY q {COPY}"
OTHER = "AS INSERT INTO copy SELECT k, v + 10 FROM STREAM events"


def lose_lease(servers: Servers) -> None:
    """Lets another application have had the lease, and have given it back."""
    owner = {"token": "t", "application": "other", "host": "h", "process": 1, "since": "now"}
    (servers.location / "lease/1000.beat").write_text("released")
    (servers.location / "lease/1000.claim").write_text(json.dumps(owner))


def test_a_statement_waits_for_the_one_before_it(spark: SparkSession, servers: Servers) -> None:
    spark.sql(CREATE)
    with held_batch(spark), ThreadPoolExecutor(2) as pool:
        replaced = pool.submit(one, spark, f"CREATE OR REPLACE STREAMING QUERY q {OTHER}")
        eventually(lambda: is_stopping(spark))
        stopped = pool.submit(one, spark, "STOP STREAMING QUERY q")
        # what only reads, and other names, do not wait
        assert [info.name for info in streaming_queries(spark)] == ["q"]
        assert refused(spark, "STOP STREAMING QUERY r").endswith("NOT_FOUND")
        assert not replaced.done()
        assert not stopped.done()
        file_faults(spark).mend()
        assert replaced.result().status == "RUNNING"
        assert stopped.result().status == "STOPPED"
    assert servers.stored()["statement"] == f"CREATE OR REPLACE STREAMING QUERY q {OTHER}"
    assert not servers.stored()["running"]
    arrive(spark, 2)
    spark.sql("START STREAMING QUERY q")
    eventually(lambda: rows(spark) == [(1, 1), (2, 12)])


def test_a_definition_is_stored_after_its_last_check(
    spark: SparkSession, servers: Servers, tmp_path: Path
) -> None:
    """The copy of the checkpoint is that of the query until its micro-batch ends."""
    spark.sql(CREATE)
    stored, copy = servers.stored(), tmp_path / "copy"
    with held_batch(spark), ThreadPoolExecutor(1) as pool:
        shutil.copytree(tmp_path / "q", copy)
        replace = f"CREATE OR REPLACE STREAMING QUERY q CHECKPOINT '{copy}' {COPY}"
        replaced = pool.submit(refused, spark, replace)
        eventually(lambda: is_stopping(spark))
        assert servers.stored() == stored
        file_faults(spark).mend()
        assert replaced.result() == "EDDYLINE_STREAMING_QUERY.LOSES_STATE"
    assert servers.stored() == stored
    arrive(spark, 2)
    eventually(lambda: copied(spark) == [1, 2])


def test_old_state_is_deleted_beside_the_supervision(
    spark: SparkSession, servers: Servers, tmp_path: Path
) -> None:
    """It may take minutes, in which other queries are supervised as ever."""
    arrive(spark, 1)
    finish(spark, f"CREATE STREAMING QUERY q {NOW} {COPY}")
    file_faults(spark).holdDeletions(f"{tmp_path}/q/commits")
    finish(spark, f"CREATE OR REPLACE STREAMING QUERY q RESET CHECKPOINT {NOW} {COPY}")
    file_faults(spark).awaitReader()
    finish(spark, f"CREATE STREAMING QUERY r {NOW} {OTHER}", "r")
    eventually(lambda: not servers.stored("r")["running"])
    assert (tmp_path / "q/commits").exists()
    file_faults(spark).mend()
    eventually(lambda: [path.name for path in (tmp_path / "q").iterdir()] == ["generation"])


@pytest.mark.usefixtures("servers")
def test_a_query_ends_to_exist_with_its_definition(spark: SparkSession) -> None:
    """Although its last micro-batch goes on, and DROP waits for that."""
    spark.sql(CREATE)
    with held_batch(spark), ThreadPoolExecutor(1) as pool:
        dropped = pool.submit(one, spark, "DROP STREAMING QUERY q")
        eventually(lambda: is_stopping(spark))
        assert streaming_queries(spark) == []
        file_faults(spark).mend()
        assert dropped.result().status == "DROPPED"


def test_a_create_during_a_purge_makes_another_query(spark: SparkSession, servers: Servers) -> None:
    """Its checkpoint is its own, so that it reads all rows, and the purge does not delete it."""
    spark.sql(CREATE)
    with held_batch(spark), ThreadPoolExecutor(2) as pool:
        dropped = pool.submit(one, spark, "DROP STREAMING QUERY q PURGE")
        eventually(lambda: is_stopping(spark))
        created = pool.submit(one, spark, CREATE.replace(COPY, OTHER))
        file_faults(spark).mend()
        assert dropped.result().status == "DROPPED"
        assert created.result().status == "RUNNING"
    eventually(lambda: rows(spark) == [(1, 1), (1, 11)])
    arrive(spark, 2)
    eventually(lambda: rows(spark) == [(1, 1), (1, 11), (2, 12)])
    assert servers.stored()["statement"] == CREATE.replace(COPY, OTHER)


def test_an_owner_that_loses_the_lease_stops_at_once(spark: SparkSession, servers: Servers) -> None:
    """Also within a micro-batch. It continues what it ran, by the definition as it is now."""
    servers.end()
    servers.begin(autoStart="false", leaseDuration="15s")
    patient = "'spark.eddyline.streamingQuery.stopTimeout' '1h'"
    spark.sql(f"CREATE STREAMING QUERY q OPTIONS ({patient}) {COPY}")
    first = streaming_queries(spark)[0].started
    with held_batch(spark):
        servers.store({**servers.stored(), "statement": f"CREATE STREAMING QUERY q {OTHER}"})
        lose_lease(servers)
        eventually(lambda: streaming_queries(spark)[0].started not in (None, first))
    eventually(lambda: rows(spark) == [(1, 11)])
    eventually(lambda: status(spark) == "RUNNING")


@pytest.mark.full
def test_a_query_that_ignores_its_interruption_keeps_no_other(
    spark: SparkSession, servers: Servers, tmp_path: Path
) -> None:
    servers.end()
    servers.begin(autoStart="false", leaseDuration="15s")
    arrive(spark, 1)
    finish(spark, f"CREATE STREAMING QUERY q {NOW} {COPY}")
    spark.sql(f"CREATE STREAMING QUERY r {OTHER}")

    def other() -> StreamingQueryInfo:
        return next(info for info in streaming_queries(spark) if info.name == "r")

    first = other().started
    faults = file_faults(spark)
    faults.holdFirmly(f"{tmp_path}/q/offsets")
    try:
        spark.sql("START STREAMING QUERY q")
        faults.awaitReader()
        lose_lease(servers)
        eventually(lambda: other().status == "RUNNING" and other().started != first)
    finally:
        faults.mend()


def test_what_was_read_before_the_lease_was_lost_is_not_used(
    spark: SparkSession, tmp_path: Path
) -> None:
    assert spark._jvm is not None
    context = spark._jsc.sc()  # type: ignore[union-attr]
    conf = context.getConf().set("spark.eddyline.streamingQuery.location", f"{tmp_path}/lost")
    package = spark._jvm.io.eddyline.spark.streamingquery
    location = package.LeasedLocation(package.StreamingQuerySettings(conf), context)
    place = spark._jvm.org.apache.spark.sql.catalyst.trees.CurrentOrigin.get()
    before = location.term()
    for read in (spark._jvm.scala.Option.apply(1), before):
        with pytest.raises(AnalysisException) as caught:
            location.requireTerm(read, "q", place)
        assert caught.value.getCondition() == "EDDYLINE_STREAMING_QUERY.LEASE_LOST"
        assert location.isHeld() == (read is before), "a term that has ended takes no lease"
    location.requireTerm(location.term(), "q", place)


@pytest.mark.full
def test_an_owner_that_cannot_renew_its_lease(spark: SparkSession, servers: Servers) -> None:
    servers.end()
    servers.begin(autoStart="false", leaseDuration="15s")
    spark.sql(CREATE)
    faults = file_faults(spark)
    faults.readOnly(str(servers.location))
    try:
        eventually(lambda: status(spark) == "FAILED")
        assert "Read-only" in str(streaming_queries(spark)[0].last_error)
        condition = refused(spark, "STOP STREAMING QUERY q")
        assert condition == "EDDYLINE_STREAMING_QUERY.LOCATION_FAILED"
    finally:
        faults.mend()
    arrive(spark, 1)
    eventually(lambda: copied(spark) == [1])
    eventually(lambda: status(spark) == "RUNNING")
    servers.end()  # which renews no lease any more
    assert [path for path in servers.location.rglob("*") if path.suffix in (".tmp", ".crc")] == []


def test_a_statement_that_cannot_be_stored_changes_nothing(
    spark: SparkSession, servers: Servers
) -> None:
    servers.end()
    servers.begin()
    run = one(spark, CREATE).run_id
    before = servers.stored()
    faults = file_faults(spark)
    faults.readOnly(str(servers.location))
    try:
        for statement in (
            CREATE.replace(" q ", " r "),
            f"CREATE OR REPLACE STREAMING QUERY q {OTHER}",
            f"CREATE OR REPLACE STREAMING QUERY q RESET CHECKPOINT {OTHER}",
            "STOP STREAMING QUERY q",
            "DROP STREAMING QUERY q",
            "DROP STREAMING QUERY q PURGE",
        ):
            assert refused(spark, statement) == "EDDYLINE_STREAMING_QUERY.LOCATION_FAILED"
            now = one(spark, "AWAIT STREAMING QUERY q TIMEOUT 1 MILLISECOND")
            assert (now.status, now.run_id) == ("RUNNING", run), statement
        arrive(spark, 1)
        eventually(lambda: copied(spark) == [1])
    finally:
        faults.mend()
    assert [info.name for info in streaming_queries(spark)] == ["q"]
    assert servers.stored() == before
    assert [path.name for path in servers.location.iterdir() if path.is_file()] == ["q.json"]


@pytest.mark.usefixtures("servers")
def test_no_listener_is_left(spark: SparkSession) -> None:
    bus: Any = spark._jsc.sc().listenerBus()  # type: ignore[union-attr]

    def of_streams() -> set[Any]:
        """Returns the listeners of sessions' streams, and those that wait to remove one."""
        kinds = ("StreamingQueryListenerBus", "StreamListeners")
        return {
            each
            for each in bus.listeners()
            if each.getClass().getName().split("$")[0].endswith(kinds)
        }

    before = of_streams()
    for kind in ("START", "CREATE"):
        spark.sql(f"{kind} STREAMING QUERY q {COPY}")
        if kind == "CREATE":
            spark.sql(f"CREATE OR REPLACE STREAMING QUERY q {COPY}")
        assert of_streams() - before
        spark.sql("DROP STREAMING QUERY q")
        eventually(lambda: not of_streams() - before)
