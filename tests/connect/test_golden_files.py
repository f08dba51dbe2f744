"""Runs `tests/golden` and compares `tests/plans` as `tests/test_*.py` do, by Spark Connect.

No file is left out: rows, plans, conditions, SQLSTATEs and places are those of a classic session.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from eddyline.jvm import is_classic
from goldenfiles import read_golden
from test_golden import GOLDEN, drawn, run_with
from test_plans import PLANS, QUERIES, planned

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FILES = sorted(GOLDEN.rglob("*.sql"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(GOLDEN).as_posix())
def test_golden(spark: SparkSession, path: Path, tmp_path: Path) -> None:
    golden = read_golden(path)
    run_with(spark, golden, drawn(golden), checkpoints=tmp_path)


@pytest.mark.parametrize("path", QUERIES, ids=lambda path: path.relative_to(PLANS).as_posix())
def test_plan(spark: SparkSession, path: Path) -> None:
    assert planned(spark, path) == path.with_suffix(".txt").read_text()


def test_the_session_is_remote(spark: SparkSession) -> None:
    assert not is_classic(spark)
