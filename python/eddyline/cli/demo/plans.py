"""What the demo shows of plans and counts in them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from eddyline.plans import brief

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def explained(spark: SparkSession, sql: str) -> str:
    """The physical operators of a query, a line each, without the root that adapts them."""
    plan = str(spark.sql(f"EXPLAIN {sql}").collect()[0][0])
    lines = brief(plan.partition("\n\n")[0]).splitlines()[1:]
    if lines[0].startswith("AdaptiveSparkPlan"):
        lines = [line[3:] for line in lines[1:]]
    return "\n".join(lines)


def count_exchanges(spark: SparkSession, sql: str) -> int:
    """How many shuffles the plan of a query has."""
    return len(re.findall(r"Exchange hashpartitioning", explained(spark, sql)))
