"""What queries and streams of a session take, with the sidecar and the executors of its JVM."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from measure import DATA, Figure, session
from versus.processes import tree_cpu_seconds

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

HEAP = "8g"
OURS, PLAIN = "ours", "plain"
PLANNING, RUN = "planning", "run"
ROUNDS = 3
PATIENCE = 30.0  # seconds of a run after which a way gets no other one

Sample = dict[str, Figure]  # what each part of a run takes


@dataclass(frozen=True)
class Meter:
    """Measures what is done in a session.

    Attributes:
        spark: the session.
        folder: a folder that is removed after the session.
    """

    spark: SparkSession
    folder: Path

    def cpu(self) -> float:
        """Returns the CPU seconds of the JVM and of the processes that it has started."""
        return tree_cpu_seconds(self.spark._jvm.java.lang.ProcessHandle.current().pid())

    def heap(self) -> float:
        """Returns the bytes of the heap that are in use after a collection.

        Spark removes what it had for collected objects, so there is a second one.
        """
        self.spark._jvm.System.gc()
        time.sleep(1)
        self.spark._jvm.System.gc()
        runtime = self.spark._jvm.java.lang.Runtime.getRuntime()
        return float(runtime.totalMemory() - runtime.freeMemory())

    def timed(self, body: Callable[[], object]) -> Figure:
        """Runs `body` and returns what it takes."""
        cpu, start = self.cpu(), time.perf_counter()
        body()
        wall = time.perf_counter() - start
        return Figure(round(self.cpu() - cpu, 3), round(wall, 3))

    def in_turns(self, ways: Mapping[str, Callable[[], Sample]]) -> dict[str, Sample]:
        """Returns for each part of a way its run with the least CPU; the first run warms up.

        A way whose first run takes longer than `PATIENCE` has only that.
        """
        best: dict[str, Sample] = {}
        for turn in range(ROUNDS + 1):
            for way, body in ways.items():
                if turn and sum(figure.wall for figure in best[way].values()) > PATIENCE:
                    continue
                self.spark._jvm.System.gc()  # so that this run does not pay for the one before
                found = body()
                if turn > 1:
                    found = {part: min(found[part], best[way][part], key=_cpu) for part in found}
                best[way] = found
        return best

    def compare(self, ours: str, plain: str) -> dict[str, Sample]:
        """Returns what planning and running takes of two queries, whose rows have to be equal.

        The rows are counted and hashed, which is part of the run.
        """
        rows: set[tuple[object, ...]] = set()
        numbers = count()

        def run(sql: str) -> Sample:
            # another text each time, since the sidecar remembers its answers
            text = f"SELECT count(1), bit_xor(xxhash64(*)) FROM ({sql}) -- {next(numbers)}"
            frames: list[DataFrame] = []
            return {
                PLANNING: self.timed(lambda: frames.append(self._planned(text))),
                RUN: self.timed(lambda: rows.update(map(tuple, frames[0].collect()))),
            }

        best = self.in_turns({OURS: lambda: run(ours), PLAIN: lambda: run(plain)})
        assert len(rows) == 1, (ours, rows)
        return best

    def _planned(self, sql: str) -> DataFrame:
        """Returns a query that is analyzed, optimized and planned."""
        frame = self.spark.sql(sql)
        frame._jdf.queryExecution().executedPlan()
        return frame


@contextmanager
def meter(**conf: str) -> Iterator[Meter]:
    """Yields the meter of a new session, which is stopped afterwards.

    Args:
        **conf: settings that win over those of all series.
    """
    DATA.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=DATA, ignore_cleanup_errors=True) as folder:
        settings = {
            "spark.driver.memory": HEAP,
            "spark.driver.maxResultSize": "0",
            # G1 would mark concurrently, at the expense of the way whose turn it is
            "spark.driver.extraJavaOptions": "-XX:+UseParallelGC",
            "spark.log.level": "OFF",
            "spark.sql.warehouse.dir": f"{folder}/warehouse",
        }
        spark = session(**{**settings, **conf})
        try:
            yield Meter(spark, Path(folder))
        finally:
            spark.stop()


def _cpu(figure: Figure) -> float:
    return figure.cpu
