"""Claims with integrations/comet: Comet reads units, and what checks them stays in force."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException, SparkRuntimeException

from comet.plans import operators
from eddyline import why
from eddyline.jvm import plan_of
from eddyline.report.plan import plan_nodes
from suite import is_eddyline_first

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

pytestmark = [
    pytest.mark.skipif(not is_eddyline_first(), reason="Comet is loaded first"),
    pytest.mark.usefixtures("tables"),
]
CLAIM = "ASSUME PARTITIONED BY (k)"
COUNTS = "SELECT k, count(*) AS n, min(s) AS s FROM {} GROUP BY k"


def rows(frame: DataFrame) -> list[tuple[object, ...]]:
    return sorted(tuple(row) for row in frame.collect())


@pytest.mark.parametrize("adaptive", ["true", "false"])
@pytest.mark.parametrize(
    ("query", "exchanges"),
    [
        (COUNTS, 0),
        ("SELECT k, count(DISTINCT v) AS n FROM {} WHERE v > 9 GROUP BY k", 0),
        ("SELECT count(*) AS groups, sum(n) FROM (SELECT count(*) AS n FROM {} GROUP BY k)", 1),
        ("SELECT k, v, sum(v) OVER (PARTITION BY k ORDER BY v) AS s FROM {}", 0),
        ("SELECT k, count(*) FROM (SELECT * FROM {} WHERE v > (SELECT 7)) GROUP BY k", 0),
    ],
)
@pytest.mark.parametrize("enforcement", ["", " NOT ENFORCED", " ENFORCED ON VIOLATION FAIL"])
def test_a_query_is_native(
    spark: SparkSession, adaptive: str, query: str, exchanges: int, enforcement: str
) -> None:
    """It has no shuffle by the keys, and each operator is Comet's."""
    spark.conf.set("spark.sql.adaptive.enabled", adaptive)
    claimed = spark.sql(query.format(f"good {CLAIM}{enforcement}"))
    assert rows(claimed) == rows(spark.sql(query.format("good")))
    above = operators(claimed)
    above = above[: above.index("CometUnits")]
    assert above.count("CometExchange") == exchanges, above
    spark_ones = [name for name in above if name.endswith(("Aggregate", "Exchange", "Window"))]
    assert all(name.startswith("Comet") for name in spark_ones), above
    report = why(claimed)
    assert report.claims[0].outcome == "USED"
    assert "SAVED" in [exchange.outcome for exchange in report.exchanges]


def test_rows_are_counted(spark: SparkSession) -> None:
    """Pictures and Spark's UI have the rows that Comet reads at the scan that it reads for."""
    claimed = spark.sql(COUNTS.format(f"good {CLAIM}"))
    rows(claimed)
    nodes = plan_nodes(plan_of(claimed, stock=False))
    assert [node.rows for node in nodes if node.name.startswith("Scan")] == [200]


def test_units_are_read_as_a_whole(spark: SparkSession) -> None:
    """A group comes from one task, although Comet would read a file in several."""
    spark.conf.set("spark.sql.files.maxPartitionBytes", "300")
    claimed = spark.sql(COUNTS.format(f"good {CLAIM} NOT ENFORCED"))
    assert len(rows(claimed)) == 20
    assert why(claimed).claims[0].units == 4
    assert claimed.rdd.getNumPartitions() == 4
    assert spark.table("good").rdd.getNumPartitions() > 4


@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_a_false_claim(spark: SparkSession, adaptive: str) -> None:
    """Its rows are shuffled, or the query fails, as the clause says."""
    spark.conf.set("spark.sql.adaptive.enabled", adaptive)
    claimed = spark.sql(COUNTS.format(f"bad {CLAIM}"))
    assert rows(claimed) == rows(spark.sql(COUNTS.format("bad")))
    assert "false" in str(why(claimed).claims[0].verdict)
    with pytest.raises(AnalysisException, match="VIOLATED"):
        spark.sql(COUNTS.format(f"bad {CLAIM} ENFORCED ON VIOLATION FAIL")).collect()


