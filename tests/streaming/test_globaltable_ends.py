"""Global tables that are dropped, made again, or too large, while a stream uses them."""

from __future__ import annotations

import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException, StreamingQueryException

from waiting import eventually

from .globaltable_harness import (
    SOON,
    TABLE_FORM,
    Lookups,
    await_probe,
    create,
    described,
    drivers,
    failing,
    file_faults,
    folder_of,
    jvm,
    new_driver,
    overwrite,
    reaches,
    shown,
    snapshots,
    versions,
)

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


def dropped(spark: SparkSession) -> None:
    eventually(lambda: drivers(spark).knowsDropped(spark._jsparkSession, "default.g"))


def test_a_plain_drop_table_is_survived(spark: SparkSession, stream: Lookups) -> None:
    spark.sql("CREATE TABLE events (k INT) USING parquet")
    spark.sql(TABLE_FORM.format(clauses=SOON))
    spark.sql("INSERT INTO g VALUES (1, 'v1')")
    spark.sql("REFRESH GLOBAL TABLE g")
    stream.start()
    assert stream.see(1) == [(1, "v1")]
    spark.sql("DROP TABLE g")
    dropped(spark)
    assert stream.see(1) == [(1, "v1")]


def dies(stream: Lookups) -> None:
    with pytest.raises(StreamingQueryException, match=r"EDDYLINE_GLOBAL_TABLE.DROPPED"):
        stream.see(1)


def test_drop_global_table_ends_a_stream(spark: SparkSession, stream: Lookups) -> None:
    create(spark)
    stream.start()
    assert stream.see(1) == [(1, "v1")]
    folder = snapshots(spark)
    spark.sql("DROP GLOBAL TABLE g")
    assert not folder.exists()
    dies(stream)
    assert not folder.exists()


@pytest.mark.parametrize("clauses", [SOON, "REFRESH MANUAL"])
@pytest.mark.parametrize("drop", ["DROP VIEW g", "DROP GLOBAL TABLE g"])
def test_another_table_of_the_name_ends_a_stream(
    spark: SparkSession, stream: Lookups, drop: str, clauses: str
) -> None:
    create(spark, clauses)
    stream.start()
    assert stream.see(1) == [(1, "v1")]
    spark.sql(drop)
    spark.sql("CREATE GLOBAL TABLE g AS SELECT k, v, 1 AS more FROM base")
    dies(stream)
    assert {row.more for row in spark.sql("SELECT more FROM g").collect()} == {1}


def test_a_plain_view_of_the_name_ends_a_stream(spark: SparkSession, stream: Lookups) -> None:
    """A plain view of the name ends the stream, however long the name was unused."""
    create(spark, SOON)
    stream.start()
    assert stream.see(1) == [(1, "v1")]
    spark.sql("DROP VIEW g")
    dropped(spark)
    assert stream.see(1) == [(1, "v1")]
    spark.sql("CREATE VIEW g AS SELECT k, v FROM base")
    with pytest.raises(StreamingQueryException, match=r"EDDYLINE_GLOBAL_TABLE.DROPPED"):
        eventually(lambda: stream.see(1) != [(1, "v1")])


def test_a_table_that_returns_is_used_again(spark: SparkSession) -> None:
    create(spark, SOON)
    spark.sql("ALTER VIEW g RENAME TO away")
    dropped(spark)
    spark.sql("ALTER VIEW away RENAME TO g")
    eventually(lambda: shown(spark).status == "OK")


def test_a_table_that_was_replaced_for_a_while_is_used_again(spark: SparkSession) -> None:
    create(spark, SOON)
    spark.sql("ALTER VIEW g RENAME TO away")
    spark.sql("CREATE VIEW g AS SELECT 1 AS k")
    eventually(lambda: drivers(spark).delay(spark._jsparkSession, "default.g") > 100_000)
    spark.sql("DROP VIEW g")
    spark.sql("ALTER VIEW away RENAME TO g")
    overwrite(spark, "v2")
    eventually(lambda: {row.v for row in spark.sql("SELECT v FROM g").collect()} == {"v2"})
    assert shown(spark).status == "OK"


