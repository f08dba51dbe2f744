"""The golden files of batch with Comet: it returns the rows that Spark returns."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from goldenfiles import Block, read_golden
from test_golden import GOLDEN, drawn, run_with

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

STEMS = ("assume", "cogroup", "emit", "globaltable")
# no claim is used: what EXPLAIN says of them, strict mode, and what trust gives
NOT_EQUAL = (
    *("EXPLAIN CLAUSES", " AS wrong"),
    *("spark.eddyline.assume.force", "spark.eddyline.assume.strict"),
)
FILES = [path for stem in STEMS for path in sorted((GOLDEN / stem).glob("*.sql"))]


def is_equal(block: Block) -> bool:
    """Whether a block has rows, and not those that a false claim gives if it is trusted."""
    rows = block.kind in {"statement", "query", "query equals"}
    return rows and not any(text in block.sql for text in NOT_EQUAL)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_rows(spark: SparkSession, path: Path, tmp_path: Path) -> None:
    golden = read_golden(path)
    blocks = tuple(filter(is_equal, golden.blocks))
    conf = drawn(golden) | {text: "false" for text in NOT_EQUAL if text.startswith("spark.")}
    run_with(spark, replace(golden, blocks=blocks), conf, tmp_path)
