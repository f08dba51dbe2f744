"""Many, large and deep statements through one sidecar, and a JVM that dies."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import AnalysisException, ParseException

from eddyline import lower_sql
from eddyline.jvm import sidecar_pid
from eddyline.session import settings
from parsers import our_parser, stock_parser
from waiting import eventually

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Room for Python's allocator: measured growth is zero, also over 4,000 statements.
GROWTH_KB = 2 << 10
DEPTH = 2000
OPEN, CLOSE = "(" * DEPTH, ")" * DEPTH
# How Spark overflows its stack; how soon depends on what the JVM has compiled so far.
TOO_DEEP = {"java.lang.StackOverflowError", "FAILED_TO_PARSE_TOO_COMPLEX"}
DEEP = {
    "around the clause": f"{OPEN}COGROUP a BY k, b BY k AGGREGATE count(*) AS n{CLOSE}",
    "around a branch": f"COGROUP {OPEN}a{CLOSE} BY k, b BY k AGGREGATE count(*) AS n",
    "in a condition": f"COGROUP a WHERE {OPEN}x{CLOSE} BY k, b BY k AGGREGATE count(*) AS n",
    "in a key": f"COGROUP a BY {OPEN}k{CLOSE}, b BY k AGGREGATE count(*) AS n",
    "in an aggregate": f"COGROUP a BY k, b BY k AGGREGATE {OPEN}count(*){CLOSE} AS n",
    "in HAVING": f"COGROUP a BY k, b BY k AGGREGATE 1 HAVING EVERY BRANCH AND {OPEN}x{CLOSE}",
    "beside": f"SELECT {OPEN}1{CLOSE} FROM (COGROUP a BY k, b BY k AGGREGATE count(*) AS n)",
    "never closed": f"COGROUP a BY {OPEN}k, b BY k AGGREGATE count(*) AS n",
    "never opened": f"COGROUP a BY k{CLOSE}, b BY k AGGREGATE count(*) AS n",
    "nested clauses": "COGROUP (" * 200 + "a" + ") BY k, b BY k AGGREGATE count(*)" * 200,
    "a chain of operators": f"COGROUP a BY {'k + ' * DEPTH}k, b BY k AGGREGATE count(*) AS n",
    "a run of keywords": f"COGROUP a WHERE {'AND ' * DEPTH}BY k, b BY k AGGREGATE count(*) AS n",
}
# A session in a process of its own; it waits for the end of its standard input.
DRIVER = """
import json, sys
from pyspark.sql import SparkSession
from eddyline.jvm import sidecar_pid
builder = SparkSession.builder
for key, value in json.loads(sys.argv[1]).items():
    builder = builder.config(key, value)
spark = builder.getOrCreate()
spark.sql("COGROUP range(2) AS a BY id, range(3) AS b BY id AGGREGATE count(*) AS n")
jvm = spark._jvm.java.lang.ProcessHandle.current().pid()
print(json.dumps({"sidecar": sidecar_pid(spark), "jvm": jvm}), flush=True)
sys.stdin.read()
"""


def _clause(number: int) -> str:
    return (
        f"COGROUP a WHERE v > {number} BY k AS key_{number}, b BY k "
        f"AGGREGATE count(a.*) AS n_{number}, sum(b.w + {number}) AS s HAVING EVERY BRANCH"
    )


def _memory(pid: int) -> int:
    """Returns the memory that is a process's own, so no pages of files, in kilobytes."""
    status = Path(f"/proc/{pid}/status").read_text()
    found = re.findall(r"^(?:RssAnon|VmSwap):\s+(\d+) kB", status, re.MULTILINE)
    assert len(found) == 2, status
    return sum(map(int, found))


