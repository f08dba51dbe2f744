"""The physical plans that the demo shows, and counts of their shuffles."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from eddyline.plans import brief

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def explained(spark: SparkSession, sql: str) -> str:
    """Returns the physical operators of a query, a line each, without the AdaptiveSparkPlan."""
    plan = str(spark.sql(f"EXPLAIN {sql}").collect()[0][0])
    lines = brief(plan.partition("\n\n")[0]).splitlines()[1:]
    if lines[0].startswith("AdaptiveSparkPlan"):
        lines = [line[3:] for line in lines[1:]]
    return "\n".join(lines)


def count_exchanges(spark: SparkSession, sql: str) -> int:
    """Returns the number of shuffles in the plan of a query."""
    return len(re.findall(r"Exchange hashpartitioning", explained(spark, sql)))
