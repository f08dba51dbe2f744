"""EXPLAIN of a claim, on the node and in its section, which runs no job."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from jobs import counted_jobs

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession

pytestmark = pytest.mark.usefixtures("adaptive")

DAY = "days ASSUME PARTITIONED BY (day)"
QUERIES = {
    # the node and the sentence of the section, by query
    f"SELECT day, count(*) FROM {DAY} GROUP BY day": (
        "AssumePartitionedBy [day] structural, 3 units "
        "{USED, avoids Exchange(day) for HashAggregate}",
        "ASSUME PARTITIONED BY (day) on spark_catalog.default.days, structural, 3 units: "
        "USED, avoids Exchange(day) for HashAggregate",
    ),
    f"SELECT v, count(*) FROM {DAY} GROUP BY v": (
        "AssumePartitionedBy [day] structural, 3 units "
        "{NOT_USED, keeps Exchange(v) for HashAggregate: (v) does not contain (day)}",
        "ASSUME PARTITIONED BY (day) on spark_catalog.default.days, structural, 3 units: "
        "NOT_USED, keeps Exchange(v) for HashAggregate: (v) does not contain (day)",
    ),
    f"SELECT day, v FROM {DAY} WHERE v > 2": (
        "AssumePartitionedBy [day] structural, 3 units "
        "{NOT_NEEDED: no operator above needs rows of a key together}",
        "ASSUME PARTITIONED BY (day) on spark_catalog.default.days, structural, 3 units: "
        "NOT_NEEDED: no operator above needs rows of a key together",
    ),
    f"SELECT max(n) FROM (SELECT day, count(*) AS n FROM {DAY} GROUP BY day)": (
        "AssumePartitionedBy [day] structural, 3 units "
        "{USED, avoids Exchange(day) for HashAggregate; "
        "NOT_USED, keeps Exchange(single) for HashAggregate: all rows are needed in one task}",
        "ASSUME PARTITIONED BY (day) on spark_catalog.default.days, structural, 3 units: "
        "USED, avoids Exchange(day) for HashAggregate; "
        "NOT_USED, keeps Exchange(single) for HashAggregate: all rows are needed in one task",
    ),
    "SELECT day, max(n) FROM (SELECT day, count(*) AS n "
    f"FROM {DAY} GROUP BY day) WHERE n > 1 GROUP BY day": (
        "AssumePartitionedBy [day] structural, 3 units "
        "{USED, avoids Exchange(day) for HashAggregate; "
        "USED, avoids Exchange(day) for HashAggregate}",
        "ASSUME PARTITIONED BY (day) on spark_catalog.default.days, structural, 3 units: "
        "USED, avoids Exchange(day) for HashAggregate; "
        "USED, avoids Exchange(day) for HashAggregate",
    ),
    "SELECT k, count(*) FROM VALUES (1), (2) AS v(k) ASSUME PARTITIONED BY (k) GROUP BY k": (
        "",
        "ASSUME PARTITIONED BY (k) on LocalTableScan, none: "
        "DROPPED: LocalTableScan reads no files of a table",
    ),
    "SELECT v, count(*) FROM files ASSUME PARTITIONED BY (v) INTO 4 PARTITIONS GROUP BY v": (
        "AssumePartitionedBy [v] INTO 4 PARTITIONS checked, 4 units "
        "{USED, avoids Exchange(v) for HashAggregate}",
        "ASSUME PARTITIONED BY (v) INTO 4 PARTITIONS on spark_catalog.default.files, checked, "
        "4 units: USED, avoids Exchange(v) for HashAggregate",
    ),
    "SELECT count(*) FROM (SELECT v FROM files ASSUME PARTITIONED BY (v) GROUP BY v)": (
        "AssumePartitionedBy [v] checked, 2 units {USED, avoids Exchange(v) for HashAggregate; "
        "NOT_USED, keeps Exchange(single) for HashAggregate: all rows are needed in one task}",
        "ASSUME PARTITIONED BY (v) on spark_catalog.default.files, checked, 2 units: "
        "USED, avoids Exchange(v) for HashAggregate; "
        "NOT_USED, keeps Exchange(single) for HashAggregate: all rows are needed in one task",
    ),
}


@pytest.fixture
def tables(spark: SparkSession) -> None:
    spark.sql(
        "CREATE TABLE days USING json PARTITIONED BY (day) AS "
        "SELECT id AS v, id % 3 AS day FROM range(9)"
    )
    spark.sql(
        "CREATE TABLE files USING json AS SELECT /*+ REPARTITION(2, v) */ id % 9 AS v FROM range(9)"
    )


def ran(spark: SparkSession, statement: str) -> list[Row]:
    """Returns the rows of a statement, and checks that it runs no job."""
    with counted_jobs(spark) as jobs:
        rows = spark.sql(statement).collect()
        assert jobs() == 0
    return rows


@pytest.mark.usefixtures("tables")
def test_explain(spark: SparkSession) -> None:
    for query, (node, sentence) in QUERIES.items():
        for mode in ("", "EXTENDED", "FORMATTED"):
            ((text,),) = ran(spark, f"EXPLAIN {mode} {query}")
            plan, _, section = text.partition("== Extended Information (Eddyline) ==\n")
            physical = plan.partition("== Physical Plan ==")[2]
            assert section.strip() == sentence, (mode, query)
            assert node in physical, (mode, query)
            assert ("AssumePartitionedBy" in physical) == bool(node), (mode, query)
        rows = [row for row in ran(spark, f"EXPLAIN CLAUSES {query}") if row.part == "ASSUME"]
        outcomes = re.findall(r"\b(?:USED|NOT_USED|NOT_NEEDED|DROPPED)\b", sentence)
        assert [row.outcome for row in rows] == outcomes, query
        assert all('"verdict":null' in row.details for row in rows), query


def test_a_plan_without_clauses_says_so(spark: SparkSession) -> None:
    ((text,),) = spark.sql("EXPLAIN SELECT 1").collect()
    section = text.partition("== Extended Information (Eddyline) ==\n")[2]
    assert section.strip() == "No clause of eddyline."


def test_the_section_tells_of_a_cogroup(spark: SparkSession) -> None:
    query = (
        "COGROUP range(2) AS a BY id, range(3) AS b BY id AGGREGATE count(*) AS n EMIT ON CHANGE"
    )
    ((text,),) = spark.sql(f"EXPLAIN {query}").collect()
    section = text.partition("== Extended Information (Eddyline) ==\n")[2]
    assert section.strip().splitlines() == [
        "COGROUP a BY id, b BY id: ONE_SHUFFLE: "
        "no aggregate is DISTINCT or collects rows into an object",
        "EMIT ON CHANGE: REMOVED: a batch query reports each key once, at its end",
    ]
