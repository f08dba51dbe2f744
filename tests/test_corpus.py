"""Ordinary Spark SQL is never touched: its plan is the stock parser's, and no sidecar starts."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from eddyline import jvm, lower

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT / "tests/corpus"
FILES = ["ordinary.sql", "ambiguous.sql"]
OUR_WORDS = re.compile(
    r"\b(COGROUP|AGGREGATE|EMIT|ASSUME|GLOBAL|BRANCH|BRANCHES|EVERY|LEAST|STREAMING|START|STOP)\b",
    re.IGNORECASE,
)
# a text with this is searched for placeholders of clauses, and has none
SEARCHED = "/* __eddyline_ */ "
REFUSED = "refused: "
CONF = {
    # syntax that Spark 4.3 parses only on demand
    "spark.sql.join.asofJoin.enabled": "true",
    "spark.sql.scripting.cursorEnabled": "true",
    "spark.sql.scripting.continueHandlerEnabled": "true",
    # whole plans, not their first 25 fields
    "spark.sql.debug.maxToStringFields": "1000",
}
# what differs between two parses of one text: expression and plan ids, identity hashes, the
# labels that Spark gives to unlabelled blocks
ID = re.compile(r"#\d+L?|plan_id=\d+|@[0-9a-f]+\b|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
# the place of a parameter marker in its text
POSITION = re.compile(r"posparameter\(\d+\)")


def _statements(name: str) -> list[str]:
    if name == "docs":
        return _statements_of_docs()
    text = (CORPUS / name).read_text(encoding="utf-8")
    return [part.strip("\n") for part in re.split(r"^--;$", text, flags=re.MULTILINE)]


def _statements_of_docs() -> list[str]:
    """The statements of README and docs that hold no clause of ours."""
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "sql/examples").iterdir()]
    blocks = [
        block
        for page in pages
        for block in (
            [page.read_text("utf-8")]
            if page.suffix == ".sql"
            else re.findall(r"```sql\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
        )
    ]
    statements = (part.strip() for block in blocks for part in block.split(";\n"))
    return [statement for statement in statements if statement and lower(statement) == statement]


def _jvm(spark: SparkSession) -> Any:
    return spark._jvm


def _our_parser(spark: SparkSession) -> Any:
    return spark._jsparkSession.sessionState().sqlParser()


def _stock_parser(spark: SparkSession) -> Any:
    return _jvm(spark).org.apache.spark.sql.execution.SparkSqlParser()


def _plan(spark: SparkSession, parser: Any, statement: str) -> str:
    """The plan as text: each argument of the root, for a command's own text hides its query."""
    try:
        plan = parser.parsePlan(statement)
    except (PySparkException, Py4JJavaError) as error:
        return f"{REFUSED}{error}"
    return ID.sub("<id>", _jvm(spark).scala.runtime.ScalaRunTime._toString(plan))


def _difference(stock: str, ours: str) -> str:
    lines = difflib.unified_diff(stock.splitlines(), ours.splitlines(), "stock", "ours", n=0)
    return "\n".join(lines)


def _failures(spark: SparkSession, name: str) -> Iterator[str]:
    """What our parser does to the statements of a file beyond what Spark's does."""
    stock_parser, our_parser = _stock_parser(spark), _our_parser(spark)
    assert stock_parser.getClass().getSimpleName() == "SparkSqlParser"
    assert our_parser.getClass().getSimpleName() == "EddylineParser"
    jvm.stop_sidecar(spark)
    for statement in _statements(name):
        stock = _plan(spark, stock_parser, statement)
        if stock.startswith(REFUSED):
            yield f"{statement}\n{stock}"
            continue
        ours = _plan(spark, our_parser, statement)
        if stock != ours:
            yield f"{statement}\n{_difference(stock, ours)}"
        searched = POSITION.sub("?", _plan(spark, our_parser, SEARCHED + statement))
        if POSITION.sub("?", stock) != searched:
            yield f"{SEARCHED}{statement}\n{_difference(stock, searched)}"
        if jvm.sidecar_pid(spark) is not None:
            yield f"{statement}\nstarted the sidecar"
            jvm.stop_sidecar(spark)


@pytest.fixture
def session(spark: SparkSession) -> Iterator[SparkSession]:
    """`spark`, which Spark's parser takes its confs from while the test runs."""
    sessions = _jvm(spark).org.apache.spark.sql.classic.SparkSession
    before = sessions.getActiveSession()
    for key, value in CONF.items():
        spark.conf.set(key, value)
    sessions.setActiveSession(spark._jsparkSession)
    yield spark
    if before.isDefined():
        sessions.setActiveSession(before.get())
    else:
        sessions.clearActiveSession()


@pytest.mark.parametrize("name", [*FILES, "docs"])
def test_plans_are_sparks_own(session: SparkSession, name: str) -> None:
    failures = list(_failures(session, name))
    assert not failures, "\n\n".join(failures)
    assert jvm.sidecar_pid(session) is None


def test_the_corpus_is_large_enough() -> None:
    ordinary, ambiguous = map(_statements, FILES)
    assert len(ordinary) >= 320
    assert len(ambiguous) >= 100
    assert sum(bool(OUR_WORDS.search(statement)) for statement in ordinary) >= 60


@pytest.mark.parametrize("name", FILES)
def test_no_statement_is_there_twice(name: str) -> None:
    without_comments = (re.sub(r"^--.*\n", "", part, flags=re.M) for part in _statements(name))
    counts = Counter(" ".join(statement.split()) for statement in without_comments)
    assert [statement for statement, count in counts.items() if count > 1] == []


def test_each_ambiguity_is_explained() -> None:
    unexplained = [
        part for part in _statements("ambiguous.sql") if not part.startswith("-- Spark: ")
    ]
    assert unexplained == []
