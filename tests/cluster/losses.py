"""Executors that are killed while they work."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from waiting import eventually

from .standalone import executors

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

T = TypeVar("T")


@contextmanager
def at_work(spark: SparkSession, action: Callable[[], T]) -> Iterator[Future[T]]:
    """Runs an action with two executors beside the block, which begins when the action has tasks.

    Args:
        spark: the session.
        action: what runs, long enough to lose an executor.
    """
    eventually(lambda: len(_executors(spark)) == 2)
    with ThreadPoolExecutor() as pool:
        running = _begun(spark, pool, action)
        assert not running.done(), running.exception() or "it has ended before an executor is lost"
        yield running


def _begun(
    spark: SparkSession, pool: ThreadPoolExecutor, action: Callable[[], T], attempts: int = 10
) -> Future[T]:
    """Returns an action that has tasks; it is tried again if it ends before they are seen."""
    running = pool.submit(action)
    eventually(lambda: running.done() or _active_tasks(spark) > 0)
    if running.done() and running.exception() is None and attempts > 1:
        return _begun(spark, pool, action, attempts - 1)
    return running


def kill_one_executor(spark: SparkSession) -> None:
    """Kills one of the executors."""
    os.kill(min(_executors(spark)), signal.SIGKILL)


def kill_executors(spark: SparkSession) -> None:
    """Kills all executors, of which there are some."""
    found = _executors(spark)
    assert found
    for each in found:
        os.kill(each, signal.SIGKILL)


def _executors(spark: SparkSession) -> set[int]:
    return executors(spark.sparkContext.applicationId)


def _active_tasks(spark: SparkSession) -> int:
    tracker = spark.sparkContext.statusTracker()
    stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
    return sum(stage.numActiveTasks for stage in stages if stage is not None)
