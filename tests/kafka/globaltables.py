"""Global tables over topics: how tests create, refresh and read them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kafka.topics import Record, Topic

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BY_HAND = "REFRESH MANUAL"
# of the keys of a table: those of the second one may be equal though their bytes differ
KINDS = ("BIGINT", "DOUBLE")


def create(
    topic: Topic, clauses: str = BY_HAND, columns: str = "", name: str = "", **options: str
) -> str:
    """Creates a global table of the topic, and returns its name."""
    name = name or f"{topic.name}_table"
    given = {
        "kafka.bootstrap.servers": topic.broker.address,
        "subscribe": topic.name,
        **{key.replace("_", "."): value for key, value in options.items()},
    }
    pairs = ", ".join(f"'{key}' '{value}'" for key, value in given.items())
    columns = columns or of_kind("BIGINT")
    topic.spark.sql(
        f"CREATE GLOBAL TABLE {name} ({columns}) USING kafka OPTIONS ({pairs}) {clauses}"
    )
    return name


def of_kind(kind: str) -> str:
    """Returns the columns of a table whose key has a type."""
    return f"id {kind}, name STRING, PRIMARY KEY (id)"


def person(key: int, name: str) -> Record:
    return str(key), f'{{"name": "{name}"}}'


def refresh(spark: SparkSession, table: str) -> dict[Any, Any]:
    """Refreshes the table and returns its rows."""
    spark.sql(f"REFRESH GLOBAL TABLE {table}")
    return rows(spark, table)


def rows(spark: SparkSession, table: str) -> dict[Any, Any]:
    """Returns the rows, by key."""
    found = [tuple(row) for row in spark.table(table).collect()]
    assert len({row[0] for row in found}) == len(found)
    return {row[0]: row[1] if len(row) == 2 else row[1:] for row in found}
