"""Runs `tests/golden` with executors in processes of their own; `make test` draws the same."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from eddyline.testing import read_golden
from test_golden import GOLDEN, drawn, run_with

from .standalone import executors

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# the catalog `lake` keeps its rows in the memory of the driver
FILES = [path for path in sorted(GOLDEN.rglob("*.sql")) if "lake." not in path.read_text("utf-8")]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(GOLDEN).as_posix())
def test_golden(spark: SparkSession, path: Path, tmp_path: Path) -> None:
    golden = read_golden(path)
    run_with(spark, golden, drawn(golden), checkpoints=tmp_path)


def test_there_are_two_executors(spark: SparkSession) -> None:
    assert len(executors(spark.sparkContext.applicationId)) == 2
