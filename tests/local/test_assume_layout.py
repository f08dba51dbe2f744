"""The shuffles that numbered claims save, and the effect of renumbered files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException

from eddyline import why
from eddyline.versions import is_older
from goldenfiles import physical_plan
from jobs import counted_jobs

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

HASH = "INTO 4 PARTITIONS USING HASH SPARK"


@pytest.fixture
def tables(spark: SparkSession) -> None:
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
    spark.conf.set("spark.sql.adaptive.enabled", "false")
    rows = "SELECT id % 20 AS k, id % 3 AS j, id AS v FROM range(200)"
    for name, hint in [("a", "(4, k)"), ("b", "(4, k)"), ("c", "(6, k)"), ("d", "(4, j, k)")]:
        spark.sql(
            f"CREATE TABLE {name} USING json AS SELECT /*+ REPARTITION{hint} */ * FROM ({rows})"
        )


def claim(keys: str, more: str) -> str:
    return f"ASSUME PARTITIONED BY ({keys}) {more}"


LAYOUT = claim("k", "LAYOUT l")
SHUFFLED = "(SELECT concat(k, '-', j) AS u, k FROM a DISTRIBUTE BY k) AS s"
SHAPES = [
    # exchanges with and without the claims, and the query over the relations {0}, {1} and {2}
    (0, 1, "k", HASH, "SELECT k, count(*) FROM {0} GROUP BY k, v"),
    (0, 2, "k", HASH, "SELECT count(*) FROM {0} JOIN {1} ON a.k = b.k GROUP BY a.k"),
    (0, 2, "k", HASH, "SELECT a.v FROM {0} FULL JOIN {1} ON a.k = b.k"),
    (1, 2, "k", HASH, "SELECT a.v FROM {0} JOIN b ON a.k = b.k"),
    (1, 2, "k", HASH, "SELECT b.v FROM b LEFT JOIN {0} ON a.k = b.k"),
    (1, 2, "k", HASH, "SELECT b.k, count(*) FROM b JOIN {0} ON a.k = b.k GROUP BY b.k"),
    (0, 1, "k", HASH, "COGROUP {0} BY k, {1} BY k AGGREGATE count(a.v) AS n, sum(b.v) AS s"),
    (0, 2, "j, k", HASH, "SELECT 1 FROM {3} JOIN {4} ON d.k = e.k AND d.j = e.j"),
    (0, 1, "k", "INTO 4 PARTITIONS", "SELECT k, count(*) FROM {0} GROUP BY k"),
    (2, 2, "k", "INTO 4 PARTITIONS", "SELECT 1 FROM {0} JOIN {1} ON a.k = b.k"),
    (0, 1, "k", "LAYOUT l", "SELECT DISTINCT k, v FROM {0}"),
    (0, 1, "k", "LAYOUT l", "SELECT k, rank() OVER (PARTITION BY k ORDER BY v) AS r FROM {0}"),
    (0, 2, "k", "LAYOUT l", "SELECT 1 FROM {0} JOIN {1} ON a.k = b.k"),
    (0, 2, "k", "LAYOUT l", "SELECT 1 FROM {0} LEFT JOIN {1} ON a.k = b.k"),
    (0, 2, "k", "LAYOUT l", "SELECT 1 FROM {0} RIGHT JOIN {1} ON a.k = b.k"),
    (0, 2, "k", "LAYOUT l", "SELECT 1 FROM {0} FULL JOIN {1} ON a.k = b.k"),
    (0, 2, "k", "LAYOUT l", "SELECT a.k, count(*) FROM {0} JOIN {1} ON a.k = b.k GROUP BY a.k"),
    (0, 2, "k", "LAYOUT l", "SELECT 1 FROM {0} WHERE EXISTS (SELECT 1 FROM {1} WHERE b.k = a.k)"),
    (0, 3, "k", "LAYOUT l", "SELECT 1 FROM {0} JOIN {1} ON a.k = b.k JOIN {2} ON b.k = c.k"),
    (0, 1, "k", "LAYOUT l", "COGROUP {0} BY k, {1} BY k, {2} BY k AGGREGATE count(*) AS n"),
    (2, 2, "k", "LAYOUT l", "SELECT 1 FROM {0} JOIN b ON a.k = b.k"),
    (0, 1, "j, k", "LAYOUT l", "SELECT j, k, count(*) FROM {3} GROUP BY j, k"),
    (1, 1, "j, k", "LAYOUT l", "SELECT k, count(*) FROM {3} GROUP BY k"),
    (2, 2, "j, k", "LAYOUT l", "SELECT 1 FROM {3} JOIN {4} ON d.k = e.k AND d.j = e.j"),
    (2, 2, "j, k", "LAYOUT l", "SELECT 1 FROM {3} JOIN {4} ON d.k = e.k"),
    (1, 2, "u", "NOT ENFORCED", f"SELECT u, count(*) FROM {SHUFFLED} {{5}} GROUP BY u"),
    (2, 2, "u", "", f"SELECT u, count(*) FROM {SHUFFLED} {{5}} GROUP BY u"),
    (1, 1, "u", "NOT ENFORCED", f"SELECT k, count(*) FROM {SHUFFLED} {{5}} GROUP BY k"),
]


@pytest.mark.usefixtures("tables")
def test_exchanges(spark: SparkSession) -> None:
    names = ["a", "b", "b AS c", "d", "d AS e"]

    def exchanges(query: str, clause: str) -> int:
        text = query.format(*(f"{name} {clause}" for name in names), clause)
        return len(re.findall("Exchange hashpartitioning", physical_plan(spark, text)))

    found, expected = [], []
    for claimed, plain, keys, more, query in SHAPES:
        used = plain if not_used(spark.version, more, query) else claimed
        expected.append((used, plain, more, query))
        found.append((exchanges(query, claim(keys, more)), exchanges(query, ""), more, query))
    assert found == expected


def not_used(version: str, more: str, query: str) -> bool:
    """Whether an older Spark shuffles all the same, as docs/compatibility.md says."""
    if "LAYOUT" not in more:
        return False
    if "COGROUP" in query:
        return is_older(version, "4.3") and not is_older(version, "4.2")
    return ("JOIN" in query or "EXISTS" in query) and is_older(version, "4.2")


def renumber(spark: SparkSession, table: str, path: Path) -> None:
    """Creates a relation of a table's rows, each file with the number of the next one."""
    files = sorted(spark.table(table).inputFiles())
    path.mkdir()
    for number, file in enumerate(files):
        lines = spark.read.text(file).collect()
        text = "".join(f"{line.value}\n" for line in lines)
        (path / f"part-{(number + 1) % len(files):05}-x.json").write_text(text)
    rows = spark.read.schema("k BIGINT, j BIGINT, v BIGINT").json(str(path))
    rows.createOrReplaceTempView("renumbered")


