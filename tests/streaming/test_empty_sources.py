"""Micro-batches in which some sources have no new rows: their plans, and the rows of streams."""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import AnalysisException

from tiers import seed

from .empty_sources import COLUMNS, FUNCTIONS, TABLES, batch, random_query, union
from .harness import Row, Stream, arrive
from .streamingquery_harness import finish, one

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import StreamingQuery

U = union([("1", "v"), ("CAST(NULL AS INT)", "1")])
ONE = "(SELECT k, v, 1 AS one FROM STREAM b) AS b BY k"
HOUR = "window(ts, '1 hour')"
SESSION = "session_window(ts, '1 hour')"
LATE = "WATERMARK ts DELAY OF INTERVAL 0 SECONDS"
WATERMARK = f"SELECT k, v, ts, 1 AS x FROM STREAM a {LATE} AS a"
COUNTS = "count(x) AS n, count(*) AS m, sum(v) AS s"
ARM = "SELECT k, v, ts, CAST(NULL AS INT) AS x FROM STREAM b"
PLANNED = {
    "aggregates": f"SELECT k, {', '.join(FUNCTIONS)} FROM ({U}) GROUP BY k EMIT ON CHANGE",
    "no keys": f"SELECT count(x), count(*) FROM ({U}) EMIT ON UPDATE",
    "change type": f"SELECT k, {COUNTS} FROM ({U}) GROUP BY k EMIT ON CHANGE WITH CHANGE TYPE",
    "tolerance": f"SELECT k, {COUNTS} FROM ({U}) GROUP BY k EMIT ON CHANGE TOLERANCE 1",
    "inner join": f"SELECT k, count(z), count(*) FROM ({U}) JOIN (VALUES (1), (2)) AS w(z) ON z = x"
    f" GROUP BY k EMIT ON CHANGE",
    "join in an arm": "SELECT k, count(z), count(*) FROM (SELECT k, v, z FROM STREAM a JOIN "
    "(VALUES (1), (2)) AS w(z) ON z = v UNION ALL SELECT k, v, NULL FROM STREAM b) "
    "GROUP BY k EMIT ON CHANGE",
    "a constant in two of three arms": "SELECT max(k), mode(v) FILTER (WHERE src IS NULL), "
    "sum(v) FILTER (WHERE src IS NULL), sum(v) FROM (SELECT k, v, 'a' AS src FROM STREAM a UNION "
    "ALL SELECT k, v, 'b' FROM STREAM b UNION ALL SELECT k, v, k FROM STREAM c) EMIT ON UPDATE",
    "key": f"SELECT k, x, y FROM ({U}) EMIT ON CHANGE KEY (k)",
    "distinct": f"SELECT DISTINCT k, x IS NULL AS b FROM ({U}) EMIT ON CHANGE",
    "branch.*": "COGROUP STREAM a AS a BY k, STREAM b AS b BY k "
    "AGGREGATE count(a.*), count(*), count(b.*), max(b.v) EMIT ON CHANGE",
    "a constant of a branch": f"COGROUP STREAM a AS a BY k, {ONE} AGGREGATE count(b.one), count(*),"
    f" sum(b.v) FILTER (WHERE b.one IS NULL), sum(b.v), max(a.v) EMIT ON CHANGE",
    "count of a key": "COGROUP STREAM a AS a BY coalesce(k, 'n') AS k, STREAM b AS b BY k "
    "AGGREGATE count(k), count(*), max(b.v) EMIT ON CHANGE",
    "windows as keys": f"COGROUP STREAM a AS a BY (k, {HOUR}), STREAM b AS b BY (k, {HOUR}) "
    "AGGREGATE count(a.*), count(*), max(b.v) EMIT ON CHANGE",
    "HAVING": "COGROUP STREAM a AS a BY k, STREAM b AS b BY k AGGREGATE count(a.*) AS n "
    "HAVING AT LEAST 2 BRANCHES AND count(*) > 1 EMIT ON CHANGE",
    "a window with the watermark of an arm": f"SELECT {HOUR} AS w, {COUNTS} FROM "
    f"({WATERMARK} UNION ALL {ARM}) GROUP BY {HOUR} EMIT ON WINDOW CLOSE",
    "a watermark above the union": f"SELECT {HOUR} AS w, {COUNTS} FROM (SELECT * FROM ({U})) "
    f"{LATE} AS q GROUP BY {HOUR} EMIT ON WINDOW CLOSE",
    "a session": f"SELECT {SESSION} AS w, k, {COUNTS} FROM (SELECT * FROM ({U})) {LATE} AS q "
    f"GROUP BY {SESSION}, k EMIT ON WINDOW CLOSE",
    "a join of streams": f"SELECT q.k, c.v, x FROM ({U}) AS q JOIN STREAM c ON q.k = c.k "
    "EMIT ON CHANGE KEY (k)",
    "LIMIT in an arm": "SELECT k, v FROM (SELECT k, v FROM STREAM a LIMIT 3) UNION ALL "
    "SELECT k, v FROM STREAM b EMIT ON CHANGE KEY (k)",
    "LIMIT": f"SELECT k, v FROM ({U}) LIMIT 3 EMIT ON CHANGE KEY (k)",
    "two aggregations": f"SELECT w, count(*) AS n, count(m) AS c FROM (SELECT {HOUR} AS w, k, "
    f"count(x) AS n, count(*) AS m FROM ({WATERMARK} UNION ALL {ARM}) GROUP BY {HOUR}, k) "
    "GROUP BY w EMIT ON WINDOW CLOSE",
}


