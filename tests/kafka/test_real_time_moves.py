"""Queries in real-time mode that get another trigger or definition within a micro-batch."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException

from checkpoints import await_commit
from kafka.test_real_time import LONG, ONE_TASK
from kafka.topics import Topic
from waiting import eventually

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.since("4.3")

NOW = "TRIGGER AVAILABLE NOW"
SUM = "sum(int(string(value)))"
SUMS = f"SELECT string(key), string({SUM}) FROM STREAM {{source}} GROUP BY string(key)"
LOSES_STATE = "EDDYLINE_STREAMING_QUERY.LOSES_STATE"


def test_a_format_that_real_time_mode_cannot_continue_is_refused(
    spark: SparkSession, make: Callable[[str], Topic], tmp_path: Path
) -> None:
    source, out = make("formats"), make("continued")
    into = (
        f"AS INSERT INTO {out.name} (key, value) {SUMS.format(source=source.name)} EMIT ON CHANGE"
    )
    source.write([("a", "1")])
    spark.sql(f"CREATE STREAMING QUERY q {NOW} {ONE_TASK} {into}")
    spark.sql("AWAIT STREAMING QUERY q")
    found = spark.sql(f"VALIDATE STREAMING QUERY q {LONG} {ONE_TASK} {into}").collect()
    assert [row.part for row in found if row.verdict != "keeps state"] == ["TRIGGER"], found
    replace = f"CREATE OR REPLACE STREAMING QUERY q {{}} {LONG} {ONE_TASK} {into}"
    assert refused(spark, replace.format("")) == LOSES_STATE
    assert "AVAILABLE NOW" in spark.sql("SHOW STREAMING QUERIES").first().trigger
    checkpoint = f"CHECKPOINT '{tmp_path}/checkpoints/q'"
    spark.sql("DROP STREAMING QUERY q")
    statement = f"START STREAMING QUERY q {LONG} {checkpoint} {ONE_TASK} {into}"
    assert refused(spark, statement) == "EDDYLINE_STREAMING_QUERY.REAL_TIME_CHECKPOINT"
    spark.sql(f"CREATE STREAMING QUERY q {NOW} {checkpoint} {ONE_TASK} {into}")
    spark.sql("AWAIT STREAMING QUERY q")
    spark.sql(replace.format("RESET CHECKPOINT"))
    source.write([("a", "2")])
    eventually(lambda: out.records() == [("a", "1"), ("a", "1"), ("a", "3")])


@pytest.mark.parametrize(
    ("query", "trigger", "keeps_state"),
    [
        (f"{SUMS} EMIT ON CHANGE", NOW, True),
        ("SELECT string(key), string(value) FROM STREAM {source}", NOW, False),
        ("SELECT string(key), string(value) FROM STREAM {other}", LONG, False),
        (f"{SUMS.replace('sum', 'max')} EMIT ON CHANGE", LONG, False),
    ],
    ids=["trigger", "no_aggregate", "other_topic", "aggregate"],
)
def test_a_query_has_begun_before_its_first_commit(
    spark: SparkSession, make: Callable[[str], Topic], query: str, trigger: str, keeps_state: bool
) -> None:
    source, other, out = make("begun"), make("begun_other"), make("begun_out")
    into = f"{ONE_TASK} AS INSERT INTO {out.name} (key, value) "
    sums = into + SUMS.format(source=source.name) + " EMIT ON CHANGE"
    spark.sql(f"CREATE STREAMING QUERY q {LONG} {sums}")
    source.write([("a", "5")])
    eventually(lambda: out.records() == [("a", "5")])
    spark.sql("STOP STREAMING QUERY q")
    changed = f"{trigger} {into} " + query.format(source=source.name, other=other.name)
    found = spark.sql(f"VALIDATE STREAMING QUERY q {changed}").collect()
    assert all(row.verdict == "keeps state" for row in found) == keeps_state
    replace = f"CREATE OR REPLACE STREAMING QUERY q {changed}"
    if keeps_state:
        source.write([("a", "2")])
        spark.sql(replace)
        spark.sql("AWAIT STREAMING QUERY q")
        assert out.records()[-1] == ("a", "7")
    else:
        assert refused(spark, replace) == LOSES_STATE
        spark.sql("START STREAMING QUERY q")
        eventually(lambda: out.records() == [("a", "5")] * 2)


def refused(spark: SparkSession, statement: str) -> str | None:
    """Returns the condition with which a statement is refused."""
    with pytest.raises(AnalysisException) as caught:
        spark.sql(statement)
    return caught.value.getCondition()


HAVING = f"{SUMS} HAVING {SUM} > 3 EMIT ON CHANGE WITH CHANGE TYPE"


@pytest.mark.parametrize("query", [HAVING, f"{SUMS} EMIT ON CHANGE"], ids=["having", "sum"])
@pytest.mark.parametrize("trigger", [NOW, "TRIGGER REAL TIME 5 SECONDS"], ids=["now", "real_time"])
def test_the_next_run_replaces_the_rows_of_a_lost_micro_batch(
    spark: SparkSession,
    make: Callable[[str], Topic],
    tmp_path: Path,
    query: str,
    trigger: str,
) -> None:
    """It sees all records of a key at once, so its state is what it was before the lost rows."""
    source, out = make("lost"), make("lost_out")
    into = f"{ONE_TASK} AS INSERT INTO {out.name} (key, value) {query.format(source=source.name)}"
    spark.sql(f"CREATE STREAMING QUERY q TRIGGER REAL TIME 5 SECONDS {into}")
    source.write([("b", "9")])
    eventually(lambda: out.records() == [("b", "9")])
    await_commit(tmp_path / "checkpoints/q")
    spark.sql(f"CREATE OR REPLACE STREAMING QUERY q {LONG} {into}")
    source.write([("a", "5"), ("b", "1")])
    eventually(lambda: {*out.records()} >= {("a", "5"), ("b", "10")})
    spark.sql("STOP STREAMING QUERY q")
    source.write([("a", "-5"), ("b", "-1")])
    spark.sql(f"CREATE OR REPLACE STREAMING QUERY q {trigger} {into}")
    batch = {"a": None if "HAVING" in query else "0", "b": "9"}
    eventually(lambda: dict(out.records()) == batch)
    record = tmp_path / "checkpoints/q/eddyline/answering"
    if trigger == NOW:
        spark.sql("AWAIT STREAMING QUERY q")
        source.write([("b", "0")])
        spark.sql("START STREAMING QUERY q")
        spark.sql("AWAIT STREAMING QUERY q")
        assert dict(out.records()) == batch
        assert not record.exists()
    else:
        eventually(lambda: json.loads(record.read_text())["ends"] == [])


@pytest.mark.parametrize("damaged", [False, True])
def test_a_reset_replaces_lost_rows(
    spark: SparkSession, make: Callable[[str], Topic], tmp_path: Path, damaged: bool
) -> None:
    source, out = make("reset"), make("reset_out")
    into = f"{ONE_TASK} AS INSERT INTO {out.name} (key, value) {HAVING.format(source=source.name)}"
    spark.sql(f"CREATE STREAMING QUERY q {LONG} {into}")
    source.write([("a", "5")])
    eventually(lambda: out.records() == [("a", "5")])
    spark.sql("STOP STREAMING QUERY q")
    if damaged:
        (tmp_path / "checkpoints/q/eddyline/answering").write_text('{"batch": 0')
        condition = "EDDYLINE_STREAMING_QUERY.CHECKPOINT_DAMAGED"
        assert refused(spark, "START STREAMING QUERY q") == condition
    source.write([("a", "-5")])
    spark.sql(f"CREATE OR REPLACE STREAMING QUERY q RESET CHECKPOINT {NOW} {into}")
    spark.sql("AWAIT STREAMING QUERY q")
    assert out.records() == [("a", "5"), ("a", None)]


@pytest.mark.parametrize("stopped", [True, False])
def test_the_old_text_judges_the_records_of_a_lost_micro_batch(
    spark: SparkSession, make: Callable[[str], Topic], stopped: bool
) -> None:
    """The records of the old text are in the state, those that come later pass the new filter."""
    source, out = make("judged"), make("judged_out")
    less = SUMS.replace("GROUP", "WHERE int(string(value)) < 100 GROUP")
    old, new = (
        f"{LONG} {ONE_TASK} AS INSERT INTO {out.name} (key, value) "
        f"{query.format(source=source.name)} EMIT ON CHANGE WITH CHANGE TYPE"
        for query in (SUMS, less)
    )
    spark.sql(f"CREATE STREAMING QUERY q {old}")
    source.write([("a", "500"), ("b", "1")])
    eventually(lambda: dict(out.records()) == {"a": "500", "b": "1"})
    if stopped:
        spark.sql("STOP STREAMING QUERY q")
        source.write([("c", "600")])
    spark.sql(f"CREATE OR REPLACE STREAMING QUERY q {new}")
    source.write([("a", "700"), ("a", "1"), ("b", "1")])
    batch = {"a": "501", "b": "2"} | ({"c": "600"} if stopped else {})
    eventually(lambda: dict(out.records()) == batch)


def test_an_old_text_that_fails_keeps_its_definition(
    spark: SparkSession, make: Callable[[str], Topic]
) -> None:
    source, out = make("failing"), make("failing_out")
    checked = (
        "SELECT string(key), if(string(value) = '0', raise_error('zero'), string(value)) "
        "FROM STREAM {} WHERE {}"
    )
    start = f"STREAMING QUERY q {LONG} {ONE_TASK} AS INSERT INTO {out.name} (key, value) "
    spark.sql(f"CREATE {start} {checked.format(source.name, 'true')}")
    source.write([("a", "1")])
    eventually(lambda: out.records() == [("a", "1")])
    source.write([("a", "0")])
    eventually(lambda: spark.sql("SHOW STREAMING QUERIES").first().status == "FAILED")
    replace = f"{start} {checked.format(source.name, 'int(string(value)) > 0')}"
    condition = "EDDYLINE_STREAMING_QUERY.ANSWERS_NOT_COMMITTED"
    assert refused(spark, f"CREATE OR REPLACE {replace}") == condition
    assert "> 0" not in spark.sql("SHOW CREATE STREAMING QUERY q").first()[0]
    spark.sql("STOP STREAMING QUERY q")
    answered = len(out.records())  # by the old one, each time that it was started again
    spark.sql(f"CREATE OR REPLACE {replace.replace('QUERY q', 'QUERY q RESET CHECKPOINT')}")
    source.write([("a", "2")])
    eventually(lambda: out.records()[answered:] == [("a", "1"), ("a", "2")])


def test_a_delete_is_repeated_without_a_stored_row(
    spark: SparkSession, make: Callable[[str], Topic], people: Callable[[str], None]
) -> None:
    source, out = make("deleted"), make("deleted_out")
    spark.sql(
        f"START STREAMING QUERY q {LONG} {ONE_TASK} AS INSERT INTO {out.name} (key, value) "
        "SELECT k, name, _change_type FROM ("
        f"SELECT string(s.key) AS k, g.name FROM STREAM {source.name} AS s "
        "LEFT JOIN known AS g ON g.id = string(s.key) "
        "EMIT ON CHANGE KEY (k) APPLY AS DELETE WHEN name IS NULL WITH CHANGE TYPE)"
    )
    source.write([("a", "")])
    eventually(lambda: out.records() == [("a", "old")])
    spark.sql("STOP STREAMING QUERY q")
    people("NULL")
    spark.sql("START STREAMING QUERY q")
    eventually(lambda: out.records() == [("a", "old"), ("a", None)])


def test_a_later_micro_batch_replaces_lost_rows(
    spark: SparkSession,
    make: Callable[[str], Topic],
    tmp_path: Path,
    people: Callable[[str], None],
) -> None:
    """The run that comes after a lost micro-batch reads its records in several ones."""
    source, out = make("far"), make("far_out")
    into = (
        f"{ONE_TASK} AS INSERT INTO {out.name} (key, value) SELECT k, name FROM ("
        "SELECT string(s.key) AS k, g.name FROM (SELECT * FROM STREAM "
        f"{source.name} WHERE string(value) <> 'slow' OR "
        "length(reflect('java.lang.Thread', 'sleep', 1500L)) > 0) AS s "
        "LEFT JOIN known AS g ON g.id = string(s.key) EMIT ON CHANGE KEY (k))"
    )
    spark.sql(f"START STREAMING QUERY q TRIGGER REAL TIME 5 SECONDS {into}")
    source.write([("a", "")])
    eventually(lambda: out.records() == [("a", "old")])
    await_commit(tmp_path / "checkpoints/q")
    spark.sql("DROP STREAMING QUERY q")
    spark.sql(f"START STREAMING QUERY q {LONG} {into}")
    people("'new'")
    source.write([*((f"s{number}", "slow") for number in range(8)), ("a", "")])
    eventually(lambda: out.records()[-1] == ("a", "new"))
    spark.sql("DROP STREAMING QUERY q")
    people("'old'")
    spark.sql(f"START STREAMING QUERY q TRIGGER REAL TIME 5 SECONDS {into}")
    eventually(lambda: out.records()[-1] == ("a", "old"))


@pytest.fixture
def people(spark: SparkSession) -> Iterator[Callable[[str], None]]:
    """Yields what gives `a` a name in the global table `known`; it is `old` at first."""

    def call(name: str) -> None:
        spark.sql(f"INSERT OVERWRITE people VALUES ('a', {name})")
        spark.sql("REFRESH GLOBAL TABLE known")

    spark.sql("CREATE TABLE people (id STRING, name STRING) USING parquet")
    spark.sql("INSERT INTO people VALUES ('a', 'old')")
    spark.sql(
        "CREATE GLOBAL TABLE known PRIMARY KEY (id) REFRESH MANUAL AS SELECT id, name FROM people"
    )
    yield call
    spark.sql("DROP GLOBAL TABLE known")