def _ended(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return True
    return status.rpartition(")")[2].split()[0] == "Z"


def _outcome(parser: Any, text: str) -> str:
    """Returns `plan`, the condition of a refusal, or the Java exception."""
    try:
        parser.parsePlan(text)
    except (ParseException, AnalysisException) as error:
        return str(error.getCondition())
    except Py4JJavaError as error:
        return str(error.java_exception.getClass().getName())
    return "plan"


@pytest.fixture
def pid(spark: SparkSession) -> int:
    """Returns the process id of the running sidecar."""
    our_parser(spark).parsePlan(_clause(0))
    running = sidecar_pid(spark)
    assert running is not None
    return running


def test_a_thousand_statements(spark: SparkSession, pid: int) -> None:
    parser = our_parser(spark)
    for number in range(1, 101):
        parser.parsePlan(_clause(number))
    before = _memory(pid)
    for number in range(101, 1101):
        plan = parser.parsePlan(_clause(number)).toString()
        assert f"n_{number}" in plan
    assert sidecar_pid(spark) == pid
    assert _memory(pid) - before < GROWTH_KB


def test_a_large_statement(spark: SparkSession, pid: int) -> None:
    aggregates = ",\n".join(f"sum(a.amount + {i}) AS sum_{i}" for i in range(6000))
    text = f"SELECT '🌊' FROM (COGROUP a BY k, b BY k\nAGGREGATE {aggregates})"
    assert len(text) > 200_000
    plan = our_parser(spark).parsePlan(text).toString()
    assert "Cogroup" in plan or "CoGroup" in plan
    with pytest.raises(ParseException) as caught:
        our_parser(spark).parsePlan(text.replace("AS sum_5999", "AS sum_5999 AS again"))
    assert "line 6001" in str(caught.value)
    assert sidecar_pid(spark) == pid


def test_many_wide_characters(spark: SparkSession, pid: int) -> None:
    """Each is a place where offsets shift; with Spark's own mapper this took minutes."""
    waves = "🌊" * 300_000
    text = f"COGROUP a WHERE s = '{waves}' BY k, b BY k AGGREGATE count(*) AS n"
    plan = our_parser(spark).parsePlan(text).toString()
    assert "CoGroup" in plan
    with pytest.raises(ParseException) as caught:
        our_parser(spark).parsePlan(f"{text} AS again")
    assert f"(line 1, pos {len(text) + 1})" in str(caught.value)
    assert sidecar_pid(spark) == pid


@pytest.mark.parametrize("place", DEEP)
def test_deep_nesting(spark: SparkSession, pid: int, place: str) -> None:
    """Spark may even overflow its stack on the lowered text, but the sidecar lives on."""
    text = DEEP[place]
    outcome = _outcome(our_parser(spark), text)
    if outcome.startswith("EDDYLINE_"):
        assert outcome.startswith("EDDYLINE_COGROUP.")
    else:
        outcomes = {outcome, _outcome(stock_parser(spark), lower_sql(text))}
        assert len(outcomes) == 1 or outcomes & TOO_DEEP
    assert sidecar_pid(spark) == pid
    assert _outcome(our_parser(spark), _clause(1)) == "plan"


def test_a_killed_driver_leaves_no_orphan(tmp_path: Path) -> None:
    confs = {
        **settings({}),
        "spark.master": "local[1]",
        "spark.driver.memory": "1g",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.warehouse.dir": str(tmp_path / "warehouse"),
        "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
    }
    # the suite's own JVM is announced in the environment, and would be used instead of a new one
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PYSPARK_", "SPARK_"))}
    driver = subprocess.Popen(
        [sys.executable, "-c", DRIVER, json.dumps(confs)],
        cwd=tmp_path,
        env={**inherited, "SPARK_LOCAL_IP": "127.0.0.1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert driver.stdout is not None
        pids = json.loads(driver.stdout.readline())
        assert not _ended(pids["sidecar"])
        os.kill(pids["jvm"], signal.SIGKILL)
        eventually(lambda: _ended(pids["sidecar"]))
    finally:
        driver.kill()
        driver.communicate()
