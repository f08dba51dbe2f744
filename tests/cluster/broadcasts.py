"""The bytes that the driver and the executors have of each broadcast, a replica's or another's."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from waiting import CONDITION_HANGS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DRIVER = "driver"


class Broadcasts:
    """Counts what is sent of each broadcast of an application, from now on."""

    def __init__(self, spark: SparkSession) -> None:
        self._context = spark.sparkContext._jsc.sc()
        assert spark._jvm is not None
        self._listener = spark._jvm.io.eddyline.spark.globaltable.SentBroadcasts()
        self._context.addSparkListener(self._listener)

    def all(self) -> list[dict[str, int]]:
        """Returns the broadcasts, oldest first: the bytes of each, by the id of who has got them.

        The bytes of the driver are those of the whole broadcast.
        """
        self._context.listenerBus().waitUntilEmpty(int(CONDITION_HANGS * 1000))
        found: dict[int, dict[str, int]] = defaultdict(dict)
        for place, size in dict(self._listener.bytes()).items():
            number, executor = place.split()
            found[int(number)][executor] = size
        # of a broadcast that is older than the count, executors may have got pieces before
        return [sent for _, sent in sorted(found.items()) if DRIVER in sent]

    def larger_than(self, size: int) -> list[dict[str, int]]:
        """Returns the broadcasts of more than `size` bytes."""
        return [sent for sent in self.all() if sent[DRIVER] > size]

    def sent_twice(self) -> list[dict[str, int]]:
        """Returns the broadcasts of which an executor has got more than there is."""
        return [sent for sent in self.all() if max(sent.values()) > sent[DRIVER]]
