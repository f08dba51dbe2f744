"""The reports of `eddyline.why` about batch queries, clause by clause, and their forms."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING

import pytest

from eddyline import why
from eddyline.report import Entry, Why
from jobs import counted_jobs

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FACTS = "CREATE TABLE facts USING parquet AS SELECT id AS f, id % 4 AS k FROM range(20)"
PEOPLE = "CREATE TABLE people USING parquet AS SELECT id AS k, id * 2 AS n FROM range(4)"
GLOBAL = "CREATE GLOBAL TABLE g PRIMARY KEY (k) REFRESH MANUAL AS SELECT * FROM people"
NO_CLAIM = "no claim says that the rows of a key lie together"


@pytest.mark.usefixtures("adaptive")
def test_an_exchange_that_ran_has_its_rows(spark: SparkSession) -> None:
    spark.sql(FACTS)
    frame = spark.sql("SELECT k, count(*) FROM facts GROUP BY k")
    (planned,) = why(frame).exchanges
    assert str(planned) == (
        f"EXCHANGE SHUFFLE (k) for HashAggregate: KEPT: {NO_CLAIM} [partitions=2]"
    )
    assert (planned.kind, planned.saved_by, planned.rows) == ("SHUFFLE", None, None)
    frame.collect()
    (ran,) = why(frame).exchanges
    assert (ran.rows, ran.partitions) == (8, 2), "four keys in each of two files"
    assert ran.bytes is not None
    assert ran.bytes > 0


@pytest.mark.usefixtures("adaptive")
def test_a_false_claim_is_a_fallback(spark: SparkSession) -> None:
    spark.sql(FACTS)
    frame = spark.sql("SELECT k FROM facts ASSUME PARTITIONED BY (k) GROUP BY k")
    assert [found.outcome for found in why(frame).exchanges] == ["SAVED"]
    assert why(frame).fallbacks == []
    assert len(frame.collect()) == 4
    report = why(frame)
    (claim,), (exchange,), (fallback,) = report.claims, report.exchanges, report.fallbacks
    assert claim.verdict is not None
    assert claim.verdict.startswith("false, ")
    assert claim.check_ms is not None
    assert (exchange.outcome, exchange.saved_by) == ("KEPT", None)
    assert exchange.reason == f"the claim (k) is {claim.verdict}"
    assert (fallback.clause, fallback.subject, fallback.outcome) == ("ASSUME", "k", "SHUFFLED")
    assert fallback.reason == claim.verdict


@pytest.mark.usefixtures("adaptive")
def test_a_lookup_in_a_global_table(spark: SparkSession) -> None:
    for create in (FACTS, PEOPLE, GLOBAL):
        spark.sql(create)
    frame = spark.sql("SELECT f, n FROM facts LEFT JOIN g ON f = g.n")
    (planned,) = why(frame).global_tables
    assert (planned.outcome, planned.replica, planned.rows) == ("LOOKUP", "build", 4)
    assert (planned.join, planned.side, planned.keys) == ("LEFT OUTER", "RIGHT", "n")
    assert planned.bytes is None, "the replica by this key is not built yet"
    frame.collect()
    (ran,) = why(frame).global_tables
    assert (ran.replica, ran.rows, ran.version) == ("build", 4, planned.version)
    assert ran.bytes is not None
    assert ran.age_ms is not None
    (saved,) = why(frame).exchanges
    assert (saved.kind, saved.keys, saved.saved_by) == ("BROADCAST", "default.g", "GLOBAL TABLE")
    again = spark.sql("SELECT f FROM facts JOIN g ON f = g.n")
    again.collect()
    assert [found.replica for found in why(again).global_tables] == ["hit"]


@pytest.mark.usefixtures("adaptive")
def test_joins_that_are_no_lookup_are_fallbacks(spark: SparkSession) -> None:
    for create in (FACTS, PEOPLE, GLOBAL):
        spark.sql(create)
    for query, reason in {
        "SELECT * FROM facts FULL JOIN g ON f = g.k": "a FULL OUTER join keeps its unmatched rows",
        "SELECT a.n FROM g a JOIN g b ON a.k = b.n": "both sides of the join are global tables",
    }.items():
        frame = spark.sql(query)
        frame.collect()
        report = why(frame)
        assert {(found.outcome, found.reason) for found in report.global_tables} == {
            ("SCAN", reason)
        }
        assert {(found.clause, found.about, found.reason) for found in report.fallbacks} == {
            ("GLOBAL TABLE", "default.g", reason)
        }
        ((text,),) = spark.sql(f"EXPLAIN {query}").collect()
        assert f"last_error=-: {reason}" in text
    (alone,) = why(spark.sql("SELECT * FROM g WHERE n > 2")).global_tables
    assert (alone.outcome, alone.reason, alone.rows) == ("SCAN", "no join looks it up", 4)
    assert why(spark.sql("SELECT * FROM g")).fallbacks == []


def test_pruning_is_a_fallback(spark: SparkSession) -> None:
    for create in (PEOPLE, GLOBAL):
        spark.sql(create)
    spark.sql(
        "CREATE TABLE parts USING parquet PARTITIONED BY (k) AS SELECT id, id % 4 k FROM range(9)"
    )
    spark.conf.set("spark.sql.optimizer.dynamicPartitionPruning.reuseBroadcastOnly", "false")
    frame = spark.sql("SELECT id FROM parts JOIN g ON parts.k = g.k WHERE g.n = 2")
    reason = "Spark prunes partitions of the other side by its rows"
    assert {found.reason for found in why(frame).fallbacks} == {reason}


def test_an_equal_exchange_is_reused(spark: SparkSession) -> None:
    spark.sql(FACTS)
    spark.conf.set("spark.sql.adaptive.enabled", "false")
    one = "SELECT k, count(*) AS n FROM facts GROUP BY k"
    outcomes = [found.outcome for found in why(spark.sql(f"{one} UNION ALL {one}")).exchanges]
    assert sorted(outcomes) == ["KEPT", "REUSED"]


def test_explain_clauses_runs_no_job(spark: SparkSession) -> None:
    for create in (FACTS, PEOPLE, GLOBAL):
        spark.sql(create)
    query = "SELECT f, max(n) FROM facts JOIN g ON f = g.n GROUP BY f ORDER BY f"
    with counted_jobs(spark) as jobs:
        rows = spark.sql(f"EXPLAIN CLAUSES {query}").collect()
        assert jobs() == 0
    assert "GLOBAL TABLE" in {row.part for row in rows}
    assert all(row.part and row.subject and row.outcome for row in rows)


def test_strict_claims_do_not_fail_the_statement(spark: SparkSession) -> None:
    spark.sql(FACTS)
    spark.conf.set("spark.eddyline.assume.strict", "true")
    rows = spark.sql("EXPLAIN CLAUSES SELECT f FROM facts ASSUME PARTITIONED BY (k)").collect()
    assert [(row.part, row.outcome) for row in rows] == [("ASSUME", "NOT_NEEDED")]


def test_the_forms_of_a_report() -> None:
    from rich.console import Console

    of_kept = {"kind": "SHUFFLE", "keys": "a < b", "partitions": 2, "rows": 0, "bytes": None}
    kept = Entry("EXCHANGE", "SHUFFLE (a < b) for Sort", "KEPT", "[so]", of_kept)
    of_batch = {"batch": 7, "input_rows": 1, "emitted": None, "versions": {"g": "1"}}
    report = Why([kept, Entry("MICRO-BATCH", "7", "DONE", None, of_batch)])
    assert str(report).splitlines() == [
        "EXCHANGE SHUFFLE (a < b) for Sort: KEPT: [so] [partitions=2, rows=0]",
        "MICRO-BATCH 7: DONE [input_rows=1, versions={'g': '1'}]",
    ]
    html = report._repr_html_()
    assert "<td>SHUFFLE (a &lt; b) for Sort</td>" in html
    console = Console(width=200)
    with console.capture() as printed:
        console.print(report)
    assert "[so]" in printed.get()
    assert (report.exchanges, report.batches[0].input_rows, report.claims) == ([kept], 1, [])
    assert report[0] == kept
    assert report[:1] == (kept,)
    assert report == Why([*report])
    assert (str(Why([])), Why([])._repr_html_()) == (
        "No clause of eddyline and no Exchange.",
        "<p>No clause of eddyline and no Exchange.</p>",
    )


def test_a_detail_is_an_attribute() -> None:
    entry = Entry("EXCHANGE", "SHUFFLE (k) for Sort", "KEPT", None, {"rows": None, "keys": "k"})
    assert (entry.keys, entry.rows) == ("k", None)
    assert "keys" in dir(entry)
    assert [copy.deepcopy(entry), pickle.loads(pickle.dumps(entry))] == [entry, entry]
    with pytest.raises(AttributeError, match="no 'verdict'"):
        _ = entry.verdict
