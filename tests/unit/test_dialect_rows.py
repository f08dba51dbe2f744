"""The plain SQL of a COGROUP, and its text as sqlglot prints it, give the rows of the COGROUP."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import sqlglot
from sqlglot import exp
from sqlglot.errors import UnsupportedError

import eddyline.dialect  # noqa: F401
from eddyline.dialect.marks import COGROUP, marks
from eddyline.testing import format_rows, read_golden

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

GOLDEN = Path(__file__).parents[1] / "golden/cogroup"


@pytest.mark.parametrize("name", sorted(p.stem for p in GOLDEN.glob("*.sql")))
def test_rows(spark: SparkSession, name: str) -> None:
    bad = []
    for block in read_golden(GOLDEN / f"{name}.sql").blocks:
        if block.kind == "statement":
            spark.sql(block.sql)
        if block.kind not in ("query", "query equals"):
            continue
        try:
            tree = sqlglot.parse_one(block.sql, dialect="eddyline")
        except Exception as e:
            bad.append(f"{block.line} PARSE {str(e)[:100]}")
            continue
        if not any(c.name == COGROUP for n in tree.walk() for c in marks(n)):
            continue
        want = format_rows(spark.sql(block.sql))
        for d in ("eddyline", "spark"):
            try:
                text = tree.sql(d, pretty=True)
                got = format_rows(spark.sql(text))
            except Exception as e:
                bad.append(f"{block.line} {d} {type(e).__name__} {str(e)[:200]}")
                continue
            if got != want:
                bad.append(f"{block.line} {d}\n{text}\n{want}\n{got}")
    print("\n\n".join(bad))
    assert not bad
