"""Each clause with Comet: what is native, what steps aside, and why."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException

from eddyline import why
from streaming.harness import Stream

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

REASON = "CometNativeScan reads the files, and knows of no units"


@pytest.fixture(autouse=True)
def tables(spark: SparkSession) -> None:
    rows = "id % 20 AS k, id AS v, if(id % 2 = 0, 'x', string(id)) AS s FROM range(200)"
    spark.sql(f"CREATE TABLE good USING parquet AS SELECT /*+ REPARTITION(4, k) */ {rows}")
    spark.sql(f"CREATE TABLE bad USING parquet AS SELECT /*+ REPARTITION(4) */ {rows}")


def executed(frame: DataFrame) -> str:
    """Returns the plan that has run."""
    frame.collect()
    return str(frame._jdf.queryExecution().executedPlan()).partition("Initial Plan")[0]


@pytest.mark.parametrize("adaptive", ["true", "false"])
@pytest.mark.parametrize(
    "query",
    [
        "SELECT k, count(*) AS n FROM good{} GROUP BY k",
        "SELECT count(*) AS groups, sum(n) FROM (SELECT count(*) AS n FROM good{} GROUP BY k)",
        "SELECT k, v FROM good{} WHERE v < 3",
        "SELECT k, count(*) FROM (SELECT int(s) AS k FROM good WHERE v % 2 = 1) AS q{} GROUP BY k",
    ],
)
def test_a_claim_costs_nothing(spark: SparkSession, adaptive: str, query: str) -> None:
    """The plan is that of the query without the claim."""
    spark.conf.set("spark.sql.adaptive.enabled", adaptive)
    claimed = spark.sql(query.format(" ASSUME PARTITIONED BY (k)"))
    plain = spark.sql(query.format(""))
    assert sorted(claimed.collect()) == sorted(plain.collect())
    names = [
        [word for word in executed(frame).split() if word.isalpha() or word.startswith("Comet")]
        for frame in (claimed, plain)
    ]
    assert "Comet" in executed(claimed)
    assert names[0] == names[1]
    assert [(claim.outcome, claim.reason) for claim in why(claimed).claims] == [("DROPPED", REASON)]


def test_a_layout_is_dropped(spark: SparkSession) -> None:
    one = "good AS {} ASSUME PARTITIONED BY (k) INTO 4 PARTITIONS USING HASH SPARK"
    frame = spark.sql(
        f"SELECT k, count(*) AS n FROM {one.format('a')} JOIN {one.format('b')} USING (k) "
        "GROUP BY k"
    )
    assert {row.n for row in frame.collect()} == {100}
    assert {claim.outcome for claim in why(frame).claims} == {"DROPPED"}


def test_strict_mode_says_why(spark: SparkSession) -> None:
    spark.conf.set("spark.eddyline.assume.strict", "true")
    with pytest.raises(AnalysisException, match=rf"NOT_USED.*{REASON}"):
        spark.sql("SELECT k, count(*) FROM good ASSUME PARTITIONED BY (k) GROUP BY k").collect()


def test_check_assumption(spark: SparkSession) -> None:
    assert spark.sql("CHECK ASSUMPTION ON good PARTITIONED BY (k)").collect() == []
    assert len(spark.sql("CHECK ASSUMPTION ON bad PARTITIONED BY (k)").collect()) == 10


@pytest.mark.parametrize(
    ("aggregate", "exchanges", "reason"),
    [
        ("sum(a.v)", 1, "no aggregate is DISTINCT or collects rows into an object"),
        ("size(collect_list(a.v))", 1, "Comet collects the rows of all branches natively"),
        ("count(DISTINCT a.v)", 3, "count(DISTINCT a.v) would read the rows of all branches"),
    ],
)
def test_a_cogroup_is_native(
    spark: SparkSession, aggregate: str, exchanges: int, reason: str
) -> None:
    """It has one shuffle, or that of each branch and of the merge of what these return."""
    query = f"COGROUP good AS a BY k, bad AS b BY k AGGREGATE {aggregate} AS x, count(b.*) AS n"
    frame = spark.sql(query)
    assert {row.n for row in frame.collect()} == {10}
    plan = executed(frame)
    for name in ("CometUnion", "CometHashAggregate", "CometNativeScan"):
        assert name in plan, plan
    assert not re.search(r"[-+:] (Hash|ObjectHash|Sort)Aggregate", plan), plan
    assert plan.count("CometExchange") == exchanges, plan
    assert reason in str(spark.sql(f"EXPLAIN CLAUSES {query}").collect())


def test_a_lookup_is_a_join_of_spark(spark: SparkSession) -> None:
    spark.sql(
        "CREATE GLOBAL TABLE named PRIMARY KEY (k) REFRESH MANUAL "
        "AS SELECT DISTINCT k, k + 1 AS w FROM good"
    )
    frame = spark.sql("SELECT sum(w) AS w FROM bad JOIN named USING (k)")
    assert frame.collect()[0].w == 2100
    assert "GlobalLookup" in executed(frame)


def test_streams_are_those_of_spark(spark: SparkSession, tmp_path: Path) -> None:
    stream = Stream(
        lambda: spark.sql(
            "COGROUP STREAM good AS a BY k, STREAM bad AS b BY k "
            "AGGREGATE sum(a.v) AS x, count(b.*) AS n EMIT ON CHANGE"
        ),
        tmp_path,
    )
    (batch,) = stream.run()
    assert {row[2] for row in batch} == {10}
    assert "Comet" not in stream.plan
