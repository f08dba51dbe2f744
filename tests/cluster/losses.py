"""Executors that are killed while they work."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TypeVar

from waiting import eventually

from .standalone import executors

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

T = TypeVar("T")


@contextmanager
def at_work(spark: SparkSession, action: Callable[[], T]) -> Iterator[Future[T]]:
    """Runs an action beside the block, which begins as soon as the action has tasks."""
    with ThreadPoolExecutor() as pool:
        running = pool.submit(action)
        eventually(lambda: running.done() or _active_tasks(spark) > 0)
        yield running


def kill_one_executor(spark: SparkSession) -> None:
    """Kills one of two executors."""
    eventually(lambda: len(_executors(spark)) == 2)
    _kill(min(_executors(spark)))


def kill_executors(spark: SparkSession) -> None:
    """Kills the executors that there are."""
    for each in _executors(spark):
        _kill(each)


def _executors(spark: SparkSession) -> set[int]:
    return executors(spark.sparkContext.applicationId)


def _active_tasks(spark: SparkSession) -> int:
    tracker = spark.sparkContext.statusTracker()
    stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
    return sum(stage.numActiveTasks for stage in stages if stage is not None)


def _kill(process: int) -> None:
    with suppress(ProcessLookupError):  # it has ended by itself
        os.kill(process, signal.SIGKILL)