JOIN = "SELECT r.k, count(*) AS n FROM renumbered r {} JOIN b {} ON r.k = b.k GROUP BY r.k"


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_renumbered_files_under_a_join(spark: SparkSession, tmp_path: Path, adaptive: str) -> None:
    spark.conf.set("spark.sql.adaptive.enabled", adaptive)
    renumber(spark, "a", tmp_path / "renumbered")
    expected = {(k, 100) for k in range(20)}
    by_hash = claim("k", HASH)
    frame = spark.sql(JOIN.format(by_hash, ""))
    assert {tuple(row) for row in frame.collect()} == expected
    (verdict,) = {str(claim.verdict) for claim in why(frame).claims}
    assert re.fullmatch(r"false, \(\d+\) is in unit \d and its hash gives \d", verdict)
    for clauses in [("", by_hash), (by_hash, by_hash)]:
        assert {tuple(row) for row in spark.sql(JOIN.format(*clauses)).collect()} == expected

    assert spark.sql(JOIN.format(f"{by_hash} NOT ENFORCED", "")).collect() == []
    with pytest.raises(AnalysisException, match=r"WRONG_UNIT.*part-0000"):
        spark.sql(JOIN.format(f"{by_hash} ENFORCED ON VIOLATION FAIL", "")).collect()
    alone = spark.sql(f"SELECT k, count(*) AS n FROM renumbered {LAYOUT} GROUP BY k")
    assert {row.n for row in alone.collect()} == {10}