@pytest.fixture
def tables(spark: SparkSession) -> None:
    for table in TABLES:
        spark.sql(f"CREATE TABLE {table} ({COLUMNS}) USING parquet")


def states(spark: SparkSession, sql: str) -> list[str]:
    """Returns the state that Spark plans for each set of sources without new rows."""
    assert spark._jvm is not None
    planned = spark._jvm.io.eddyline.spark.streamingquery.state.PlannedStates
    return [str(state) for state in planned.of(spark._jsparkSession, sql)]


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize("query", PLANNED)
def test_one_state_is_planned_whichever_sources_have_rows(spark: SparkSession, query: str) -> None:
    found = states(spark, PLANNED[query])
    assert len(found) >= 4
    assert len(set(found)) == 1


@pytest.mark.usefixtures("tables")
def test_one_state_is_planned_for_random_queries(spark: SparkSession) -> None:
    random = Random(f"{seed()} empty sources")
    for sql in (random_query(random) for _ in range(20)):
        assert len(set(states(spark, sql))) == 1, sql


Step = dict[str, list[tuple[str, int]]]
BOTH: Step = {"a": [("x", 1)], "b": [("x", 9), ("y", 2)]}
FIRST: Step = {"a": [("x", 2), ("y", 1)]}
SECOND: Step = {"b": [("x", 2), ("y", 1)]}
UNION_ROWS = f"SELECT k, {', '.join(f'{f} AS f{i}' for i, f in enumerate(FUNCTIONS))} FROM ({U}) "
COGROUP_ROWS = (
    f"COGROUP STREAM a AS a BY coalesce(k, 'n') AS k, {ONE} AGGREGATE count(a.*) AS n0, "
    "count(*) AS n1, count(k) AS n2, count(b.one) AS n3, sum(b.v) FILTER (WHERE b.one IS NULL) "
    "AS n4, sum(b.v) AS n5, max(a.v) AS n6 "
)
RUN = {
    "union": (f"{UNION_ROWS} GROUP BY k EMIT ON CHANGE", [BOTH, FIRST, SECOND]),
    "union, of which one arm begins": (f"{UNION_ROWS} GROUP BY k EMIT ON UPDATE", [FIRST, SECOND]),
    "cogroup": (f"{COGROUP_ROWS} EMIT ON CHANGE", [BOTH, SECOND, FIRST]),
}


