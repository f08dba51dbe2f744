"""Ordinary Spark SQL has the plan of Spark's own parser, and starts no sidecar."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from eddyline.jvm import sidecar_pid, stop_sidecar
from eddyline.versions import is_newest
from parsers import HAS_FIRST_WORD, ID, jvm, our_parser, parsing, statements, stock_parser

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

FILES = ["ordinary.sql", "ambiguous.sql"]
# a text with this comment is searched for placeholders of clauses, and has none
SEARCHED = "/* __eddyline_ */ "
REFUSED = "refused: "
# the place of a parameter marker in its text
POSITION = re.compile(r"posparameter\(\d+\)")
# before Spark 4.2 the parser draws the seed of a TABLESAMPLE without one
DRAWN_SEED = re.compile(r"('Sample .*), \d+$", re.MULTILINE)


def _plan(spark: SparkSession, parser: Any, statement: str) -> str:
    """Returns the plan as text with the root's arguments, as a command's text hides its query."""
    try:
        plan = parser.parsePlan(statement)
    except (PySparkException, Py4JJavaError) as error:
        return f"{REFUSED}{error}"
    text = ID.sub("<id>", jvm(spark).scala.runtime.ScalaRunTime._toString(plan))
    return DRAWN_SEED.sub(r"\1", text)


def _difference(stock: str, ours: str) -> str:
    lines = difflib.unified_diff(stock.splitlines(), ours.splitlines(), "stock", "ours", n=0)
    return "\n".join(lines)


def _failures(spark: SparkSession, name: str) -> Iterator[str]:
    """Yields the differences between our parser and Spark's in the statements of a file."""
    sparks, eddylines = stock_parser(spark), our_parser(spark)
    assert sparks.getClass().getSimpleName() == "SparkSqlParser"
    assert eddylines.getClass().getSimpleName() == "EddylineParser"
    stop_sidecar(spark)
    for statement in statements(name):
        stock = _plan(spark, sparks, statement)
        ours = _plan(spark, eddylines, statement)
        if stock.startswith(REFUSED):
            # an older Spark refuses what only the newest can parse
            if is_newest(spark.version) or not ours.startswith(REFUSED):
                yield f"{statement}\n{stock}\n{ours}"
            continue
        if stock != ours:
            yield f"{statement}\n{_difference(stock, ours)}"
        searched = POSITION.sub("?", _plan(spark, eddylines, SEARCHED + statement))
        if POSITION.sub("?", stock) != searched:
            yield f"{SEARCHED}{statement}\n{_difference(stock, searched)}"
        if sidecar_pid(spark) is not None:
            yield f"{statement}\nstarted the sidecar"
            stop_sidecar(spark)


@pytest.mark.parametrize("name", [*FILES, "docs"])
def test_plans_are_sparks_own(spark: SparkSession, name: str) -> None:
    with parsing(spark):
        failures = list(_failures(spark, name))
    assert not failures, "\n\n".join(failures)
    assert sidecar_pid(spark) is None


def test_the_corpus_is_large_enough() -> None:
    ordinary, ambiguous = map(statements, FILES)
    assert len(ordinary) >= 320
    assert len(ambiguous) >= 100
    assert sum(bool(HAS_FIRST_WORD.search(statement)) for statement in ordinary) >= 60


@pytest.mark.parametrize("name", FILES)
def test_no_statement_is_there_twice(name: str) -> None:
    without_comments = (re.sub(r"^--.*\n", "", part, flags=re.M) for part in statements(name))
    counts = Counter(" ".join(statement.split()) for statement in without_comments)
    assert [statement for statement, count in counts.items() if count > 1] == []


def test_each_ambiguity_is_explained() -> None:
    unexplained = [
        part for part in statements("ambiguous.sql") if not part.startswith("-- Spark: ")
    ]
    assert unexplained == []
