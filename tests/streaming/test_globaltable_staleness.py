"""MAX STALENESS, and global tables that no query uses."""

from __future__ import annotations

import shutil
import threading
import time
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException

from waiting import eventually

from .globaltable_harness import (
    SOON,
    Lookups,
    create,
    drivers,
    file_faults,
    folder_of,
    new_driver,
    overwrite,
    shown,
)

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

# the bound is many times what a probe takes, so that it is met on a busy machine too
BOUND = "MAX STALENESS 2 SECONDS"
SLOW = f"REFRESH EVERY 1 HOUR {BOUND}"
QUERY = "SELECT g.v FROM VALUES (1) AS t(k) JOIN g ON g.k = t.k"


def values(spark: SparkSession) -> list[str]:
    return [row.v for row in spark.sql(QUERY).collect()]


def stale(spark: SparkSession) -> None:
    eventually(lambda: shown(spark).status == "STALE")


def test_a_healthy_source_is_never_stale(spark: SparkSession, stream: Lookups) -> None:
    """A healthy source is never stale, however seldom the refresher probes it."""
    create(spark, SLOW)
    stream.start()
    assert stream.see(1) == [(1, "v1")]
    stale(spark)
    assert stream.see(1) == [(1, "v1")]
    overwrite(spark, "v2")
    stale(spark)
    assert stream.see(1) == [(1, "v2")]


def test_a_stale_table_fails_by_name(spark: SparkSession, stream: Lookups) -> None:
    create(spark, f"{SLOW} ON STALE FAIL")
    shutil.rmtree(folder_of(spark, "base"))
    stale(spark)
    with pytest.raises(AnalysisException) as caught:
        values(spark)
    assert caught.value.getCondition() == "EDDYLINE_GLOBAL_TABLE.STALE"
    for explain in ("EXPLAIN", "EXPLAIN CODEGEN", "EXPLAIN CLAUSES"):
        text = str(spark.sql(f"{explain} {QUERY}").collect())
        assert "EDDYLINE_GLOBAL_TABLE.STALE" not in text, "it needs no fresh version"
    for part in ("2000 ms", "FileNotFoundException", shown(spark).version):
        assert part in str(caught.value)
    assert "EDDYLINE_GLOBAL_TABLE.STALE" in str(stream.run(1))
    overwrite(spark, "v2")
    assert stream.run() is None, "the source is there again: the same micro-batch goes on"
    assert stream.attempts == [(0, [(1, "v2")])]


def create_above(spark: SparkSession, clauses: str) -> str:
    """Creates the global table `above` over `g`; returns a query of its only value."""
    spark.sql(f"CREATE GLOBAL TABLE above PRIMARY KEY (v) {clauses} AS SELECT DISTINCT v FROM g")
    return "SELECT v FROM above"


def test_a_table_over_a_stale_one_is_stale(spark: SparkSession) -> None:
    create(spark, SOON)
    create_above(spark, f"{SOON} {BOUND}")
    shutil.rmtree(folder_of(spark, "base"))
    eventually(lambda: shown(spark, "above").status == "STALE")
    assert shown(spark, "above").last_error is None
    overwrite(spark, "v2")
    eventually(lambda: shown(spark, "above").status == "OK")


def test_a_table_over_a_healthy_one_is_not_stale(spark: SparkSession) -> None:
    """However seldom the refresher probes the table below."""
    create(spark, "REFRESH EVERY 1 HOUR")
    above = create_above(spark, SLOW)
    eventually(lambda: shown(spark, "above").status == "STALE")
    assert spark.sql(above).collect() == [("v1",)]


def test_a_table_over_a_manual_one_is_not_stale(spark: SparkSession) -> None:
    create(spark, "REFRESH MANUAL")
    above = create_above(spark, SLOW)
    eventually(lambda: shown(spark, "above").status == "STALE")
    assert spark.sql(above).collect() == [("v1",)]


def test_a_query_waits_for_the_source(spark: SparkSession) -> None:
    create(spark, f"{SLOW} ON STALE WAIT 1 HOUR")
    folder = folder_of(spark, "base")
    away = folder.with_name("away")
    folder.rename(away)
    stale(spark)
    found: list[str] = []
    waiting = threading.Thread(target=lambda: found.extend(values(spark)))
    waiting.start()
    eventually(lambda: "FileNotFoundException" in (shown(spark).last_error or ""))
    assert found == []
    away.rename(folder)
    waiting.join()
    assert found == ["v1"]


def test_a_query_waits_as_long_as_said(spark: SparkSession) -> None:
    create(spark, f"{SLOW} ON STALE WAIT 500 MILLISECONDS")
    shutil.rmtree(folder_of(spark, "base"))
    stale(spark)
    before = time.monotonic()
    with pytest.raises(AnalysisException, match=r"EDDYLINE_GLOBAL_TABLE.STALE"):
        values(spark)
    assert time.monotonic() - before >= 0.5


def test_a_query_does_not_wait_for_a_copy(spark: SparkSession) -> None:
    create(spark, f"{SLOW} ON STALE WAIT 500 MILLISECONDS")
    file_faults(spark).hold(str(folder_of(spark, "base")))
    overwrite(spark, "v2")
    stale(spark)
    with pytest.raises(AnalysisException, match=r"EDDYLINE_GLOBAL_TABLE.STALE"):
        values(spark)
    file_faults(spark).awaitReader()
    file_faults(spark).mend()
    eventually(lambda: shown(spark).version.startswith("2-"))


