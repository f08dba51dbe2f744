"""What `eddyline sql` prints of rows; nothing is lost, in no form."""

from __future__ import annotations

import base64
import csv
import json
import os
import signal
import sys
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException

from eddyline import EddylineError
from eddyline.cli import output
from eddyline.cli.output import FORMATS
from eddyline.cli.runner import Runner
from eddyline.lowering.statements import Statement
from waiting import eventually

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

VALUES = """
    SELECT struct(1 AS n, 'a' AS s, NULL AS u) AS record, map('k', 1.50) AS pairs,
      X'00FF' AS bytes, array(X'01') AS nested, NULL AS nothing, '' AS empty,
      'a,"b"|\n\tc' AS text, TIMESTAMP '2026-01-02 03:04:05.5' AS at, INTERVAL '1' DAY AS day,
      1e10D AS large, 1 AS twice, 2 AS twice"""
NAMES = "record pairs bytes nested nothing empty text at day large twice twice".split()
SHOWN = ["{1, a, NULL}", "{k -> 1.50}", "[00 FF]", "[[01]]", None, ""]
SHOWN += ['a,"b"|\n\tc', "2026-01-02 03:04:05.5", "INTERVAL '1' DAY", "1.0E10", "1", "2"]


@pytest.fixture
def printed(spark: SparkSession, capsys: pytest.CaptureFixture[str]):
    def run(sql: str, form: str = "table", *, vertical: bool = False) -> str:
        Runner(spark, form).run(Statement(sql, vertical))
        return capsys.readouterr().out

    return run


def test_csv(printed) -> None:
    out = printed(VALUES, "csv")
    assert list(csv.reader(out.splitlines(keepends=True))) == [NAMES, [v or "" for v in SHOWN]]
    assert '"[[01]]"' not in out
    assert ',,"",' in out, "NULL differs from an empty text"


def test_json(printed) -> None:
    out = printed(VALUES + ", CAST(NULL AS INT) AS missing", "json")
    pairs = json.loads(out, object_pairs_hook=list)
    assert [name for name, _ in pairs] == [*NAMES, "missing"]
    row = json.loads(out)
    assert row["record"] == {"n": 1, "s": "a", "u": None}
    assert row["bytes"] == base64.b64encode(b"\x00\xff").decode()
    assert row["missing"] is None
    assert printed("SELECT id AS k, CAST(NULL AS INT) AS n FROM range(2)", "json") == (
        '{"k":0,"n":null}\n{"k":1,"n":null}\n'
    )


def test_table_in_a_file_has_its_full_width(printed) -> None:
    wide = "x" * 500
    out = printed(f"SELECT 'a' AS k, 7 AS n, '{wide}' AS text UNION ALL SELECT NULL, 12, 'y\\tz'")
    assert out.splitlines() == [
        f"+----+--+{'-' * 500}+",
        f"|k   | n|{'text':<500}|",
        f"+----+--+{'-' * 500}+",
        f"|a   | 7|{wide}|",
        f"|NULL|12|{'y' + chr(92) + 'tz':<500}|",
        f"+----+--+{'-' * 500}+",
    ]


def test_table_that_does_not_fit_the_terminal(printed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output.sys, "stdout", Terminal(output.sys.stdout))
    monkeypatch.setenv("COLUMNS", "20")
    assert printed("SELECT 1 AS n, 'a' AS k") == "+-+-+\n|n|k|\n+-+-+\n|1|a|\n+-+-+\n"
    assert printed("SELECT 1 AS number, repeat('a', 20) AS k") == (
        "-RECORD 0-\n number | 1\n k      | aaaaaaaaaaaaaaaaaaaa\n"
    )


class Terminal:
    """Standard output that says it is a terminal."""

    def __init__(self, out: object) -> None:
        self._out = out

    def isatty(self) -> bool:
        return True

    def __getattr__(self, name: str) -> object:
        return getattr(self._out, name)


def test_vertical(printed) -> None:
    expected = "-RECORD 0-\n k | 0\n-RECORD 1-\n k | 1\n"
    assert printed("SELECT id AS k FROM range(2)", "vertical") == expected
    assert printed("SELECT id AS k FROM range(2)", "csv", vertical=True) == expected


def test_markdown(printed) -> None:
    assert printed("SELECT 'a|b\nc' AS k, 1 AS n", "markdown") == (
        "| k | n |\n|---|---:|\n| a\\|b<br>c | 1 |\n"
    )


def test_a_plan_is_printed_as_it_is(printed) -> None:
    assert printed("EXPLAIN SELECT 1").startswith("== Physical Plan ==\n*(1) Project")


def test_the_function_of_texts_has_one_argument(spark: SparkSession) -> None:
    assert spark.sql("SELECT __eddyline_text(array(1, NULL))").collect() == [("[1, NULL]",)]
    with pytest.raises(AnalysisException) as caught:
        spark.sql("SELECT __eddyline_text(1, 2)")
    assert caught.value.getCondition() == "EDDYLINE_PLACEHOLDER"


@pytest.mark.parametrize("form", FORMATS)
def test_no_rows_and_no_columns(printed, form: str) -> None:
    assert ("k" in printed("SELECT 1 AS k WHERE false", form)) == (form not in ("json", "vertical"))
    assert printed("CREATE TEMPORARY VIEW v AS SELECT 1", form) == ""


@pytest.fixture
def interrupts() -> Iterator[None]:
    """Handles interrupts as `open_session` does; pyspark's own handler cancels all jobs."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_a_stream_is_followed_only_on_demand(
    spark: SparkSession, capsys: pytest.CaptureFixture[str], interrupts: None
) -> None:
    spark.sql("CREATE TABLE readings (k STRING, v INT) USING parquet")
    spark.sql("INSERT INTO readings VALUES ('a', 1), ('a', 2)")
    query = Statement("SELECT k, max(v) AS top FROM STREAM readings GROUP BY k EMIT ON CHANGE")
    with pytest.raises(EddylineError) as caught:
        Runner(spark).run(query)
    assert caught.value.condition == "EDDYLINE_FOLLOW.NOT_REQUESTED"
    Runner(spark, follows=True, available_now=True).run(query)
    out, err = capsys.readouterr()
    assert out == "+-+---+\n|k|top|\n+-+---+\n|a|  2|\n+-+---+\n"
    assert err == "1 row\n"

    def interrupt() -> None:
        eventually(lambda: '"top":2}\n' in sys.stdout.getvalue())  # which capsys has replaced
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        Runner(spark, "json", follows=True).run(query)
    assert capsys.readouterr() == ('{"k":"a","top":2}\n', "1 row\n")
    assert spark.streams.active == []


def test_an_interrupt_cancels_the_statement(spark: SparkSession, interrupts: None) -> None:
    tracker = spark.sparkContext.statusTracker()

    eventually(lambda: not tracker.getActiveJobsIds())  # none of another test

    def interrupt() -> None:
        eventually(tracker.getActiveJobsIds)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        Runner(spark).run(Statement("SELECT sum(hash(id)) FROM range(1e13)"))
    eventually(lambda: not tracker.getActiveJobsIds())
    assert spark.range(4).selectExpr("sum(id)").collect() == [(6,)]