@pytest.mark.since("4.2")
@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_a_layout_of_renumbered_files(spark: SparkSession, tmp_path: Path, adaptive: str) -> None:
    spark.conf.set("spark.sql.adaptive.enabled", adaptive)
    renumber(spark, "a", tmp_path / "renumbered")
    with pytest.raises(AnalysisException, match=r"LAYOUT_VIOLATED.*renumbered"):
        spark.sql(JOIN.format(LAYOUT, LAYOUT)).collect()


@pytest.mark.usefixtures("tables")
def test_a_file_without_a_number(spark: SparkSession, tmp_path: Path) -> None:
    renumber(spark, "a", tmp_path / "renumbered")
    (tmp_path / "renumbered" / "more.json").write_text('{"k": 1, "j": 1, "v": 1}\n')
    spark.read.schema("k BIGINT").json(str(tmp_path / "renumbered")).createOrReplaceTempView("t")
    frame = spark.sql(f"SELECT k, count(*) AS n FROM t {claim('k', HASH)} GROUP BY k")
    assert sum(row.n for row in frame.collect()) == 201
    (found,) = why(frame).claims
    assert (found.outcome, found.reason) == ("DROPPED", "more.json is not one of 4 parts")
    (found,) = why(spark.sql(f"SELECT DISTINCT k FROM t {LAYOUT}")).claims
    assert (found.outcome, found.reason) == ("DROPPED", "more.json has no part number")


@pytest.mark.since("4.2")
@pytest.mark.usefixtures("tables")
def test_a_layout_is_checked_once(spark: SparkSession) -> None:
    layout = claim("k", "LAYOUT once")
    query = f"SELECT 1 FROM a {layout} JOIN b {layout} ON a.k = b.k JOIN c ON b.k = c.k"

    def jobs_of_query() -> int:
        with counted_jobs(spark) as jobs:
            assert spark.sql(query).count() == 20 * 10**3
            return jobs()

    assert jobs_of_query() == jobs_of_query() + 1


def test_no_partition_is_split_below_a_derived_claim(spark: SparkSession) -> None:
    """Adaptive execution splits large partitions, but not where a key must be in one task."""
    spark.conf.set("spark.sql.adaptive.enabled", "true")
    spark.conf.set("spark.sql.adaptive.advisoryPartitionSizeInBytes", "2000")
    spark.conf.set("spark.sql.adaptive.rebalancePartitionsSmallPartitionFactor", "0.01")
    rows = (
        "SELECT /*+ REBALANCE(half) */ * FROM ("
        "SELECT concat('u', id % 50) AS u, id % 2 AS half FROM range(0, 20000, 1, 8))"
    )

    def final(sql: str) -> tuple[str, list[object]]:
        frame = spark.sql(sql)
        found = sorted(map(tuple, frame.collect()))
        plan = str(frame._jdf.queryExecution().executedPlan())
        return plan.partition("Initial Plan")[0], list(found)

    assert "skewed" in final(rows)[0]
    query = f"SELECT u, count(*) AS n FROM ({rows}) AS s {{}} GROUP BY u"
    plan, found = final(query.format("ASSUME PARTITIONED BY (u) NOT ENFORCED"))
    assert "skewed" not in plan
    assert "USED, avoids Exchange(u)" in plan
    assert found == final(query.format(""))[1]


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize(("keys", "found"), [("k", "holds"), ("j", "false")])
@pytest.mark.parametrize("layout", [HASH, "INTO 4 PARTITIONS"])
def test_verdicts_on_numbered_units_are_stored(
    spark: SparkSession, tmp_path: Path, keys: str, found: str, layout: str
) -> None:
    assert spark._jvm is not None
    checks = spark._jvm.io.eddyline.spark.assume.Checks
    spark.conf.set("spark.eddyline.assume.verdictLocation", str(tmp_path))
    query = f"SELECT {keys}, count(*) AS n FROM a {claim(keys, layout)} GROUP BY {keys}"
    verdicts, read = [], []
    for _ in range(2):
        checks.forget()
        frame = spark.sql(query)
        assert sum(row.n for row in frame.collect()) == 200
        verdicts += [claim.verdict for claim in why(frame).claims]
        read.append(checks.metric(frame._jdf, "filesChecked"))
    assert verdicts == verdicts[:1] * 2
    assert str(verdicts[0]).startswith(found)
    assert read == [4, 0]
