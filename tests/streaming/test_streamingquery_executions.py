"""What the SQL page of Spark's UI shows of a streaming query that SQL started."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from waiting import eventually

from .streamingquery_harness import NOW, arrive, executions, one

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.usefixtures("events_and_copy")

JOIN = (
    "AS INSERT INTO copy SELECT s.k, max(g.v) AS v FROM STREAM events AS s "
    "JOIN g ON s.k = g.k GROUP BY s.k EMIT ON CHANGE"
)


class Execution:
    """An SQL execution, as Spark's status store keeps it for the UI."""

    def __init__(self, store: Any, found: Any) -> None:
        self.id = found.executionId()
        self.root = found.rootExecutionId()
        self.jobs = found.jobs().size()
        self.status = found.executionStatus()
        self._store = store

    def metrics(self, node: str) -> list[tuple[str, str]]:
        """Returns names and values of the metrics of the node with this name."""
        values = self._store.executionMetrics(self.id)
        nodes = self._store.planGraph(self.id).allNodes()
        found = [nodes.apply(i) for i in range(nodes.size())]
        (metrics,) = [n.metrics() for n in found if n.name() == node]
        described = [metrics.apply(i) for i in range(metrics.size())]
        return [(m.name(), str(values.get(m.accumulatorId()))) for m in described]


def of_run(spark: SparkSession, run: str) -> list[Execution]:
    """Returns the executions of one run of a query, the oldest first."""
    store = spark._jsparkSession.sharedState().statusStore()
    found = [Execution(store, each) for each in executions(spark, run)]
    return sorted(found, key=lambda each: each.id)


@pytest.mark.since("4.3")
def test_micro_batches_are_executions_of_their_own(spark: SparkSession) -> None:
    spark.sql("CREATE GLOBAL TABLE g PRIMARY KEY (k) REFRESH MANUAL AS SELECT 1 AS k, 5 AS v")
    arrive(spark, 1)
    run = one(spark, f"START STREAMING QUERY q {NOW} {JOIN}").run_id
    spark.sql("AWAIT STREAMING QUERY q")
    ended = ["COMPLETED", "COMPLETED"]
    eventually(lambda: [each.status for each in of_run(spark, run)] == ended)
    batch, write = of_run(spark, run)
    assert batch.root == batch.id
    assert write.root == batch.id
    assert (batch.jobs, write.jobs) == (0, 1)
    lookup = dict(batch.metrics("GlobalLookup"))
    assert (lookup["replica found"], lookup["rows in the replica"]) == ("Some(1)", "Some(1)")
    emitted = write.metrics("EmitOnChange")
    assert len(dict(emitted)) == len(emitted), "each name once"
    assert dict(emitted)["number of output rows"] == "Some(1)"
    assert dict(emitted)["number of rows emitted"] == "Some(1)"
