"""eddyline: a Spark SQL extension with ideas of Kafka Streams.

import eddyline
from pyspark.sql import SparkSession

spark = eddyline.configure(SparkSession.builder).getOrCreate()
spark.sql("COGROUP cart BY customer_id, purchases BY buyer AGGREGATE count(cart.item) AS items")

The classes of what the functions return are in `eddyline.report`, for annotations.
"""

from eddyline.doctor import show_versions
from eddyline.errors import ClauseError, EddylineError
from eddyline.follow import follow
from eddyline.globaltable import global_tables
from eddyline.lowering import lower_sql
from eddyline.microbatch import progress
from eddyline.report import why
from eddyline.rules import rules
from eddyline.session import check, configure, jar_path
from eddyline.streamingquery import streaming_queries
from eddyline.versions import eddyline_version

__version__ = eddyline_version()

__all__ = [
    "ClauseError",
    "EddylineError",
    "__version__",
    "check",
    "configure",
    "follow",
    "global_tables",
    "jar_path",
    "lower_sql",
    "progress",
    "rules",
    "show_versions",
    "streaming_queries",
    "why",
]