def insert(spark: SparkSession, step: Step, hour: int = 10) -> None:
    """Inserts the rows of a step into their tables, one file for each."""
    for table, rows in step.items():
        time = f"TIMESTAMP'2026-01-01 {hour}:00:00'"
        arrive(spark, table, [f"('{k}', {v}, {time})" for k, v in rows])


class OneRun(Stream):
    """A stream that goes on from step to step."""

    query: StreamingQuery | None = None

    def run(self) -> list[list[Row]]:
        before = len(self.batches)
        if self.query is None:
            self.query = (
                self.frame()
                .writeStream.foreachBatch(self._collect)
                .option("checkpointLocation", str(self.folder / "checkpoint"))
                .start()
            )
        self.query.processAllAvailable()
        return [rows for rows in self.batches[before:] if rows]

    def _collect(self, batch: DataFrame, _: int) -> None:
        self.batches.append(sorted(map(tuple, batch.collect()), key=str))


@pytest.fixture(params=[Stream, OneRun], ids=["restarts", "one run"])
def kind(spark: SparkSession, request: pytest.FixtureRequest) -> Iterator[type[Stream]]:
    """Returns a stream that begins again with each step, and one that goes on."""
    yield request.param
    for query in spark.streams.active:
        query.stop()


@pytest.mark.usefixtures("tables", "provider")
@pytest.mark.parametrize("query", RUN)
def test_the_rows_are_those_of_the_batch_query(
    spark: SparkSession, tmp_path: Path, kind: type[Stream], query: str
) -> None:
    sql, steps = RUN[query]
    stream = kind(lambda: spark.sql(sql), tmp_path)
    for step in steps:
        insert(spark, step)
        stream.run()
        expected = spark.sql(batch(sql)).collect()
        assert stream.final() == sorted(map(tuple, expected), key=str)


@pytest.mark.usefixtures("tables")
def test_a_global_table_that_is_emptied(
    spark: SparkSession, tmp_path: Path, kind: type[Stream]
) -> None:
    """The branch that is joined with it stays, and so does the state."""

    def people(condition: str) -> None:
        rows = "SELECT * FROM VALUES ('x', 10) AS people(k, n)"
        spark.sql(f"CREATE OR REPLACE VIEW people AS {rows} WHERE {condition}")

    people("true")
    spark.sql("CREATE GLOBAL TABLE g PRIMARY KEY (k) REFRESH MANUAL AS SELECT * FROM people")
    sql = (
        "COGROUP STREAM a AS a BY k, "
        "(SELECT b.k, b.v + g.n AS v FROM STREAM b AS b JOIN g ON b.k = g.k) AS j BY k "
        "AGGREGATE count(a.*) AS n, count(j.*) AS m, sum(coalesce(j.v, 0)) AS s EMIT ON CHANGE"
    )
    stream = kind(lambda: spark.sql(sql), tmp_path)
    for condition, row in [
        ("true", ("x", 1, 1, 19)),
        ("false", ("x", 2, 1, 19)),
        ("true", ("x", 3, 2, 38)),
    ]:
        people(condition)
        spark.sql("REFRESH GLOBAL TABLE g")
        insert(spark, {"a": [("x", 1)], "b": [("x", 9)]})
        stream.run()
        assert stream.final() == [row]


