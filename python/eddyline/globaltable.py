"""The global tables, as tidy records."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class GlobalTableInfo:
    """One row of SHOW GLOBAL TABLES, in its order; None: not known before the first load.

    Attributes:
        namespace: namespace of the table, without the session catalog.
        table_name: name of the table.
        primary_key: columns of the primary key, separated by commas.
        source: format of the source, or `query`.
        version: the version that queries read now.
        rows: rows in that version.
        replicas: number of replicas, one for each key that the table is looked up by.
        replica_bytes: memory that the replicas use on each executor, in bytes; the driver keeps
            them compressed.
        last_refresh: when this application began to use the version.
        age_ms: milliseconds since the start of the last probe that found the source at this
            version.
        status: LOADING, OK, STALE, FAILING or SUSPENDED.
        last_error: error of the last refresh, if it failed.
    """

    namespace: str
    table_name: str
    primary_key: str | None
    source: str
    version: str | None
    rows: int | None
    replicas: int | None
    replica_bytes: int | None
    last_refresh: datetime | None
    age_ms: int | None
    status: str | None
    last_error: str | None


def global_tables(spark: SparkSession, namespace: str | None = None) -> list[GlobalTableInfo]:
    """Returns the global tables of a namespace, in the order of their names.

    Args:
        spark: a classic session or one of Spark Connect.
        namespace: name of the namespace as in SQL; None for the current one.
    """
    of = f" IN {namespace}" if namespace else ""
    rows = spark.sql(f"SHOW GLOBAL TABLES{of}").collect()
    return [GlobalTableInfo(**row.asDict()) for row in rows]
