"""EMIT's options emit, drop and count in each micro-batch what a model of them says.

Random queries with one to four options run side by side over random micro-batches, in random
stores, and are restarted in between. `make test-full` runs five families, which is 40 queries, and
`make test-slow` 40 of 120 others, 320 queries.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from properties.emit_options import emissions, random_query
from properties.emit_runs import (
    CHANGELOG,
    HDFS,
    ROCKSDB,
    Run,
    canonical,
    printed,
    random_batches,
    run,
)
from properties.examples import families

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

QUERIES, BATCHES = 8, 5


@families(40, of=120)
def test_random_queries(spark: SparkSession, tmp_path: Path, number: int) -> None:
    stores = [*HDFS, *ROCKSDB, *CHANGELOG]
    data = random_batches(f"options {number}", BATCHES)
    queries = [random_query(f"{number} {i}") for i in range(QUERIES)]
    spark.conf.set("spark.sql.streaming.noDataMicroBatches.enabled", number % 2 == 0)
    oracles = [
        Run(query.oracle, tmp_path / f"oracle {i}", HDFS[1], query.mode)
        for i, query in enumerate(queries)
    ]
    found = [
        Run(query.sql, tmp_path / str(i), stores[(number + i) % len(stores)])
        for i, query in enumerate(queries)
    ]
    run(spark, [*oracles, *found], data, tmp_path, number % BATCHES)
    for query, oracle, each in zip(queries, oracles, found, strict=True):
        expected = emissions(query, oracle.rows, oracle.folder, each.folder)
        for batch, emission in expected.items():
            rows = [canonical(row) for row in emission.rows]
            assert printed(each.rows[batch]) == printed(rows), (query, each.store, batch)
            counts = {
                name: emission.counts[name]
                for name in each.states[batch]["customMetrics"]
                if name.startswith("num") and name != "numRowsEmitted"
            }
            of_state = each.states[batch]["customMetrics"]
            assert {name: of_state[name] for name in counts} == counts, (query, each.store, batch)
