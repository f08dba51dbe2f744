"""Approved physical plans, in `<name>.txt` for each query `tests/plans/<stem>/<name>.sql`.

`make update-plans` writes the plans; read the difference before you commit it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from eddyline.jvm import split_statements
from eddyline.testing import physical_plan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PLANS = Path(__file__).parent / "plans"
QUERIES = sorted(path for path in PLANS.rglob("*.sql") if path.stem != "tables")


@pytest.mark.parametrize("path", QUERIES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_plan(spark: SparkSession, path: Path) -> None:
    spark.conf.set("spark.sql.adaptive.enabled", "false")
    for statement in split_statements(spark, path.with_name("tables.sql").read_text()):
        spark.sql(statement)
    plan = physical_plan(spark, path.read_text()) + "\n"
    approved = path.with_suffix(".txt")
    if os.environ.get("UPDATE_PLANS"):
        approved.write_text(plan)
    assert plan == approved.read_text()
