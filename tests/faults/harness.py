"""A stream that dies at a given place and is started again on its checkpoint."""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from streaming.harness import death, no_task_runs

from . import model

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# how often at least a run over ARRIVALS new files passes each place; FaultPoint.scala defines
# the places
PLACES = {
    "before state commit": 6,
    "in state commit": 12,
    "after state commit": 9,
    "in sink": 3,
    "before commit log": 6,
    "in commit log": 6,
}
OFFSET_LOG = "offset log"
ARRIVALS = 3

_TABLES = count()
_STREAMING = "spark.sql.streaming"
_STORE = f"{_STREAMING}.stateStore"
_PROVIDERS = "org.apache.spark.sql.execution.streaming.eddyline"
_ROCKSDB = {f"{_STORE}.providerClass": f"{_PROVIDERS}.FaultyRocksDbStateStoreProvider"}
_CHANGELOG = f"{_STORE}.rocksdb.changelogCheckpointing.enabled"
STORES = {
    "hdfs": {f"{_STORE}.providerClass": f"{_PROVIDERS}.FaultyHdfsStateStoreProvider"},
    "rocksdb": {**_ROCKSDB, _CHANGELOG: "false"},
    "changelog": {**_ROCKSDB, _CHANGELOG: "true"},
    # format 2 names each attempt's state by an id of its own and adds checksums
    "format2": {**_ROCKSDB, _CHANGELOG: "true", f"{_STORE}.checkpointFormatVersion": "2"},
}


