"""Streams that SQL starts, from topics into a topic: COGROUP and EMIT."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from eddyline import streaming_queries
from kafka.admin import Admin
from kafka.broker import Broker
from kafka.cases import Model, Prices, Purchases, Step, Ticks
from kafka.topics import Record, Topic
from waiting import eventually

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MODELS = pytest.mark.parametrize("make", [Purchases, Prices, Ticks])
STEPS_AT_ONCE = 5  # of a micro-batch


class Pipeline:
    """A streaming query `q` from the topics of a model into a topic.

    Attributes:
        target: the topic that it writes.
    """

    def __init__(self, spark: SparkSession, broker: Broker, model: Model, prefix: str) -> None:
        self.spark = spark
        self._model = model
        names = {source: f"{prefix}_{source}" for source in model.sources}
        self._sources = {s: Topic(spark, broker, n).create() for s, n in names.items()}
        self.target = Topic(spark, broker, f"{prefix}_{model.sources[0]}_changes").create()
        # a query that has closed no window yet has written nothing, and readers come before it
        Admin(spark, broker).create(self.target.name)

    def arrive(self, step: Step) -> None:
        """Writes the records of a step, those of each topic in their order."""
        for source, topic in self._sources.items():
            if records := [record for name, record in step if name == source]:
                topic.write(records)

    def start(self, clauses: str, options: str = "") -> None:
        """Starts the query; `options` follow the name of each topic that it reads."""
        names = {source: topic.name for source, topic in self._sources.items()}
        query = self._model.query.format(**names)
        for name in names.values():
            query = query.replace(f"STREAM {name}", f"STREAM {name} {options}")
        self.spark.sql(
            f"START STREAMING QUERY q {clauses} AS INSERT INTO {self.target.name} (key, value)"
            + query
        )

    def run(self) -> list[Record]:
        """Runs the query over what has arrived; returns the records that it has added, sorted."""
        before = Counter(self.target.records()) if streaming_queries(self.spark) else Counter()
        if streaming_queries(self.spark):
            self.spark.sql("START STREAMING QUERY q")
        else:
            self.start("TRIGGER AVAILABLE NOW")
        self.spark.sql("AWAIT STREAMING QUERY q")
        return sorted((Counter(self.target.records()) - before).elements(), key=str)


def joined(steps: Iterable[Step]) -> Step:
    return [record for step in steps for record in step]


@MODELS
def test_exactly_what_changed_is_written(
    spark: SparkSession, running: Broker, tmp_path: Path, make: Callable[[], Model]
) -> None:
    model = make()
    pipeline = Pipeline(spark, running, model, "exact")
    steps = model.steps()
    # the first one creates all topics that are read, and makes a record of each kind
    for step in (joined(steps[:8]), joined(steps[8:12]), joined(steps[12:])):
        pipeline.arrive(step)
        added = pipeline.run()
        assert added == model.step(step)
        assert added

    commits = tmp_path / "checkpoints/q/commits"
    last = max(int(path.name) for path in commits.iterdir() if path.name.isdigit())
    for path in (commits / str(last), commits / f".{last}.crc"):
        path.unlink(missing_ok=True)
    (info,) = streaming_queries(spark)
    before = pipeline.target.records()
    repeated = pipeline.run()
    assert info.status == "FINISHED"
    assert repeated == added
    assert set(repeated) <= set(before)


@MODELS
def test_nothing_is_lost_when_the_broker_dies(
    spark: SparkSession, running: Broker, make: Callable[[], Model]
) -> None:
    model = make()
    pipeline = Pipeline(spark, running, model, "lost")
    steps = model.steps()
    for step in steps:
        model.step(step)
    pipeline.arrive(joined(steps[:-5]))
    # several micro-batches, so that some are left when the broker dies
    pipeline.start("", f"WITH (maxOffsetsPerTrigger = {STEPS_AT_ONCE * 3})")
    eventually(lambda: streaming_queries(spark)[0].batch is not None)
    running.kill()
    written_before = streaming_queries(spark)[0].batch or 0
    running.start()
    pipeline.arrive(joined(steps[-5:]))

    def everything_is_written() -> bool:
        (info,) = streaming_queries(spark)
        if info.status == "FAILED":  # the broker was away for longer than its client waits
            spark.sql("START STREAMING QUERY q")
        # a micro-batch is told of after its records have been written
        return model.complete(pipeline.target.records()) and (info.batch or 0) > written_before

    eventually(everything_is_written)