def test_an_alter_during_a_refresh_is_kept(spark: SparkSession, tmp_path: Path) -> None:
    """The refresh has read the old clauses, with which its source is resolved."""
    spark.range(1).write.parquet(f"{tmp_path}/base")
    query = f"SELECT id FROM parquet.`{tmp_path}/base`"
    spark.sql(f"CREATE GLOBAL TABLE g PRIMARY KEY (id) REFRESH MANUAL AS {query}")
    file_faults(spark).hold(f"{tmp_path}/base")
    with ThreadPoolExecutor() as pool:
        refresh = pool.submit(lambda: spark.newSession().sql("REFRESH GLOBAL TABLE g"))
        file_faults(spark).awaitReader()
        spark.sql("ALTER GLOBAL TABLE g SET REFRESH EVERY 1 HOUR")
        file_faults(spark).mend()
        refresh.result()
    delay = drivers(spark).delay(spark._jsparkSession, "default.g")
    assert delay > 20 * 60_000, "as of REFRESH EVERY, and not of a table that is idle"


def creating(spark: SparkSession) -> int:
    """Returns how many threads run CREATE GLOBAL TABLE, or wait to do so."""
    stacks = jvm(spark).java.lang.Thread.getAllStackTraces().values()
    return sum("CreateGlobalTableCommand" in str([str(at) for at in stack]) for stack in stacks)


def test_a_replacement_that_fails_restores_the_newest_table(
    spark: SparkSession,
) -> None:
    """Two statements replace the table after a hanging refresh, and the second one fails."""
    create(spark, "REFRESH MANUAL")
    replace = "CREATE OR REPLACE GLOBAL TABLE g {} AS SELECT k, '{}' AS v FROM range(3) AS t(k)"
    file_faults(spark).hold(str(folder_of(spark, "base")))
    with ThreadPoolExecutor() as pool:
        refresh = pool.submit(lambda: spark.newSession().sql("REFRESH GLOBAL TABLE g"))
        file_faults(spark).awaitReader()
        first = pool.submit(lambda: spark.newSession().sql(replace.format("", "new")))
        eventually(lambda: creating(spark) == 1)
        second = pool.submit(lambda: spark.newSession().sql(replace.format("MAX ROWS 1", "bad")))
        eventually(lambda: creating(spark) == 2)
        file_faults(spark).mend()
        refresh.result()
        first.result()
        with pytest.raises(AnalysisException, match=r"EDDYLINE_GLOBAL_TABLE.TOO_LARGE"):
            second.result()
    assert {row.v for row in spark.sql("SELECT v FROM g").collect()} == {"new"}


def test_a_stream_survives_the_same_definition(spark: SparkSession, stream: Lookups) -> None:
    sql = (
        "CREATE OR REPLACE GLOBAL TABLE g PRIMARY KEY (k) REFRESH MANUAL {} "
        "COMMENT 'rooms' TBLPROPERTIES ('team' = 'me') AS\n SELECT k, v FROM base"
    )
    spark.sql("CREATE TABLE base USING parquet AS SELECT 1 AS k, 'v1' AS v")
    spark.sql("CREATE TABLE events (k INT) USING parquet")
    made = spark.sql(sql.format("")).head()
    stream.start()
    assert stream.see(1) == [(1, "v1")]
    again = spark.sql(sql.format("")).head()
    assert again == made
    overwrite(spark, "v2")
    assert spark.sql(sql.format("")).head().version > made.version, "it refreshes"
    assert stream.see(1) == [(1, "v2")]
    spark.sql(sql.format("MAX ROWS 7"))
    dies(stream)


@pytest.mark.parametrize(
    "other",
    [
        "CREATE OR REPLACE GLOBAL TABLE g PRIMARY KEY (k) AS SELECT k,  v FROM base",
        "CREATE OR REPLACE GLOBAL TABLE g AS SELECT k, v FROM base",
        "CREATE OR REPLACE GLOBAL TABLE g PRIMARY KEY (k) COMMENT 'c' AS SELECT k, v FROM base",
        "SET spark.sql.session.timeZone=Asia/Tokyo",
        "USE lake",
        "ALTER TABLE base ADD COLUMN w INT",
    ],
)
def test_another_definition_makes_another_table(spark: SparkSession, other: str) -> None:
    sql = (
        "CREATE OR REPLACE GLOBAL TABLE spark_catalog.default.g PRIMARY KEY (k) "
        f"AS SELECT {'*' if other.startswith('ALTER') else 'k, v'} FROM spark_catalog.default.base"
    )
    spark.sql("CREATE TABLE base USING parquet AS SELECT 1 AS k, 'v1' AS v")

    def folders() -> set[str]:
        return {path.name for path in snapshots(spark).parent.iterdir()} - others

    others: set[str] = set()
    spark.sql(sql)
    others = folders() - {snapshots(spark).name}
    before = folders()
    if other.startswith("CREATE"):
        sql = other
    else:
        spark.sql(other)
    spark.sql(sql)
    spark.sql("USE spark_catalog.default")
    assert folders().isdisjoint(before)