def test_a_file_that_changes_after_the_check(spark: SparkSession, tmp_path: Path) -> None:
    spark.table("good").repartition(2, "k").write.parquet(str(tmp_path / "t"))
    frame = spark.sql(COUNTS.format(f"parquet.`{tmp_path}/t` {CLAIM}"))
    assert len(rows(frame)) == 20
    file = next((tmp_path / "t").glob("*.parquet"))
    os.utime(file, (1_700_000_000, 1_700_000_000))
    with pytest.raises(SparkRuntimeException) as error:
        frame.collect()
    assert error.value.getCondition() == "EDDYLINE_ASSUME.FILE_CHANGED"


@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_partitions(spark: SparkSession, adaptive: str) -> None:
    """Units that are values of partition columns are pruned, also by a join."""
    spark.conf.set("spark.sql.adaptive.enabled", adaptive)
    spark.sql("CREATE TABLE days USING parquet PARTITIONED BY (d) AS SELECT v, k % 5 AS d FROM bad")
    spark.sql("CREATE TABLE few USING parquet AS SELECT 3 AS d, 'x' AS w")
    counts = "SELECT d, count(*) AS n, sum(v) AS s FROM {} {} GROUP BY d"
    empty = "WHERE d = 9"
    for where in ("", "WHERE d > 2", "JOIN few USING (d) WHERE w = 'x'", empty):
        claimed = spark.sql(counts.format("days ASSUME PARTITIONED BY (d)", where))
        assert rows(claimed) == rows(spark.sql(counts.format("days", where))), where
        (claim,) = why(claimed).claims
        if where != empty:
            assert (claim.outcome, claim.proof) == ("USED", "structural"), claim
            assert "CometUnits" in operators(claimed)


def test_a_layout(spark: SparkSession) -> None:
    """Relations of one layout are checked together, and joined without a shuffle."""
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
    one = "good AS {} ASSUME PARTITIONED BY (k) INTO 4 PARTITIONS USING HASH SPARK"
    join = "SELECT k, count(*) AS n FROM {} JOIN {} USING (k) GROUP BY k"
    claimed = spark.sql(join.format(one.format("a"), one.format("b")))
    assert rows(claimed) == rows(spark.sql(join.format("good AS a", "good AS b")))
    assert "CometExchange" not in operators(claimed)
    assert {claim.outcome for claim in why(claimed).claims} == {"USED"}


@pytest.mark.parametrize("query", ["SELECT v FROM {} WHERE v < 3", "SELECT count(*) AS n FROM {}"])
@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_an_unused_claim_changes_no_operator(
    spark: SparkSession, query: str, adaptive: str
) -> None:
    spark.conf.set("spark.sql.adaptive.enabled", adaptive)
    claimed, plain = (spark.sql(query.format(f"good {clause}")) for clause in (CLAIM, ""))
    assert rows(claimed) == rows(plain)
    names = [name for name in operators(claimed) if name != "CometProject"]
    assert names == [name for name in operators(plain) if name != "CometProject"]
    assert [claim.outcome for claim in why(claimed).claims] == ["DROPPED"]


@pytest.mark.parametrize(
    ("query", "native"),
    [
        ("SELECT v, n FROM STREAM bad JOIN {} AS c USING (k)", True),
        ("SELECT k, max(n) AS n FROM STREAM bad JOIN {} AS c USING (k) GROUP BY k", False),
    ],
)
def test_the_static_side_of_a_stream(
    spark: SparkSession, tmp_path: Path, query: str, *, native: bool
) -> None:
    """Comet reads it if adaptive execution plans it apart, else Spark reads its units."""
    counts = f"(SELECT k, count(*) AS n FROM good {CLAIM} NOT ENFORCED GROUP BY k)"
    frame = spark.sql(query.format(counts))
    assert why(frame).native == []
    writer = frame.writeStream.format("memory").queryName("joined").outputMode("update")
    writer = writer.option("checkpointLocation", str(tmp_path)).trigger(availableNow=True)
    run = writer.start()
    run.awaitTermination()
    assert {row.n for row in spark.table("joined").collect()} == {10}
    found = why(run)
    assert found.claims[0].outcome == "USED"
    assert ("CometUnits" in str(found.native)) == native
    assert bool(found.native) == native


def test_comet_is_switched_off(spark: SparkSession) -> None:
    """Spark reads the units."""
    spark.conf.set("spark.comet.enabled", "false")
    claimed = spark.sql(COUNTS.format(f"good {CLAIM}"))
    assert rows(claimed) == rows(spark.sql(COUNTS.format("good")))
    assert "AssumePartitionedBy" in operators(claimed)
    assert "CometUnits" not in operators(claimed)