@dataclass
class Stream:
    """A stream over files; each `run` starts a new query on the same checkpoint.

    Attributes:
        spark: a session; the stream runs in a new one beside it.
        folder: folder for input, checkpoint and output; a stream in it goes on.
        store: a key of STORES.
        query: a key of model.QUERIES.
        seed: seed of the input.
        deaths: the places where the stream died.
    """

    spark: SparkSession
    folder: Path
    store: str
    query: str
    seed: int
    deaths: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        for name in ("input", "output"):
            (self.folder / name).mkdir(exist_ok=True)
        self.table = f"input_{next(_TABLES)}"
        self.spark = self.spark.newSession()
        manager = "io.eddyline.spark.faults.FaultyCheckpointFileManager"
        self.spark.conf.set(f"{_STREAMING}.checkpointFileManagerClass", manager)
        # a fault is for a task, and not for the maintenance of the state
        self.spark.conf.set(f"{_STORE}.maintenanceInterval", "1d")
        for key, value in STORES[self.store].items():
            self.spark.conf.set(key, value)
        self.spark.sql(
            f"CREATE TABLE {self.table} (k BIGINT, v BIGINT, w BIGINT) USING json "
            f"OPTIONS (maxFilesPerTrigger '1') LOCATION '{self.folder / 'input'}'"
        )

    @property
    def checkpoint(self) -> Path:
        return self.folder / "checkpoint"

    @cached_property
    def fault_point(self) -> Any:
        assert self.spark._jvm is not None
        return self.spark._jvm.io.eddyline.spark.faults.FaultPoint

    def files(self) -> list[Path]:
        return sorted((self.folder / "input").glob("*.json"))

    def arrive(self, count: int = ARRIVALS) -> None:
        """Adds `count` files, each a second younger: the file source takes the oldest first."""
        for number in range(len(self.files()), len(self.files()) + count):
            chance = random.Random(f"{self.seed} {number}")
            rows = [{"k": k, "v": v, "w": w} for k, v, w in model.events(chance, number)]
            path = self.folder / "input" / f"{number:03}.json"
            part = path.with_suffix(".part")
            part.write_text("\n".join(map(json.dumps, rows)))
            os.utime(part, (1e9 + number, 1e9 + number))
            part.rename(path)

    def run(self) -> str | None:
        """Processes all input; returns what the query died of, or None."""
        assert self.spark._jvm is not None
        query = (
            self.spark.sql(model.QUERIES[self.query].format(table=self.table))
            .writeStream.foreachBatch(self._sink)
            .outputMode("append" if self.query == "sessions" else "update")
            .option("checkpointLocation", str(self.checkpoint))
            .trigger(availableNow=True)
            .start()
        )
        try:
            return death(query)
        finally:
            no_task_runs(
                self.spark
            )  # one that was killed with the query may still commit its state
            self.spark._jvm.org.apache.spark.sql.execution.streaming.state.StateStore.stop()

    def die(self, place: str, at: int) -> None:
        """Runs until the pass `at` of the place, which alone must kill the query."""
        self.fault_point.arm(place, at, False)
        death = self.run()
        assert not self.fault_point.disarm(), f"{place} was not passed {at} times"
        assert f"injected fault: {place}" in (death or "no death"), death
        self.deaths.append(place)

    def _sink(self, batch: DataFrame, number: int) -> None:
        """Writes a file for each attempt of a batch, row by row: an at-least-once sink."""
        rows = [tuple(row) for row in batch.collect()]
        assert not (self.checkpoint / "commits" / str(number)).exists(), "written after its commit"
        self.fault_point.reach("after state commit")
        attempt = len(self._attempts(number))
        with (self.folder / "output" / f"{number:03}.{attempt:03}").open("w") as out:
            for row in rows:
                print(json.dumps(row), file=out, flush=True)
                self.fault_point.reach("in sink")
            print("end", file=out, flush=True)
        self.fault_point.reach("before commit log")

    def _attempts(self, number: int) -> list[list[str]]:
        paths = sorted((self.folder / "output").glob(f"{number:03}.*"))
        return [path.read_text().splitlines() for path in paths]

    def planned(self) -> list[list[int]]:
        """Returns the numbers of each batch's files, by the offset log and the source's log."""
        entries: dict[int, int] = {}
        for log in (self.checkpoint / "sources/0").glob("[0-9]*"):
            for line in log.read_text().splitlines()[1:]:
                entry = json.loads(line)
                entries[int(Path(entry["path"]).stem)] = entry["batchId"]
        logs = sorted((self.checkpoint / "offsets").glob("[0-9]*"), key=lambda log: int(log.name))
        assert [int(log.name) for log in logs] == list(range(len(logs)))
        ends = [-1, *(json.loads(log.read_text().splitlines()[-1])["logOffset"] for log in logs)]
        return [
            [file for file, at in sorted(entries.items()) if start < at <= end]
            for start, end in pairwise(ends)
        ]

    def check(self) -> None:
        """Checks that no row is lost or wrong, and twice only in a batch that was tried twice."""
        planned = self.planned()
        numbers = [number for batch in planned for number in batch]
        assert numbers == list(range(len(self.files()))), "a file is lost or was read twice"
        rows = [
            [tuple(json.loads(line).values()) for line in path.read_text().splitlines()]
            for path in self.files()
        ]
        inputs = [[row for number in batch for row in rows[number]] for batch in planned]
        emissions, results = model.emitted(self.query, inputs, self.checkpoint)
        again = 0
        for number, expected in enumerate(emissions):
            attempts = self._attempts(number)
            assert (self.checkpoint / "commits" / str(number)).exists()
            assert attempts, f"batch {number} was never written"
            again += len(attempts) - 1
            for lines in attempts:
                complete = lines[-1:] == ["end"]
                found = Counter(tuple(json.loads(line)) for line in lines if line != "end")
                allowed = Counter(expected)
                assert found == allowed if complete else found <= allowed, (number, attempts)
            assert attempts[-1][-1:] == ["end"], f"batch {number} was left unfinished"
        assert len(list((self.folder / "output").iterdir())) == len(planned) + again
        assert again <= len(self.deaths), "a batch was written again without need"
        for operator in (self.checkpoint / "state").glob("[0-9]*"):
            assert Counter(self._state(operator.name)) == Counter(results)

    def _state(self, operator: str) -> list[model.Row]:
        """Returns the rows of the operator's state store, without what options and windows add."""
        assert not self.spark.streams.active  # makes what Spark 4.2 and older load states with
        reader = self.spark.read.format("statestore").option("operatorId", operator)
        state = reader.load(str(self.checkpoint)).select("key.*", "value.*").collect()
        # a session is stored by its key and its start, with its key and its window
        columns = (0, 4, 5) if self.query == "sessions" else (0, 1, 2)
        return [tuple(row[at] for at in columns) for row in state]
