"""The checkpoints of streaming queries: where they may lie, and what is deleted of them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException

from eddyline import streaming_queries
from waiting import CONDITION_HANGS, eventually

from .globaltable_harness import file_faults, folder_of, snapshots
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
)

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from .streamingquery_harness import Servers

pytestmark = pytest.mark.usefixtures("events_and_copy")

START = "START STREAMING QUERY {} CHECKPOINT '{}' " + COPY
OVERLAPS = "EDDYLINE_STREAMING_QUERY.CHECKPOINT_OVERLAPS"


@pytest.mark.usefixtures("servers")
def test_a_checkpoint_lies_apart_from_others(spark: SparkSession, tmp_path: Path) -> None:
    arrive(spark, 1)
    finish(spark, f"CREATE STREAMING QUERY q CHECKPOINT '{tmp_path}/a/q' {NOW} {COPY}")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    for folder in ("a", "a/q/state", "a/q/generation/1", "", "..", "link/q", "link/q/new"):
        assert refused(spark, START.format("r", tmp_path / folder)) == OVERLAPS, folder
    assert [info.name for info in streaming_queries(spark)] == ["q"]
    spark.sql(START.format("r", tmp_path / "a/r"))


def test_nor_in_those_that_another_server_runs(
    spark: SparkSession, servers: Servers, tmp_path: Path
) -> None:
    spark.sql(f"CREATE STREAMING QUERY q CHECKPOINT '{tmp_path}/a/q' {COPY}")
    servers.leave()
    servers.begin(autoStart="false")
    condition = refused(spark, START.format("r", tmp_path / "a"))
    assert condition == OVERLAPS


@pytest.mark.parametrize("verb", ["START", "CREATE"])
def test_a_checkpoint_lies_apart_from_tables(
    spark: SparkSession, servers: Servers, tmp_path: Path, verb: str
) -> None:
    """In a table its files would be read as rows, and INSERT OVERWRITE would delete them."""
    arrive(spark, 1)
    for name in ("files", "rates"):
        spark.range(2).write.parquet(str(tmp_path / name))
    spark.sql(f"CREATE GLOBAL TABLE g AS SELECT id FROM parquet.`{tmp_path}/rates`")
    spark.sql("CREATE TABLE kept (k INT, v INT) USING parquet")
    query = (
        f"SELECT e.k, e.v FROM STREAM events e JOIN parquet.`{tmp_path}/files` f ON e.k = f.id "
        "LEFT JOIN g ON e.k = g.id WHERE e.k IN (SELECT k FROM kept)"
    )
    statement = verb + " STREAMING QUERY q CHECKPOINT '{}' AS INSERT INTO copy " + query
    events, copy, kept = (folder_of(spark, table) for table in ("events", "copy", "kept"))
    for folder in (
        events,
        events / "checkpoint",
        events / "_checkpoint",
        copy / ".checkpoint",
        kept / "k=1",
        tmp_path / "files/x",
        tmp_path / "rates",
        servers.location,
        servers.location / "x",
        snapshots(spark) / "x",
    ):
        assert refused(spark, statement.format(folder)) == OVERLAPS, folder
    assert not streaming_queries(spark)
    assert spark.table("events").count() == 1
    spark.sql(statement.format(tmp_path / "apart"))


def test_the_tables_of_another_query(spark: SparkSession, tmp_path: Path) -> None:
    arrive(spark, 1)
    spark.sql("CREATE TABLE others (k INT, v INT) USING parquet")
    spark.sql("CREATE TABLE theirs (k INT, v INT) USING parquet")
    spark.sql(
        f"START STREAMING QUERY other CHECKPOINT '{tmp_path}/other' "
        "AS INSERT INTO theirs SELECT * FROM STREAM others"
    )
    for table in ("others", "theirs"):
        folder = folder_of(spark, table) / "x"
        with pytest.raises(AnalysisException) as caught:
            spark.sql(START.format("q", folder))
        assert caught.value.getCondition() == OVERLAPS
        assert table in str(caught.value)
        (context,) = caught.value.getQueryContext()
        assert context.fragment() == "q"
    spark.sql(f"CREATE TABLE within (k INT, v INT) USING parquet LOCATION '{tmp_path}/other/t'")
    query = START.format("q", tmp_path / "q").replace("INTO copy", "INTO within")
    assert refused(spark, query) == OVERLAPS
    spark.sql("DROP STREAMING QUERY other")
    spark.sql(query)


@pytest.mark.parametrize("reset", ["", "RESET CHECKPOINT"])
def test_a_new_checkpoint_lies_apart_from_tables(
    spark: SparkSession, servers: Servers, tmp_path: Path, reset: str
) -> None:
    arrive(spark, 1)
    run = one(spark, f"CREATE STREAMING QUERY q CHECKPOINT '{tmp_path}/q' {COPY}").run_id
    clauses = f"{reset} CHECKPOINT '{folder_of(spark, 'events')}/x' {COPY}"
    assert refused(spark, f"CREATE OR REPLACE STREAMING QUERY q {clauses}") == OVERLAPS
    assert ("run_id", run) in spark.sql("DESCRIBE STREAMING QUERY q").collect()
    assert servers.stored()["checkpoint"] == f"file:{tmp_path}/q"
    if not reset:
        assert refused(spark, f"VALIDATE STREAMING QUERY q {clauses}") == OVERLAPS


def test_wildcards_in_the_path_of_a_stream(spark: SparkSession, tmp_path: Path) -> None:
    spark.range(2).write.parquet(str(tmp_path / "a/in"))
    files = spark.readStream.schema("id LONG").parquet(f"{tmp_path}/*/in")
    files.createOrReplaceTempView("files")
    spark.sql("CREATE TABLE ids (id LONG) USING parquet")
    start = "START STREAMING QUERY q CHECKPOINT '{}' AS INSERT INTO ids SELECT * FROM files"
    assert refused(spark, start.format(tmp_path / "a/in/x")) == OVERLAPS
    spark.sql(start.format(tmp_path / "a/x"))
    spark.sql("DROP VIEW files")


def test_a_purge_that_a_server_has_begun(
    spark: SparkSession, servers: Servers, tmp_path: Path
) -> None:
    """Its definition says so from the first moment, and the next server finishes it."""
    spark.sql(f"CREATE STREAMING QUERY q {COPY}")
    with held_batch(spark), ThreadPoolExecutor(1) as threads:
        dropped = threads.submit(spark.sql, "DROP STREAMING QUERY q PURGE")
        eventually(lambda: is_stopping(spark))
        begun = servers.stored()
        file_faults(spark).mend()
        dropped.result(CONDITION_HANGS)
    assert (begun["running"], begun["purging"]) == (False, True)
    spark.sql(f"CREATE STREAMING QUERY q {COPY}")
    eventually((tmp_path / "q/metadata").exists)
    servers.end()
    servers.store(begun)
    servers.begin(autoStart="false")
    assert streaming_queries(spark) == []
    assert refused(spark, "START STREAMING QUERY q") == "EDDYLINE_STREAMING_QUERY.NOT_FOUND"
    assert not (servers.location / "q.json").exists()
    assert not (tmp_path / "q").exists()


def test_a_purge_that_fails(spark: SparkSession, servers: Servers, tmp_path: Path) -> None:
    """Neither this server nor the next one goes on with it."""
    arrive(spark, 1)
    finish(spark, f"CREATE STREAMING QUERY q {NOW} {COPY}")
    file_faults(spark).readOnly(str(tmp_path / "q"))
    try:
        with pytest.raises(Exception, match="Read-only"):
            spark.sql("DROP STREAMING QUERY q PURGE")
    finally:
        file_faults(spark).mend()
    servers.end()
    servers.begin()
    finish(spark, "START STREAMING QUERY q")
    assert copied(spark) == [1], "it went on from its checkpoint"


def test_a_purge_that_fails_half_way(spark: SparkSession, servers: Servers, tmp_path: Path) -> None:
    """No query continues from what is left, but one may begin again there."""
    arrive(spark, 1)
    finish(spark, f"CREATE STREAMING QUERY q {NOW} {COPY}")
    file_faults(spark).readOnly(str(tmp_path / "q/offsets"))
    with pytest.raises(Exception, match="Read-only"):
        spark.sql("DROP STREAMING QUERY q PURGE")
    file_faults(spark).mend()
    assert not (tmp_path / "q/commits").exists()
    damaged = "EDDYLINE_STREAMING_QUERY.CHECKPOINT_DAMAGED"
    assert refused(spark, "START STREAMING QUERY q") == damaged
    servers.end()
    servers.begin()
    assert refused(spark, "RESTART STREAMING QUERY q") == damaged
    spark.sql("DROP STREAMING QUERY q")
    assert refused(spark, f"START STREAMING QUERY q {NOW} {COPY}") == damaged
    finish(spark, f"CREATE OR REPLACE STREAMING QUERY q RESET CHECKPOINT {NOW} {COPY}")
    assert copied(spark) == [1, 1]
    spark.sql("DROP STREAMING QUERY q PURGE")
    assert not (tmp_path / "q").exists()


def test_what_purge_deletes(spark: SparkSession, tmp_path: Path) -> None:
    """The own files of a checkpoint, also if `metadata` is missing, and no others."""
    arrive(spark, 1)
    for left in ("metadata", "notes"):
        finish(spark, f"START STREAMING QUERY q {NOW} {COPY}")
        (tmp_path / "q" / "notes").write_text("")
        (tmp_path / "q" / left).unlink()
        if left == "metadata":
            condition = refused(spark, "DROP STREAMING QUERY q PURGE")
            assert condition == "EDDYLINE_STREAMING_QUERY.CHECKPOINT_NOT_DELETED"
            (tmp_path / "q" / "notes").unlink()
        assert one(spark, "DROP STREAMING QUERY q PURGE").status == "DROPPED"
        assert not (tmp_path / "q").exists()
    assert copied(spark) == [1, 1]


@pytest.mark.usefixtures("servers")
def test_a_reset_leaves_files_of_others(spark: SparkSession, tmp_path: Path) -> None:
    arrive(spark, 1)
    finish(spark, f"CREATE STREAMING QUERY q {NOW} {COPY}")
    (tmp_path / "q" / "notes").write_text("")
    finish(spark, f"CREATE OR REPLACE STREAMING QUERY q RESET CHECKPOINT {NOW} {COPY}")
    assert copied(spark) == [1, 1]
    left = {"notes", "generation"}
    eventually(lambda: {path.name for path in (tmp_path / "q").iterdir()} == left)
    spark.sql("DROP STREAMING QUERY q PURGE")
    assert [path.name for path in (tmp_path / "q").iterdir()] == ["notes"]


def test_a_damaged_checkpoint(spark: SparkSession, tmp_path: Path) -> None:
    arrive(spark, 1)
    finish(spark, f"START STREAMING QUERY q {NOW} {COPY}")
    (tmp_path / "q" / ".metadata.crc").unlink()
    (tmp_path / "q" / "metadata").write_text("")
    condition = refused(spark, "START STREAMING QUERY q")
    assert condition == "EDDYLINE_STREAMING_QUERY.CHECKPOINT_DAMAGED"
    spark.sql("DROP STREAMING QUERY q PURGE")
    assert not (tmp_path / "q").exists()


@pytest.mark.usefixtures("servers")
def test_a_damaged_log(spark: SparkSession, tmp_path: Path) -> None:
    arrive(spark, 1)
    finish(spark, f"CREATE STREAMING QUERY q {NOW} {COPY}")
    damaged = "EDDYLINE_STREAMING_QUERY.CHECKPOINT_DAMAGED"
    for file in ("commits/0", "offsets/0"):
        path = tmp_path / "q" / file
        before = path.read_bytes()
        path.with_name(".0.crc").unlink()
        path.write_bytes(b"")
        for verb in ("START STREAMING QUERY q", f"VALIDATE STREAMING QUERY q {NOW} {COPY}"):
            assert refused(spark, verb) == damaged, (file, verb)
        assert refused(spark, f"CREATE OR REPLACE STREAMING QUERY q {NOW} {COPY}") == damaged
        path.write_bytes(before)
    finish(spark, "START STREAMING QUERY q")
    path.write_bytes(b"")
    finish(spark, f"CREATE OR REPLACE STREAMING QUERY q RESET CHECKPOINT {NOW} {COPY}")
    assert copied(spark) == [1, 1]


def generation(checkpoint: Path, number: int, *, complete: bool = True) -> Path:
    """Makes a generation as a server leaves it that is killed; returns its folder."""
    folder = checkpoint / f"generation/{number}"
    (folder / "eddyline").mkdir(parents=True)
    if complete:
        (folder / "eddyline/complete").touch()
    return folder


@pytest.mark.parametrize("verb", ["START", "RESTART", "DROP"])
def test_a_generation_that_no_definition_names(
    spark: SparkSession, servers: Servers, tmp_path: Path, verb: str
) -> None:
    arrive(spark, 1)
    finish(spark, f"CREATE STREAMING QUERY q {NOW} {COPY}")
    servers.end()
    servers.begin(autoStart="false")
    folder = generation(tmp_path / "q", 1)
    spark.sql(f"{verb} STREAMING QUERY q")
    assert not folder.exists()
    if verb == "DROP":
        finish(spark, f"START STREAMING QUERY q {NOW} {COPY}")
    spark.sql("AWAIT STREAMING QUERY q")
    assert copied(spark) == [1], "it went on from generation 0"


def test_the_generation_of_a_query_that_is_not_stored(
    spark: SparkSession, servers: Servers, tmp_path: Path
) -> None:
    """It is the highest that is complete, also of one that CREATE stores for the first time."""
    arrive(spark, 1)
    finish(spark, f"CREATE STREAMING QUERY q {NOW} {COPY}")
    finish(spark, f"CREATE OR REPLACE STREAMING QUERY q RESET CHECKPOINT {NOW} {COPY}")
    assert servers.stored()["generation"] == 1
    for verb in ("START", "CREATE"):
        spark.sql("DROP STREAMING QUERY q")
        incomplete = generation(tmp_path / "q", 2, complete=False)
        finish(spark, f"{verb} STREAMING QUERY q {NOW} {COPY}")
        assert not incomplete.exists()
    assert servers.stored()["generation"] == 1
    assert copied(spark) == [1, 1]
    spark.sql("DROP STREAMING QUERY q PURGE")
    assert not (tmp_path / "q").exists()


@pytest.mark.parametrize("verb", ["DROP", "STOP"])
def test_a_reset_that_does_not_start(
    spark: SparkSession, servers: Servers, tmp_path: Path, verb: str
) -> None:
    """The old generation is the newest one again, of a checkpoint without a query, too."""
    arrive(spark, 1)
    finish(spark, f"CREATE STREAMING QUERY q {NOW} {COPY}")
    spark.sql(f"{verb} STREAMING QUERY q")
    refused_at_start = "OPTIONS ('asyncProgressTrackingEnabled' 'true')"
    with pytest.raises(Exception, match=r"(?i)async progress tracking"):
        spark.sql(
            f"CREATE OR REPLACE STREAMING QUERY q RESET CHECKPOINT {refused_at_start} {NOW} {COPY}"
        )
    assert not (tmp_path / "q/generation/1").exists()
    finish(spark, f"CREATE OR REPLACE STREAMING QUERY q {NOW} {COPY}")
    assert servers.stored()["generation"] == 0
    assert copied(spark) == [1]
