"""Approved physical plans, in `<name>.txt` for each query `tests/plans/<stem>/<name>.sql`.

They are those of the newest Spark.

`make update-plans` writes the plans; read the difference before you commit it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from eddyline.lowering.statements import statements_of
from goldenfiles import physical_plan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PLANS = Path(__file__).parent / "plans"
QUERIES = sorted(path for path in PLANS.rglob("*.sql") if path.stem != "tables")


@pytest.mark.usefixtures("newest_spark")
@pytest.mark.parametrize("path", QUERIES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_plan(spark: SparkSession, path: Path) -> None:
    plan = planned(spark, path)
    approved = path.with_suffix(".txt")
    if os.environ.get("UPDATE_PLANS"):
        approved.write_text(plan)
    assert plan == approved.read_text()


def planned(spark: SparkSession, path: Path) -> str:
    """Returns the plan of a query in a session, classic or of Spark Connect."""
    spark.conf.set("spark.sql.adaptive.enabled", "false")
    for statement in statements_of(path.with_name("tables.sql").read_text()):
        spark.sql(statement.text)
    return physical_plan(spark, path.read_text()) + "\n"
