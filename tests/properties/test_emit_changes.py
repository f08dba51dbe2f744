"""A table that takes the changes of EMIT ON CHANGE WITH CHANGE TYPE equals the batch query.

Random queries run over random micro-batches, with a restart in between and in random stores; after
each micro-batch the table is compared with the batch query over all files so far. The table takes
each change strictly: an insert brings a new key, a delete and the row before an update are the row
that the table has. UPSERT INTO a table that MERGEs runs one of the queries again, by SQL. The
ordinary test runs 24 queries, the slow ones 240.
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

from properties.emit_changes import Query, apply, grouped, random_query, replay, text
from properties.emit_runs import (
    CHANGELOG,
    HDFS,
    ROCKSDB,
    Run,
    canonical,
    random_batches,
    read_files,
    run,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

QUERIES, BATCHES = 12, 4


@pytest.mark.parametrize(
    "number", [0, 1, *(pytest.param(n, marks=pytest.mark.slow) for n in range(2, 20))]
)
def test_the_target_equals_the_query(spark: SparkSession, tmp_path: Path, number: int) -> None:
    seed = f"changes {number}"
    # a watermark would add micro-batches without a file
    spark.conf.set("spark.sql.streaming.noDataMicroBatches.enabled", False)
    random = Random(seed)
    queries = [random_query(random) for _ in range(QUERIES)]
    data = random_batches(seed, BATCHES)
    stores = [*HDFS, *ROCKSDB, *CHANGELOG]
    found = [
        Run(query.sql, tmp_path / f"q{i}", stores[(number + i) % len(stores)])
        for i, query in enumerate(queries)
    ]
    plain = {
        i: Run(query.plain, tmp_path / f"p{i}", HDFS[1], "append")
        for i, query in enumerate(queries)
        if query.plain
    }
    run(spark, [*plain.values(), *found], data, tmp_path, 1 + number % (BATCHES - 1))
    maintained = grouped(random, ["k"], ("",), "groups")
    table = f"lake.maintained{number}.target"
    upsert(spark, table, maintained, tmp_path / "upsert")
    targets: list[dict[str, str]] = [{} for _ in queries]
    expected: list[dict[str, str]] = [{} for _ in queries]
    for batch in range(BATCHES):
        read_files(spark, tmp_path, batch + 1)
        for i, query in enumerate(queries):
            apply(targets[i], found[i].rows[batch], query)
            if query.batch is None:
                replay(expected[i], plain[i].rows[batch], query.keys)
            else:
                rows = [tuple(map(canonical, row)) for row in spark.sql(query.batch).collect()]
                expected[i] = {text(row[: query.keys]): text(row) for row in rows}
            assert targets[i] == expected[i], (batch, query, found[i].store)
    expected_rows = spark.sql(str(maintained.batch)).collect()
    assert sorted(map(text, spark.table(table).collect())) == sorted(map(text, expected_rows))
    changes = {row[-1] for each in found for rows in each.rows.values() for row in rows}
    assert changes == {"insert", "update_preimage", "update_postimage", "delete"}


def upsert(spark: SparkSession, table: str, query: Query, checkpoint: Path) -> None:
    """Maintains a table, of the columns of the batch query, from the first file to the last."""
    columns = spark.sql(query.sql).drop("_change_type").schema
    spark.createDataFrame([], columns).writeTo(table).create()
    spark.sql(
        f"START STREAMING QUERY maintaining TRIGGER AVAILABLE NOW CHECKPOINT '{checkpoint}' "
        f"AS UPSERT INTO {table} KEY (g0) {query.sql}"
    )
    spark.sql("AWAIT STREAMING QUERY maintaining")
    spark.sql("DROP STREAMING QUERY maintaining")
