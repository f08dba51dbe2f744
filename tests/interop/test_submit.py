"""A Java and a Scala program that spark-submit runs, with nothing but the jar on its class path."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from interop.launch import confs, launcher, run
from interop.program import LANGUAGES, compiled
from interop.shop import COGROUP, ROWS, SYNTAX_ERROR, TYPE_MISMATCH, VIEWS

SHOP = [dict(zip(("customer_id", "in_cart", "spent"), row, strict=True)) for row in ROWS]
ORDERED = f"{COGROUP} ORDER BY customer_id"
DAYS = "SELECT day, count(*) AS n FROM visits ASSUME PARTITIONED BY (day) GROUP BY day"
LOOKUP = (
    "SELECT f.k, name FROM VALUES (1), (3) AS f(k) LEFT JOIN names AS g ON f.k = g.k ORDER BY k"
)
TOPS = "SELECT k, max(v) AS top FROM STREAM samples GROUP BY k EMIT ON CHANGE"


@pytest.fixture(scope="module", params=LANGUAGES)
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the jar of the program in one of the languages."""
    return compiled(request.param, tmp_path_factory.mktemp(request.param))


def submit(program: Path, scratch: Path, *statements: str) -> list[Any]:
    """Returns the answers that the program prints."""
    command = launcher("spark-submit", confs(scratch), "--class", "Statements", str(program))
    done = run([*command, *statements], scratch)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_batch(program: Path, tmp_path: Path) -> None:
    answers = submit(
        program,
        tmp_path,
        *VIEWS,
        ORDERED,
        SYNTAX_ERROR,
        TYPE_MISMATCH,
        f"CREATE VIEW joined AS {COGROUP}",
        f"CREATE TABLE copy USING parquet AS {COGROUP} HAVING EVERY BRANCH",
        "INSERT INTO copy SELECT * FROM joined WHERE in_cart = 0",
        "SELECT spent FROM copy ORDER BY ALL",
        "CREATE TABLE visits USING parquet PARTITIONED BY (day) AS "
        "SELECT id AS item, id % 3 AS day FROM range(12)",
        f"{DAYS} ORDER BY day",
        f"EXPLAIN CLAUSES {DAYS}",
        "CHECK ASSUMPTION ON visits PARTITIONED BY (day)",
    )
    rows, syntax, analysis, *_, copied, _, days, explained, violations = answers[2:]
    assert rows == SHOP
    at = SYNTAX_ERROR.index(", count")
    assert syntax == ["EDDYLINE_COGROUP.SYNTAX_ERROR", "42601", ",", at]
    at = TYPE_MISMATCH.index("buyer")
    assert analysis == ["EDDYLINE_COGROUP.KEY_TYPE_MISMATCH", "42K09", "buyer", at]
    assert copied == [{"spent": 7}, {"spent": 9}]
    assert days == [{"day": day, "n": 4} for day in range(3)]
    assert [row["outcome"] for row in explained] == ["USED", "SAVED"]
    assert violations == []


def test_streams_and_global_table(program: Path, tmp_path: Path) -> None:
    query = (
        f"STREAMING QUERY tops CHECKPOINT '{tmp_path}/checkpoint' TRIGGER AVAILABLE NOW "
        f"AS INSERT INTO emitted WITH BATCH ID batch {TOPS}"
    )
    status = "STREAMING QUERY tops"
    emitted = "SELECT * FROM emitted ORDER BY ALL"
    answers = submit(
        program,
        tmp_path,
        "CREATE TABLE samples (k INT, v INT) USING parquet",
        "CREATE TABLE emitted (k INT, top INT, batch BIGINT) USING parquet",
        "INSERT INTO samples VALUES (1, 5), (2, 7)",
        TOPS,
        f"CREATE TABLE refused AS {TOPS}",
        f"START {query}",
        f"AWAIT {status}",
        emitted,
        "INSERT INTO samples VALUES (1, 3), (2, 8)",
        f"START {status}",
        f"AWAIT {status}",
        emitted,
        "SHOW STREAMING QUERIES",
        f"STOP {status}",
        f"DROP {status}",
        "CREATE TABLE source USING parquet AS SELECT 1 AS k, 'one' AS name",
        "CREATE GLOBAL TABLE names PRIMARY KEY (k) REFRESH MANUAL AS SELECT * FROM source",
        LOOKUP,
        "INSERT INTO source VALUES (3, 'three')",
        "REFRESH GLOBAL TABLE names",
        LOOKUP,
        "DROP GLOBAL TABLE names",
    )
    by_program, refused, started, _, first, *_, both, shown, stopped, dropped = answers[3:15]
    assert sorted(by_program, key=str) == [{"k": 1, "top": 5}, {"k": 2, "top": 7}]
    at = f"CREATE TABLE refused AS {TOPS}".index("EMIT")
    assert refused == ["EDDYLINE_EMIT.STREAM_NOT_STARTED", "0A000", "EMIT ON CHANGE", at]
    assert started[0]["status"] in ("RUNNING", "FINISHED")
    old = [{"k": 1, "top": 5, "batch": 0}, {"k": 2, "top": 7, "batch": 0}]
    assert (first, both) == (old, [*old, {"k": 2, "top": 8, "batch": 1}])
    assert [row["name"] for row in shown] == ["tops"]
    assert [stopped[0]["status"], dropped[0]["status"]] == ["FINISHED", "DROPPED"]
    _, created, before, _, refreshed, after, removed = answers[15:]
    assert [created[0]["rows"], refreshed[0]["rows"]] == [1, 2]
    assert before == [{"k": 1, "name": "one"}, {"k": 3, "name": None}]
    assert after == [{"k": 1, "name": "one"}, {"k": 3, "name": "three"}]
    assert removed[0]["status"] == "DROPPED"