def test_a_stream_survives_a_replacement_that_fails(spark: SparkSession, stream: Lookups) -> None:
    create(spark, SOON)
    stream.start()
    assert stream.see(1) == [(1, "v1")]
    spark.sql("CREATE TABLE other USING parquet AS SELECT 1 AS k, 'other' AS v")
    folder = folder_of(spark, "other")
    file_faults(spark).hold(str(folder))
    sql = "CREATE OR REPLACE GLOBAL TABLE g PRIMARY KEY (k) AS SELECT * FROM other"
    with ThreadPoolExecutor(1) as threads:
        replacement = threads.submit(spark.sql, sql)
        file_faults(spark).awaitReader()
        time.sleep(0.5)  # within which the refresher would probe
        assert stream.see(1) == [(1, "v1")]
        shutil.rmtree(folder)
        file_faults(spark).mend()
        assert "NOT_LOADED" in str(replacement.exception())
    assert "does not exist" in str(replacement.exception())
    assert stream.see(1) == [(1, "v1")]
    overwrite(spark, "v2")
    reaches(spark, 2)
    assert stream.see(1) == [(1, "v2")]


@pytest.mark.parametrize("limit", ["MAX ROWS 2", "MAX BYTES 20"])
def test_a_table_that_is_too_large_is_not_made(spark: SparkSession, limit: str) -> None:
    create(spark)
    before = sorted(snapshots(spark).parent.iterdir())
    with pytest.raises(AnalysisException) as caught:
        spark.sql(f"CREATE GLOBAL TABLE h {limit} AS SELECT k, v FROM base")
    assert caught.value.getCondition() == "EDDYLINE_GLOBAL_TABLE.TOO_LARGE"
    assert limit in str(caught.value)
    assert [row.table_name for row in spark.sql("SHOW GLOBAL TABLES").collect()] == ["g"]
    assert spark.sql("SHOW VIEWS").where("viewName = 'h'").count() == 0
    assert sorted(snapshots(spark).parent.iterdir()) == before


@pytest.mark.parametrize("limit", ["MAX ROWS 3", "MAX BYTES 100"])
def test_a_version_that_is_too_large_is_not_taken(
    spark: SparkSession, stream: Lookups, limit: str
) -> None:
    create(spark, f"{SOON} {limit}")
    stream.start()
    assert stream.see(1) == [(1, "v1")]
    overwrite(spark, "v2", keys=30)
    failing(spark, "TOO_LARGE")
    assert stream.see(1) == [(1, "v1")]
    assert len(versions(spark)) == 1, "nor would a new driver take it"
    overwrite(spark, "v3")
    reaches(spark, 2)
    assert stream.see(1) == [(1, "v3")]


def test_equal_content_is_no_new_version(spark: SparkSession) -> None:
    """Only the rows of a query that may change by itself tell whether it has."""
    create(spark)
    spark.sql("DROP GLOBAL TABLE g")
    polled = "SELECT k, v FROM base WHERE rand() >= 0"
    spark.sql(f"CREATE GLOBAL TABLE g PRIMARY KEY (k) {SOON} AS {polled}")
    for _ in range(3):
        await_probe(spark)
    assert len(versions(spark)) == 1
    assert (described(spark)["refreshes"], described(spark)["failures"]) == ("1", "0")
    overwrite(spark, "v2")
    reaches(spark, 2)
    assert {row.v for row in spark.sql("SELECT v FROM g").collect()} == {"v2"}


@pytest.mark.usefixtures("restarting")
def test_a_plain_drop_loads_nothing(spark: SparkSession) -> None:
    create(spark)
    folder = snapshots(spark)
    new_driver(spark)
    shutil.rmtree(folder)
    spark.sql("DROP VIEW g")
    assert not folder.exists()


def test_what_a_test_holds_is_released_after_it(
    spark: SparkSession, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Also what one holds that has failed, or else the end of its streams would hang."""
    (tmp_path / "held").write_text("x")
    file_faults(spark).hold(str(tmp_path))
    request.addfinalizer(lambda: spark.read.text(f"{tmp_path}/held").collect())