@pytest.mark.slow
@pytest.mark.usefixtures("tables", "provider")
@pytest.mark.parametrize("number", range(10))
def test_the_rows_of_random_streams(
    spark: SparkSession, tmp_path: Path, kind: type[Stream], number: int
) -> None:
    random = Random(f"{seed()} rows of empty sources {number}")
    sql = random_query(random)
    stream = kind(lambda: spark.sql(sql), tmp_path)
    for _ in range(4):
        filled = random.sample(TABLES, random.randint(1, len(TABLES)))
        insert(spark, {t: [(random.choice("xy"), random.randint(0, 9))] for t in filled})
        stream.run()
        expected = spark.sql(batch(sql)).collect()
        assert stream.final() == sorted(map(tuple, expected), key=str), sql


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize("watermark", ["of an arm", "above"])
def test_a_window_that_closes(
    spark: SparkSession, tmp_path: Path, kind: type[Stream], watermark: str
) -> None:
    source = f"{WATERMARK} UNION ALL {ARM}"
    rows = f"({source}) AS q" if watermark == "of an arm" else f"(SELECT * FROM ({U})) {LATE} AS q"
    sql = f"SELECT hour({HOUR}.start) AS w, {COUNTS} FROM {rows} GROUP BY {HOUR} "
    stream = kind(lambda: spark.sql(f"{sql} EMIT ON WINDOW CLOSE"), tmp_path)
    for step, hour in [({"a": [("x", 1)], "b": [("x", 5)]}, 10), (FIRST, 12), (FIRST, 15)]:
        insert(spark, step, hour)
        stream.run()
    assert stream.final() == [(10, 1, 2, 6), (12, 2, 2, 3)]


@pytest.mark.usefixtures("tables")
def test_a_limit_in_an_arm(spark: SparkSession, tmp_path: Path) -> None:
    """Spark removes a LIMIT over what it takes for empty, and with it the operator's state."""
    spark.sql("CREATE TABLE target (k STRING, v INT) USING parquet")
    clauses = f"TRIGGER AVAILABLE NOW CHECKPOINT '{tmp_path}/checkpoint'"
    spark.sql(
        f"START STREAMING QUERY q {clauses} AS INSERT INTO target "
        "SELECT k, v FROM (SELECT k, v FROM STREAM a LIMIT 3) UNION ALL SELECT k, v FROM STREAM b"
    )
    for step in (BOTH, SECOND, FIRST, FIRST):
        one(spark, "AWAIT STREAMING QUERY q")
        insert(spark, step)
        one(spark, "RESTART STREAMING QUERY q")
    one(spark, "AWAIT STREAMING QUERY q")
    rows = sorted(map(tuple, spark.table("target").collect()))
    assert rows == [("x", 1), ("x", 2), ("x", 2), ("x", 9), ("y", 1), ("y", 1), ("y", 2)]


def shape(checkpoint: Path) -> dict[str, Any]:
    """Returns what a checkpoint says of the state."""
    found: dict[str, Any] = json.loads((checkpoint / "eddyline/shape.json").read_text())
    return found


def failure(spark: SparkSession) -> str:
    """Waits for the end of the query `q`, and returns its error."""
    with pytest.raises(AnalysisException) as caught:
        spark.sql("AWAIT STREAMING QUERY q")
    assert caught.value.getCondition() == "EDDYLINE_STREAMING_QUERY.FAILED"
    return str(caught.value)


@pytest.fixture
def start(spark: SparkSession, tables: None, tmp_path: Path) -> str:
    """Returns the START of a query without its SELECT; its checkpoint is `checkpoint`."""
    spark.sql("CREATE TABLE target (k STRING, n BIGINT, m BIGINT) USING parquet")
    insert(spark, BOTH)
    return (
        f"START STREAMING QUERY q TRIGGER AVAILABLE NOW CHECKPOINT '{tmp_path}/checkpoint' "
        "AS INSERT INTO target "
    )


TWO_COUNTS = f"SELECT k, count(x) AS n, count(*) AS m FROM ({U}) GROUP BY k EMIT ON CHANGE"


def test_the_checkpoint_says_what_the_state_is(
    spark: SparkSession, start: str, tmp_path: Path
) -> None:
    finish(spark, start + TWO_COUNTS)
    found = shape(tmp_path / "checkpoint")
    assert {**found, "spark": ""} == {
        "version": 1,
        "spark": "",
        "operators": [
            {
                "kind": "an aggregation",
                "parts": [
                    {"name": "key", "items": ["string"]},
                    {"name": "aggregate", "items": ["count(int) [bigint]"] * 2},
                ],
            }
        ],
    }