def test_a_manual_table_is_confirmed_but_not_moved(spark: SparkSession) -> None:
    create(spark, f"REFRESH MANUAL {BOUND}")
    stale(spark)
    assert values(spark) == ["v1"]
    overwrite(spark, "v2")
    stale(spark)
    with pytest.raises(AnalysisException, match=r"EDDYLINE_GLOBAL_TABLE.STALE"):
        values(spark)
    spark.sql("REFRESH GLOBAL TABLE g")
    assert values(spark) == ["v2"]


def test_age_counts_from_the_start_of_the_look(spark: SparkSession) -> None:
    """The age counts from the start of the probe, as the copy may be old when it is done."""
    create(spark, "REFRESH MANUAL")
    file_faults(spark).hold(str(folder_of(spark, "base")))
    overwrite(spark, "v2")
    refreshing = threading.Thread(target=lambda: spark.sql("REFRESH GLOBAL TABLE g"))
    started = time.monotonic()
    refreshing.start()
    file_faults(spark).awaitReader()
    looked = time.monotonic()
    time.sleep(1)
    file_faults(spark).mend()
    refreshing.join()
    assert shown(spark).version.startswith("2-")
    before = time.monotonic()
    age = shown(spark).age_ms
    after = time.monotonic()
    # the two clocks may differ by some milliseconds
    assert (before - looked) * 1000 - 50 <= age <= (after - started) * 1000 + 50


def test_a_copy_that_takes_longer_than_the_bound(spark: SparkSession) -> None:
    """The source is healthy: a second, short probe confirms the copy."""
    create(spark, SLOW)
    file_faults(spark).hold(str(folder_of(spark, "base")))
    overwrite(spark, "v2")
    stale(spark)
    found: list[str] = []
    querying = threading.Thread(target=lambda: found.extend(values(spark)))
    querying.start()
    file_faults(spark).awaitReader()
    time.sleep(2.5)  # longer than the bound
    file_faults(spark).mend()
    querying.join()
    assert found == ["v2"]


@pytest.mark.usefixtures("restarting")
@pytest.mark.parametrize(("clauses", "woken"), [(SOON, "v2"), ("REFRESH MANUAL", "v1")])
def test_a_table_that_nobody_uses_sleeps(spark: SparkSession, clauses: str, woken: str) -> None:
    new_driver(spark, idleTimeout="700ms")
    create(spark, clauses)
    eventually(lambda: values(spark) == ["v1"] and shown(spark).replicas == 1)
    eventually(lambda: (shown(spark).status, shown(spark).replicas) == ("SUSPENDED", 0))
    overwrite(spark, "v2")
    age = shown(spark).age_ms
    assert shown(spark).version.startswith("1-")
    assert shown(spark).age_ms >= age, "its source is not looked at"
    assert values(spark) == [woken]
    eventually(lambda: values(spark) == [woken] and shown(spark).status == "OK")
    eventually(lambda: shown(spark).status == "SUSPENDED")


@pytest.mark.usefixtures("restarting")
def test_a_table_that_was_dropped_otherwise_is_forgotten(spark: SparkSession) -> None:
    """Spark's own statement tells eddyline nothing; the table may sleep already."""
    new_driver(spark, idleTimeout="700ms")
    create(spark, "REFRESH MANUAL")
    eventually(lambda: shown(spark).status == "SUSPENDED")
    assert drivers(spark).knows(spark._jsparkSession, "default.g")
    spark.sql("DROP VIEW g")
    eventually(lambda: not drivers(spark).knows(spark._jsparkSession, "default.g"))


@pytest.mark.usefixtures("restarting")
@pytest.mark.parametrize(("clauses", "status"), [(SOON, "SUSPENDED"), (f"{SOON} {BOUND}", "STALE")])
def test_a_sleeper_over_files_that_nobody_commits(
    spark: SparkSession, tmp_path: Path, clauses: str, status: str
) -> None:
    """The first query waits for the second probe that files without `_SUCCESS` need."""
    new_driver(spark, idleTimeout="700ms")
    (tmp_path / "drop").mkdir()
    (tmp_path / "drop/1.csv").write_text("1,v1\n")
    spark.sql(f"CREATE TABLE base (k INT, v STRING) USING csv LOCATION '{tmp_path}/drop'")
    spark.sql(f"CREATE GLOBAL TABLE g {clauses} AS SELECT k, v FROM base")
    assert values(spark) == ["v1"]
    eventually(lambda: shown(spark).replicas == 0 and shown(spark).status == status)
    (tmp_path / "drop/2.csv").write_text("1,v2\n")
    assert sorted(values(spark)) == ["v1", "v2"]


@pytest.mark.usefixtures("restarting")
def test_a_sleeper_wakes_without_its_source(spark: SparkSession) -> None:
    new_driver(spark, idleTimeout="700ms")
    create(spark, SOON)
    eventually(lambda: shown(spark).status == "SUSPENDED")
    folder = folder_of(spark, "base")
    shutil.rmtree(folder)
    eventually(lambda: values(spark) == ["v1"] and shown(spark).status == "FAILING")
    overwrite(spark, "v2")
    eventually(lambda: values(spark) == ["v2"])
