"""The number of shuffles in queries over claimed files and folders."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from eddyline import why
from goldenfiles import physical_plan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CLAIM = "ASSUME PARTITIONED BY (k)"
SHAPES = [
    # exchanges with and without the claims, and the query over the relations {0} and {1}
    (0, 1, "SELECT k, sum(v) OVER (PARTITION BY k ORDER BY v) AS s FROM {0}"),
    (0, 1, "SELECT k, v, max(v) OVER (PARTITION BY k, v) AS m FROM {0}"),
    (0, 2, "SELECT k, count(DISTINCT v) FROM {0} GROUP BY k"),
    (2, 2, "SELECT k, count(DISTINCT v), count(DISTINCT j) FROM {0} GROUP BY k"),
    (0, 1, "SELECT DISTINCT k, v FROM {0}"),
    (1, 1, "SELECT DISTINCT v FROM {0}"),
    (3, 3, "SELECT k, v FROM {0} EXCEPT SELECT k, v FROM {1}"),
    (0, 1, "SELECT k, row_number() OVER (PARTITION BY k ORDER BY v) AS r FROM {0}"),
    (0, 1, "SELECT /*+ BROADCAST(b) */ a.k, count(*) FROM {0} JOIN b ON a.v = b.v GROUP BY a.k"),
    (2, 2, "SELECT a.k FROM {0} JOIN {1} ON a.k = b.k"),
    (1, 1, "SELECT k, count(*) FROM (SELECT k FROM {0} UNION ALL SELECT k FROM {1}) GROUP BY k"),
    (
        2,
        2,
        "WITH c AS (SELECT * FROM {0}) SELECT x.k, x.n, y.m FROM (SELECT k, count(*) AS n FROM c "
        "GROUP BY k) x JOIN (SELECT k, max(v) AS m FROM c GROUP BY k) y ON x.k = y.k",
    ),
]


@pytest.fixture(autouse=True)
def settings(spark: SparkSession) -> None:
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
    spark.conf.set("spark.sql.adaptive.enabled", "false")


def test_files(spark: SparkSession) -> None:
    for name in ("a", "b"):
        spark.sql(
            f"CREATE TABLE {name} USING json AS SELECT /*+ REPARTITION(3, k) */ * "
            "FROM (SELECT id % 20 AS k, id % 3 AS j, id AS v FROM range(200))"
        )

    def exchanges(query: str, clause: str) -> int:
        text = query.format(f"a {clause}", f"b {clause}")
        return len(re.findall("Exchange hashpartitioning", physical_plan(spark, text)))

    found = [(exchanges(query, CLAIM), exchanges(query, ""), query) for *_, query in SHAPES]
    assert found == SHAPES


@pytest.mark.parametrize("adaptive", ["true", "false"])
@pytest.mark.parametrize(
    ("by_all_keys", "outcome", "reason"),
    [
        ("true", "NOT_USED", "the sides of the join are not partitioned alike"),
        pytest.param("false", "USED", None, marks=pytest.mark.since("4.2")),
    ],
)
def test_a_join_by_more_than_the_day(
    spark: SparkSession, adaptive: str, by_all_keys: str, outcome: str, reason: str | None
) -> None:
    """Spark partitions a join by all its keys, unless its conf allows some of them."""
    for name in ("a", "b"):
        spark.sql(
            f"CREATE TABLE {name} USING json PARTITIONED BY (day) AS "
            "SELECT id AS user, id % 4 AS day FROM range(40)"
        )
    key = "spark.sql.requireAllClusterKeysForCoPartition"
    assert spark.conf.get(key) == "true"
    spark.conf.set(key, by_all_keys)
    spark.conf.set("spark.sql.adaptive.enabled", adaptive)
    query = "SELECT a.day, a.user FROM a {0} JOIN b {0} ON a.day = b.day AND a.user = b.user"
    frame = spark.sql(query.format("ASSUME PARTITIONED BY (day)"))
    expected = {("day", outcome, "day, user", "SortMergeJoin", reason)}
    before = why(frame).claims
    assert len(before) == 2
    assert {
        (claim.keys, claim.outcome, claim.exchange, claim.operator, claim.reason)
        for claim in before
    } == expected
    assert sorted(map(tuple, frame.collect())) == [
        (d, u) for d in range(4) for u in range(d, 40, 4)
    ]
    assert {claim.outcome for claim in why(frame).claims} == {outcome}