@pytest.mark.parametrize("generation", [0, 1])
def test_another_function_of_the_same_type(
    spark: SparkSession, start: str, tmp_path: Path, generation: int
) -> None:
    """Spark compares types alone, and no query is there to compare the new text with."""
    folder = state = tmp_path / "checkpoint"
    if generation:
        state = folder / "generation/1"
        (state / "eddyline").mkdir(parents=True)
        (state / "eddyline/complete").touch()
    finish(spark, start + TWO_COUNTS)
    spark.sql("DROP STREAMING QUERY q")
    insert(spark, FIRST)
    spark.sql(start + TWO_COUNTS.replace("count(x)", "count(k)"))
    error = failure(spark)
    assert "EDDYLINE_STREAMING_QUERY.STATE_DIFFERS" in error
    assert f"in the checkpoint file:{folder} is not" in error
    assert "was count(int) [bigint], count(int) [bigint] and is count(string)" in error
    assert len(list((state / "commits").glob("[0-9]*"))) == 1


def test_a_file_of_another_version_is_written_again(
    spark: SparkSession, start: str, tmp_path: Path
) -> None:
    """What a checkpoint of before has cannot be known, if the types are the same."""
    finish(spark, start + TWO_COUNTS)
    written = shape(tmp_path / "checkpoint")
    file = tmp_path / "checkpoint/eddyline/shape.json"
    older = {**written, "spark": "4.0.0", "operators": []}
    for before in (json.dumps(older), json.dumps({**older, "version": 0}), None):
        file.unlink()
        if before:
            file.write_text(before)
        insert(spark, FIRST)
        one(spark, "RESTART STREAMING QUERY q")
        assert one(spark, "AWAIT STREAMING QUERY q").status == "FINISHED"
        assert shape(tmp_path / "checkpoint") == written


def test_a_file_that_is_cut(spark: SparkSession, start: str, tmp_path: Path) -> None:
    finish(spark, start + TWO_COUNTS)
    (tmp_path / "checkpoint/eddyline/shape.json").write_text('{"version": 1')
    insert(spark, FIRST)
    one(spark, "RESTART STREAMING QUERY q")
    assert "EDDYLINE_STREAMING_QUERY.CHECKPOINT_DAMAGED" in failure(spark)


def test_a_first_micro_batch_that_failed(spark: SparkSession, start: str, tmp_path: Path) -> None:
    """It has written what its state would be, and none of it."""
    failing = TWO_COUNTS.replace("count(x)", "count(raise_error(k))")
    spark.sql(start + failing)
    failure(spark)
    assert shape(tmp_path / "checkpoint")
    spark.sql("DROP STREAMING QUERY q")
    finish(spark, start + TWO_COUNTS)
    items = shape(tmp_path / "checkpoint")["operators"][0]["parts"][1]["items"]
    assert items == ["count(int) [bigint]"] * 2


def test_a_checkpoint_that_began_with_a_silent_source(
    spark: SparkSession, start: str, tmp_path: Path
) -> None:
    """Spark alone wrote it, as eddyline did before: one buffer for both counts."""
    rows = TWO_COUNTS.partition(" EMIT ")[0]
    query = (
        spark.sql(rows.replace("STREAM b", "STREAM c"))
        .writeStream.foreachBatch(lambda batch, _: batch.collect() and None)
        .outputMode("update")
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    assert not (tmp_path / "checkpoint/eddyline").exists()
    insert(spark, FIRST)
    spark.sql(start + TWO_COUNTS.replace("STREAM b", "STREAM c"))
    error = failure(spark)
    assert "EDDYLINE_STREAMING_QUERY.STATE_DIFFERS" in error
    assert "RESET CHECKPOINT" in error


def test_validate_writes_no_shape(spark: SparkSession, start: str, tmp_path: Path) -> None:
    finish(spark, start + TWO_COUNTS)
    file = tmp_path / "checkpoint/eddyline/shape.json"
    file.unlink()
    spark.sql(f"VALIDATE STREAMING QUERY q {start.partition(' q ')[2]} {TWO_COUNTS}").collect()
    spark.sql("EXPLAIN STREAMING QUERY q").collect()
    assert not file.exists()
