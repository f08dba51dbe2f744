"""EMIT ON CHANGE is plain Update mode without the rows that equal their key's previous result.

A random case is a micro-batch: a form of query in one store, over random rows, compared row for row
with plain Update mode. A micro-batch costs a third of a second, so a form is run over several. The
ordinary tests compare 47 forms in three stores over four of them or more, which is more than 500
cases, and the slow ones each form in ten stores with three seeds, which is more than 5,000.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from properties.emit_forms import FORMS, Form
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

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


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
    for number, stop in enumerate([0, 1, 3]):
        stores = [*HDFS, *ROCKSDB, *CHANGELOG]
        seed = f"{form.name} {number}"
        check(spark, tmp_path / str(number), form, stores, seed=seed, stop=stop)


def check(
    spark: SparkSession, folder: Path, form: Form, stores: list[Store], *, seed: str, stop: int
) -> tuple[Run, dict[int, int]]:
    """Run the form in each store beside plain Update mode, over the random batches of the seed.

    Returns:
        The run in plain Update mode, and how many of its rows were dropped, by batch.
    """
    data = random_batches(seed, 8 if form.having else 4)
    plain = Run(form.plain, folder / "plain", HDFS[1], "update")
    touched = Run(form.select, folder / "touched", HDFS[1], "update") if form.having else plain
    found = [Run(form.emitting, folder / str(i), store) for i, store in enumerate(stores)]
    run(spark, [plain, *([touched] if form.having else []), *found], data, folder, stop)
    emitted, dropped = changes(form, plain.rows, touched.rows)
    for each in found:
        assert {i: printed(rows) for i, rows in each.rows.items()} == emitted, each.store
        assert each.dropped == dropped, each.store
        for metric in ("numRowsTotal", "numRowsDroppedByWatermark"):
            assert each.of_state(metric) == plain.of_state(metric), each.store
        assert all(
            updated <= plain.states[i]["numRowsUpdated"]
            for i, updated in each.of_state("numRowsUpdated").items()
        )
    assert any(emitted.values())
    return plain, dropped
