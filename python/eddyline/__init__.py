"""eddyline: a Spark SQL extension with ideas of Kafka Streams.

import eddyline
from pyspark.sql import SparkSession

spark = eddyline.configure(SparkSession.builder).getOrCreate()
spark.sql("COGROUP cart BY customer_id, purchases BY buyer AGGREGATE count(cart.item) AS items")
"""

from eddyline.doctor import show_versions
from eddyline.errors import ClauseError, EddylineError
from eddyline.follow import FollowedQuery, follow
from eddyline.globaltable import GlobalTableInfo, global_tables
from eddyline.lowering import lower
from eddyline.microbatch import Progress, progress
from eddyline.report import (
    Claim,
    CoGroup,
    Emit,
    Exchange,
    Fallback,
    GlobalTableUse,
    MicroBatch,
    StateOperator,
    Why,
    why,
)
from eddyline.rules import PlanChange, Rule, Rules, Trace, rules
from eddyline.session import check, configure, jar_path
from eddyline.streamingquery import StreamingQueryInfo, streaming_queries
from eddyline.versions import eddyline_version

__version__ = eddyline_version()

__all__ = [
    "Claim",
    "ClauseError",
    "CoGroup",
    "EddylineError",
    "Emit",
    "Exchange",
    "Fallback",
    "FollowedQuery",
    "GlobalTableInfo",
    "GlobalTableUse",
    "MicroBatch",
    "PlanChange",
    "Progress",
    "Rule",
    "Rules",
    "StateOperator",
    "StreamingQueryInfo",
    "Trace",
    "Why",
    "__version__",
    "check",
    "configure",
    "follow",
    "global_tables",
    "jar_path",
    "lower",
    "progress",
    "rules",
    "show_versions",
    "streaming_queries",
    "why",
]
