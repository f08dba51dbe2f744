"""Functions that a global table calls, when they are replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from waiting import eventually

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

FUNCTIONS = "io.eddyline.spark.globaltable"


class Spelling:
    """The function `spelled`, and functions, a view and a class that a table can call it by.

    Attributes:
        spark: the session that replaces the function.
    """

    def __init__(self, spark: SparkSession) -> None:
        self.spark = spark
        spark.sql("CREATE TABLE base (k INT, name STRING) USING parquet")
        spark.sql("INSERT INTO base VALUES (1, 'Ab')")
        self.is_spelled("lower", "Least")
        spark.sql(
            "CREATE FUNCTION by_another(s STRING) RETURNS STRING RETURN concat(spelled(s), '')"
        )
        spark.sql(
            "CREATE FUNCTION by_rows(s STRING) RETURNS TABLE (name STRING) RETURN SELECT spelled(s)"
        )
        spark.sql("CREATE VIEW by_view AS SELECT k, spelled(name) AS name FROM base")

    def is_spelled(self, function: str, class_name: str) -> None:
        self.spark.sql(
            f"CREATE OR REPLACE FUNCTION spelled(s STRING) RETURNS STRING RETURN {function}(s)"
        )
        self.spark.sql(f"CREATE OR REPLACE FUNCTION extreme AS '{FUNCTIONS}.{class_name}'")

        assert self.spark._jvm is not None
        self.spark._jvm.io.eddyline.spark.SpellingFunctions.replace(function == "upper")

    def changes(self) -> None:
        self.is_spelled("upper", "Greatest")


@pytest.fixture
def spelling(spark: SparkSession) -> Iterator[Spelling]:
    yield Spelling(spark)
    for name in ("spelled", "by_another", "by_rows", "extreme"):
        spark.sql(f"DROP FUNCTION {name}")


CALLS = {
    "SELECT k, spelled(name) AS name FROM base": ("ab", "AB"),
    "SELECT k, by_another(name) AS name FROM base": ("ab", "AB"),
    "SELECT k, t.name FROM base, LATERAL by_rows(base.name) AS t": ("ab", "AB"),
    "SELECT * FROM by_view": ("ab", "AB"),
    "SELECT k, max(spelled(name)) AS name FROM base GROUP BY k": ("ab", "AB"),
    "SELECT 1 AS k, (SELECT spelled(max(name)) FROM base) AS name": ("ab", "AB"),
    "SELECT k, lake.any.spelled(name) AS name FROM base": ("Ab", "bA"),
    "SELECT 1 AS k, extreme(x) AS name FROM VALUES ('a'), ('b') AS t(x)": ("a", "b"),
}


def name_in(spark: SparkSession) -> str:
    (row,) = spark.sql("SELECT k, name FROM d").collect()
    assert row.k == 1
    return str(row.name)


@pytest.mark.parametrize("query", CALLS)
def test_refresh_takes_the_function_as_it_is(
    spark: SparkSession, spelling: Spelling, query: str
) -> None:
    before, after = CALLS[query]
    spark.sql(f"CREATE GLOBAL TABLE d PRIMARY KEY (k) REFRESH MANUAL AS {query}")
    assert name_in(spark) == before
    spelling.changes()
    spark.sql("REFRESH GLOBAL TABLE d")
    assert name_in(spark) == after


@pytest.mark.parametrize("query", CALLS)
def test_a_probe_finds_that_a_function_was_replaced(
    spark: SparkSession, spelling: Spelling, query: str
) -> None:
    before, after = CALLS[query]
    spark.sql(f"CREATE GLOBAL TABLE d PRIMARY KEY (k) REFRESH EVERY 100 MILLISECONDS AS {query}")
    assert name_in(spark) == before
    spelling.changes()
    eventually(lambda: name_in(spark) == after)


def test_another_definition_calls_the_function_as_it_is(
    spark: SparkSession, spelling: Spelling
) -> None:
    for query in ("SELECT k, spelled(name) AS name FROM base", "SELECT * FROM by_view"):
        spelling.is_spelled("lower", "Least")
        spark.sql(f"CREATE OR REPLACE GLOBAL TABLE d PRIMARY KEY (k) REFRESH MANUAL AS {query}")
        assert name_in(spark) == "ab"
        spelling.changes()
        spark.sql(
            "CREATE OR REPLACE GLOBAL TABLE d PRIMARY KEY (k) REFRESH MANUAL AS "
            f"{query} WHERE k < 2"
        )
        assert name_in(spark) == "AB"


def test_versions_of_a_catalog_with_a_function(spark: SparkSession, spelling: Spelling) -> None:
    """A version of the catalog alone does not tell the rows, so these are copied."""
    spark.sql("CREATE TABLE lake.spelled.base (k INT, name STRING)")
    spark.sql("INSERT INTO lake.spelled.base VALUES (1, 'Ab')")
    spark.sql(
        "CREATE GLOBAL TABLE d PRIMARY KEY (k) REFRESH EVERY 100 MILLISECONDS AS "
        "SELECT k, spelled(name) AS name FROM lake.spelled.base"
    )
    assert name_in(spark) == "ab"
    spelling.changes()
    eventually(lambda: name_in(spark) == "AB")
