"""What the demo counts in plans."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def count_exchanges(spark: SparkSession, sql: str) -> int:
    """How many shuffles the plan of a query has."""
    plan = str(spark.sql(f"EXPLAIN {sql}").collect()[0][0])
    return len(re.findall(r"Exchange hashpartitioning", plan))
