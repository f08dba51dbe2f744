"""Counts jobs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from waiting import CONDITION_HANGS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@contextmanager
def counted_jobs(spark: SparkSession) -> Iterator[Callable[[], int]]:
    """Yields a function that returns how many jobs this thread has run in the block so far."""
    context = spark.sparkContext
    group = f"counted-{os.urandom(8).hex()}"

    def jobs() -> int:
        context._jsc.sc().listenerBus().waitUntilEmpty(int(CONDITION_HANGS * 1000))
        return len(context.statusTracker().getJobIdsForGroup(group))

    context.setJobGroup(group, group)
    try:
        yield jobs
    finally:
        context._jsc.clearJobGroup()


def started_jobs(spark: SparkSession) -> int:
    """Returns how many jobs all threads of the application have started."""
    started: int = spark.sparkContext._jsc.sc().dagScheduler().numTotalJobs()
    return started
