"""Death of the whole JVM, and of tasks that run again."""

from __future__ import annotations

import json
from itertools import cycle
from typing import TYPE_CHECKING

import pytest

from own_jvm import TWO_HOSTS
from waiting import PROCESS_HANGS

from . import child
from .harness import STORES, Stream
from .model import QUERIES

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


HALTS = [
    ("hdfs", "aggregate", "in state commit", 7),
    ("rocksdb", "aggregate", "in sink", 2),
    ("changelog", "aggregate by key", "before commit log", 3),
    ("format2", "all options", "in commit log", 4),
]
NEVER = 1_000_000


def arrived(spark: SparkSession, folder: Path, store: str, query: str) -> Stream:
    """Returns a stream that has input and has not run yet."""
    folder.mkdir()
    stream = Stream(spark, folder, store, query, 0)
    stream.arrive()
    return stream


def test_nothing_is_lost_when_the_jvm_halts(spark: SparkSession, tmp_path: Path) -> None:
    streams = [arrived(spark, tmp_path / store, store, query) for store, query, _, _ in HALTS]
    running = [
        child.start(spark, [(stream, place, at)], {}, halt=True)
        for stream, (_, _, place, at) in zip(streams, HALTS, strict=True)
    ]
    for stream, halted, (_, _, place, _) in zip(streams, running, HALTS, strict=True):
        reports, log = halted.communicate(timeout=PROCESS_HANGS)
        assert f"halted: {place}" in log
        assert reports == ""
        stream.deaths.append(place)
        stream.arrive(1)
        assert stream.run() is None
        stream.check()


def test_a_task_tried_again_emits_once(spark: SparkSession, tmp_path: Path) -> None:
    steps: list[tuple[Stream, str, int]] = []
    for number, (store, query) in enumerate(zip(STORES, cycle(QUERIES), strict=False)):
        for place, at in (
            ("in state commit", 1 + number),
            ("after state commit", 1 + number % 2),
        ):
            stream = arrived(spark, tmp_path / str(len(steps)), store, query)
            steps.append((stream, place, at))
    done = child.start(spark, steps, {"spark.master": "local[2,3]"})
    reports, log = done.communicate(timeout=PROCESS_HANGS)
    expected = [{"death": None, "waiting": False}] * len(steps)
    assert [json.loads(line) for line in reports.splitlines()] == [*expected, 0], log
    for stream, _, _ in steps:
        stream.check()


@pytest.mark.slow
@pytest.mark.parametrize("place", ["before state commit", "after state commit"])
def test_a_speculative_copy_emits_once(spark: SparkSession, tmp_path: Path, place: str) -> None:
    steps = [
        (arrived(spark, tmp_path / store, store, query), place, NEVER)
        for store, query in zip(STORES, cycle(QUERIES), strict=False)
    ]
    conf = {
        TWO_HOSTS: str(tmp_path / "workers"),
        "spark.executor.memory": "1g",
        "spark.executor.extraClassPath": str(spark.conf.get("spark.driver.extraClassPath")),
        "spark.executorEnv.EDDYLINE_STRAGGLES": place,
        "spark.extraListeners": "io.eddyline.spark.faults.CountSpeculation",
        "spark.speculation": "true",
        "spark.speculation.interval": "50ms",
        "spark.speculation.minTaskRuntime": "50ms",
        "spark.speculation.multiplier": "1.1",
        "spark.speculation.quantile": "0.5",
        "spark.locality.wait": "0",
    }
    done = child.start(spark, steps, conf)
    reports, log = done.communicate(timeout=PROCESS_HANGS)
    *runs, won = [json.loads(line) for line in reports.splitlines()]
    assert runs == [{"death": None, "waiting": True}] * len(steps), log
    assert won >= len(steps)
    for stream, _, _ in steps:
        stream.check()
