"""The checkpoints of streaming queries: where they may lie, and what is deleted of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eddyline import streaming_queries

from .streamingquery_harness import COPY, NOW, arrive, copied, finish, one, refused

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from .streamingquery_harness import Servers

pytestmark = pytest.mark.usefixtures("events_and_copy")

START = "START STREAMING QUERY {} CHECKPOINT '{}' " + COPY


@pytest.mark.usefixtures("servers")
def test_a_checkpoint_lies_apart_from_others(spark: SparkSession, tmp_path: Path) -> None:
    arrive(spark, 1)
    finish(spark, f"CREATE STREAMING QUERY q CHECKPOINT '{tmp_path}/a/q' {NOW} {COPY}")
    overlaps = "EDDYLINE_STREAMING_QUERY.CHECKPOINT_OVERLAPS"
    (tmp_path / "link").symlink_to(tmp_path / "a")
    for folder in ("a", "a/q/state", "a/q.before-reset", "", "..", "link/q", "link/q/new"):
        assert refused(spark, START.format("r", tmp_path / folder)) == overlaps, folder
    assert [info.name for info in streaming_queries(spark)] == ["q"]
    spark.sql(START.format("r", tmp_path / "a/r"))


def test_nor_in_those_that_another_server_runs(
    spark: SparkSession, servers: Servers, tmp_path: Path
) -> None:
    spark.sql(f"CREATE STREAMING QUERY q CHECKPOINT '{tmp_path}/a/q' {COPY}")
    servers.leave()
    servers.begin(autoStart="false")
    condition = refused(spark, START.format("r", tmp_path / "a"))
    assert condition == "EDDYLINE_STREAMING_QUERY.CHECKPOINT_OVERLAPS"


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
def test_a_checkpoint_with_files_of_others_is_not_reset(
    spark: SparkSession, tmp_path: Path
) -> None:
    arrive(spark, 1)
    finish(spark, f"CREATE STREAMING QUERY q {NOW} {COPY}")
    (tmp_path / "q" / "notes").write_text("")
    reset = f"CREATE OR REPLACE STREAMING QUERY q RESET CHECKPOINT {NOW} {COPY}"
    assert refused(spark, reset) == "EDDYLINE_STREAMING_QUERY.CHECKPOINT_NOT_DELETED"
    assert (tmp_path / "q" / "notes").exists()
    (tmp_path / "q" / "notes").unlink()
    finish(spark, reset)
    assert copied(spark) == [1, 1]


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


@pytest.mark.parametrize("verb", ["START", "RESTART"])
def test_a_reset_that_was_begun_is_finished(
    spark: SparkSession, servers: Servers, verb: str
) -> None:
    arrive(spark, 1)
    finish(spark, f"CREATE STREAMING QUERY q {NOW} {COPY}")
    servers.end()
    servers.store({**servers.stored(), "resetting": True})
    servers.begin(autoStart="false")
    finish(spark, f"{verb} STREAMING QUERY q")
    assert not servers.stored()["resetting"]
    finish(spark, "START STREAMING QUERY q")
    assert copied(spark) == [1, 1]
