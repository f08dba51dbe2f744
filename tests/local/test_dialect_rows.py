"""The plain SQL of a COGROUP gives the rows of the COGROUP."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import sqlglot

from eddyline.dialect import Eddyline
from eddyline.dialect.marks import COGROUP, marks, refusal
from goldenfiles import format_rows, read_golden

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from sqlglot import exp

GOLDEN = Path(__file__).parents[1] / "golden/cogroup"
FILES = ("aggregates", "branches", "keys", "kip150", "names", "semantics", "windows")
# what sqlglot itself prints as something else, whether in a COGROUP or not
OF_SQLGLOT = ("percentile_cont", "listagg", "WITHIN GROUP")

pytestmark = pytest.mark.full


def cogroup(sql: str) -> exp.Expr | None:
    """Returns the tree of a query with a COGROUP that sqlglot can print, or None."""
    if any(text in sql for text in OF_SQLGLOT):
        return None
    tree = sqlglot.parse_one(sql, dialect=Eddyline)
    nodes = list(tree.walk())
    calls = [call for node in nodes for call in marks(node) if call.name == COGROUP]
    refused = any(refusal(node) for node in nodes if node.key == "select")
    return tree if calls and not refused else None


@pytest.mark.parametrize("name", FILES)
def test_rows(spark: SparkSession, name: str) -> None:
    compared = 0
    for block in read_golden(GOLDEN / f"{name}.sql").blocks:
        if block.kind == "statement":
            spark.sql(block.sql)
        tree = cogroup(block.sql) if block.kind in ("query", "query equals") else None
        if tree is None:
            continue
        rows = format_rows(spark.sql(block.sql))
        text = tree.sql("spark", pretty=True)
        assert format_rows(spark.sql(text)) == rows, f"{name}.sql:{block.line}\n{text}"
        compared += 1
    assert compared
