"""The golden files of batch with Comet: it returns the rows that Spark returns."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from eddyline.testing import Block, read_golden
from test_golden import GOLDEN, drawn, run_with

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

STEMS = ("assume", "cogroup", "emit", "globaltable")
FILES = [path for stem in STEMS for path in sorted((GOLDEN / stem).glob("*.sql"))]


def is_equal(block: Block) -> bool:
    """Whether a block shows no plan, and not what a false claim that is trusted returns."""
    rows = block.kind in {"statement", "query", "query equals"}
    return rows and "EXPLAIN ASSUMPTIONS" not in block.sql and " AS wrong" not in block.sql


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_rows(spark: SparkSession, path: Path, tmp_path: Path) -> None:
    golden = read_golden(path)
    blocks = tuple(filter(is_equal, golden.blocks))
    conf = drawn(golden) | {"spark.eddyline.assume.strict": "false"}  # no claim is used
    run_with(spark, replace(golden, blocks=blocks), conf, tmp_path)
