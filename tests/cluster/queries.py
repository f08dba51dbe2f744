"""Queries and streams with each clause, that run long enough to lose an executor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROWS = 400
# each row takes its time, so that tasks run when their executor dies
SLOW = "java_method('java.lang.Thread', 'sleep', 20L) IS NOT NULL"
# the same for the 40 rows of a micro-batch
SLOWER = "java_method('java.lang.Thread', 'sleep', 100L) IS NOT NULL"
# the same for a key or the source of a global table, which have to be deterministic
SLOW_ZERO = "size(sequence(0L, 300000 + {0})) * 0"

TABLES = (
    "CREATE TABLE facts USING parquet PARTITIONED BY (k) AS "
    f"SELECT id AS v, id % 7 AS k FROM range({ROWS})",
    f"CREATE TABLE numbered USING parquet AS SELECT id AS v FROM range(0, {ROWS}, 1, 4)",
    "CREATE TABLE sources USING parquet AS SELECT id AS k, concat('n', id) AS name FROM range(5)",
    "CREATE TABLE events (k BIGINT, v BIGINT) USING parquet",
    "CREATE TABLE others USING parquet AS SELECT id % 5 AS k FROM range(40)",
    "CREATE GLOBAL TABLE names PRIMARY KEY (k) REFRESH MANUAL AS SELECT * FROM sources",
)

_NUMBERED_SLOWLY = f"(SELECT v + {SLOW_ZERO.format('v')} AS key FROM numbered) AS n"

# each with plain SQL of the same rows
QUERIES = {
    "lookup": (
        f"SELECT name, count(*) AS n FROM facts JOIN names USING (k) WHERE {SLOW} GROUP BY name",
        "SELECT concat('n', id % 7) AS name, count(*) AS n FROM range(400) "
        "WHERE id % 7 < 5 GROUP BY 1",
    ),
    "claim": (
        f"SELECT k, count(*) AS n FROM facts ASSUME PARTITIONED BY (k) WHERE {SLOW} GROUP BY k",
        "SELECT id % 7 AS k, count(*) AS n FROM range(400) GROUP BY 1",
    ),
    "checked claim": (
        "SELECT v, count(*) AS n FROM numbered ASSUME PARTITIONED BY (v) ENFORCED "
        f"WHERE {SLOW} GROUP BY v",
        "SELECT id AS v, 1 AS n FROM range(400)",
    ),
    "check": (
        f"SELECT key, count(*) AS n FROM {_NUMBERED_SLOWLY} ASSUME PARTITIONED BY (key) "
        "WHERE key < 300 GROUP BY key",
        "SELECT id AS key, 1 AS n FROM range(300)",
    ),
    "check by the groups": (
        f"SELECT key, count(*) AS n FROM {_NUMBERED_SLOWLY} ASSUME PARTITIONED BY (key) "
        "GROUP BY key ORDER BY key",
        "SELECT id AS key, 1 AS n FROM range(400)",
    ),
    "cogroup": (
        f"COGROUP (SELECT * FROM facts WHERE {SLOW}) AS f BY k, numbered AS m BY v "
        "AGGREGATE count(f.v) AS n, max(m.v) AS top",
        "SELECT id AS k, CASE WHEN id < 7 THEN (406 - id) DIV 7 ELSE 0 END AS n, id AS top "
        "FROM range(400)",
    ),
}


@dataclass(frozen=True)
class Stream:
    """A stream over the table `events`, which gets eight rows of each of five keys at a time.

    Attributes:
        query: its text.
        emitted: what it emits for each key, with the values 1, 2 and 0 in three micro-batches.
    """

    query: str
    emitted: list[tuple[int, ...]]

    def rows(self) -> list[tuple[int, ...]]:
        """Returns what it emits for all keys, sorted."""
        return sorted((key, *values) for key in range(5) for values in self.emitted)


VALUES = (1, 2, 0)

STREAMS = {
    # the last micro-batch changes no sum, here and in the next one
    "lookup": Stream(
        "SELECT k, sum(v) AS total FROM STREAM events JOIN names USING (k) "
        f"WHERE {SLOWER} GROUP BY k EMIT ON CHANGE",
        [(8,), (24,)],
    ),
    "cogroup": Stream(
        f"COGROUP (SELECT * FROM STREAM events WHERE {SLOWER}) AS e BY k, STREAM others BY k "
        "AGGREGATE sum(e.v) AS total, count(others.*) AS n EMIT ON CHANGE",
        [(8, 8), (24, 8)],
    ),
    "rows": Stream(
        f"SELECT k, v FROM STREAM events WHERE {SLOWER} EMIT ON CHANGE KEY (k)", [(1,), (2,), (0,)]
    ),
    # the last micro-batch changes the row of each key by less than 3, and its order is older
    "options": Stream(
        f"SELECT k, v FROM STREAM events WHERE {SLOWER} "
        "EMIT ON CHANGE KEY (k) ORDER BY v TOLERANCE 1 HEARTBEAT 1 HOUR",
        [(1,), (2,)],
    ),
}


def arrive(spark: SparkSession, value: int) -> None:
    """Appends eight rows with this value of each key to the table `events`."""
    spark.sql(f"INSERT INTO events SELECT /*+ COALESCE(1) */ id % 5, {value} FROM range(40)")


def rows(spark: SparkSession, sql: str) -> list[tuple[Any, ...]]:
    """Returns the rows of a query, sorted."""
    return sorted(map(tuple, spark.sql(sql).collect()))
