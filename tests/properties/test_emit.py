"""EMIT ON CHANGE emits what plain Update mode does, without repeated results of a key.

Random queries: a family of twelve over one random grouping runs over three random micro-batches, in
random stores, and each of them is compared with plain Update mode, row for row and drop for drop.
`make test-full` runs five families, which is 60 queries, and `make test-slow` 30 of a hundred
others, 360 queries.

Fixed forms: 47 in three stores over four random micro-batches or more, which is more than 500 cases
of a form, a store and a micro-batch; in the slow tests each form in ten stores, more than 1,800.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from properties.emit_forms import FORMS, Form
from properties.emit_queries import NAMES, random_family
from properties.emit_runs import (
    CHANGELOG,
    HDFS,
    ROCKSDB,
    Run,
    Store,
    changes,
    printed,
    random_batches,
    run,
    some_stores,
)
from properties.examples import families

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

QUERIES, BATCHES = 12, 3
LATE = "numRowsDroppedByWatermark"


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_one_store_of_each_provider(spark: SparkSession, tmp_path: Path, form: Form) -> None:
    number = FORMS.index(form)
    stop = 2 if number % 3 == 0 else 0
    plain, dropped = check(spark, tmp_path, form, some_stores(number), seed=form.name, stop=stop)
    assert any(dropped.values()) == form.repeats
    if form.having:
        assert dropped != changes(form, plain.rows, plain.rows)[1], "HAVING takes no result away"


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_every_store(spark: SparkSession, tmp_path: Path, form: Form) -> None:
    number = FORMS.index(form) % 3
    stores = [*HDFS, *ROCKSDB, *CHANGELOG]
    check(spark, tmp_path, form, stores, seed=f"{form.name} {number}", stop=[0, 1, 3][number])


@families(30, of=100)
def test_random_queries(spark: SparkSession, tmp_path: Path, number: int) -> None:
    seed = f"family {number}"
    family, data = random_family(seed, QUERIES), random_batches(seed, BATCHES)
    stores = [*HDFS, *ROCKSDB, *CHANGELOG]
    keep_order_of_rows(spark)
    spark.sql(NAMES)
    mode = "update" if family.grouping.grouped else "append"
    oracle = Run(family.oracle(), tmp_path / "oracle", HDFS[1], mode)
    found = [
        Run(query.sql, tmp_path / str(i), stores[(number + i) % len(stores)])
        for i, query in enumerate(family.queries)
    ]
    run(spark, [oracle, *found], data, tmp_path, number % BATCHES)
    for i, (query, each) in enumerate(zip(family.queries, found, strict=True)):
        plain, touched = family.results(i, oracle.rows)
        emitted, dropped = changes(query, plain, None if query.by_arrival else touched)
        assert {i: printed(rows) for i, rows in each.rows.items()} == emitted, (query, each.store)
        assert each.dropped == dropped, (query, each.store)


def keep_order_of_rows(spark: SparkSession) -> None:
    """Has Spark's aggregations that sort see the rows of a key in their order.

    Beside NULL keys, its radix sort moves rows of other keys out of it, so a query that sorts would
    have other ties and another `first` than one that does not.
    """
    spark.conf.set("spark.sql.sort.enableRadixSort", "false")


def check(
    spark: SparkSession, folder: Path, form: Form, stores: list[Store], *, seed: str, stop: int
) -> tuple[Run, dict[int, int]]:
    """Runs the form in each store beside plain Update mode, over the random batches of the seed.

    Returns:
        The run in plain Update mode, and how many of its rows were dropped, by batch.
    """
    data = random_batches(seed, 8 if form.having else 4)
    keep_order_of_rows(spark)
    plain = Run(form.plain, folder / "plain", HDFS[1], "update")
    touched = Run(form.select, folder / "touched", HDFS[1], "update") if form.having else plain
    found = [Run(form.emitting, folder / str(i), store) for i, store in enumerate(stores)]
    run(spark, [plain, *([touched] if form.having else []), *found], data, folder, stop)
    emitted, dropped = changes(form, plain.rows, touched.rows)
    for each in found:
        assert {i: printed(rows) for i, rows in each.rows.items()} == emitted, each.store
        assert each.dropped == dropped, each.store
        assert each.of_state("numRowsTotal") == plain.of_state("numRowsTotal"), each.store
        late, groups = each.of_state(LATE), plain.of_state(LATE)
        # Spark counts groups of late rows
        assert all(late[i] >= groups[i] for i in groups), each.store
        assert not each.store.aggregates_first or late == groups, each.store
        assert all(
            updated <= plain.states[i]["numRowsUpdated"]
            for i, updated in each.of_state("numRowsUpdated").items()
        )
    assert any(emitted.values())
    return plain, dropped
