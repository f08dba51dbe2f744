"""Mutated statements, which never crash or hang the parser, and never change their meaning.

Spark's own parser is the oracle: what it accepts must mean the same to ours, and what it throws
on a text without a clause is what ours may throw.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from py4j.protocol import Py4JJavaError
from pyspark.errors import AnalysisException, ParseException, PySparkException

from eddyline.jvm import stop_sidecar
from goldenfiles import error_place, read_golden
from parsers import HAS_FIRST_WORD, ID, KEYWORDS, jvm, our_parser, parsing, statements, stock_parser
from properties.examples import repeated

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

GOLDEN = Path(__file__).parents[1] / "golden"
# The sidecar is killed if an example takes longer, which then fails with a named error.
TIMEOUT = "60s"
TOKEN = re.compile(
    r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|`[^`]*`|/\*.*?\*/"
    r"|--(?:\\\n|[^\n])*"  # a backslash at the end of its line continues a comment
    r"|\s+|\d[\w.]*|\w+|[<>=!|:]+|.",
    re.DOTALL,
)
ORDINARY = statements("ordinary.sql")
CLAUSES = [
    block.sql
    for path in sorted(GOLDEN.rglob("*.sql"))
    for block in read_golden(path).blocks
    if HAS_FIRST_WORD.search(block.sql)
]
OURS = [
    *KEYWORDS,
    *(
        "2",
        "__eddyline_cogroup(",
        "__eddyline_keys",
        "__eddyline_using",
        "COGROUP(a)",
        "AGGREGATE,",
    ),
]
CLAUSE = "(COGROUP a BY k, b BY k AGGREGATE count(*) AS n)"
THEIRS = (
    "SELECT FROM UNION ALL ORDER LIMIT BEGIN END CREATE VIEW EXPLAIN LATERAL JOIN OVER CASE END "
    "NULL a.k count(*) `q` 'x' \"y\" 1e3 1.5BD x'1F' :p ? * . , ; |> -> => :: ${x} {df} @ # \\ ~"
).split()
NOISE = [
    *("'", '"', "`", "(", ")", "[", "]", "{", "}", "/*", "*/", "/*+", "--", "$$"),
    *("🌊", "'🌊🌊'", "/* 🌊 */", "é", "\u3000", "\n", "\r\n", "\t", "-- COGROUP\n"),
    *("/* COGROUP a BY */", "/* /* nested */ */", "/* __eddyline_ */", "-- '\n", "'x'"),
]
TRIVIA = ["\n", "\t", "/* COGROUP x BY ' */", "-- BY k, 🌊 (\n", "/* , AGGREGATE */ ", "\r\n"]
# A command's plan holds its text as typed, so respelling shows in it.
BEGINS_QUERY = re.compile(r"(--.*\n|\s)*(COGROUP|FROM|SELECT|WITH)\b", re.IGNORECASE)
# A quote that is not closed would be, by one in a comment.
RESPELLED = [
    sql
    for sql in CLAUSES
    if BEGINS_QUERY.match(sql) and not {"'", '"', "`"} & set(TOKEN.findall(sql))
]
PLACE = re.compile(r"line (\d+),? pos (\d+)")

WORDS = st.one_of(st.sampled_from(OURS), st.sampled_from(THEIRS), st.sampled_from(NOISE))
# Half of all positions fall into the first few tokens, where a clause begins.
POSITIONS = st.one_of(st.integers(0, 12), st.integers(0, 2000))
MUTATIONS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["delete", "duplicate", "swap", "case"]), POSITIONS, st.just("")),
        st.tuples(st.sampled_from(["insert", "glue"]), POSITIONS, WORDS),
        st.tuples(st.just("insert"), POSITIONS, st.just(CLAUSE)),
    ),
    max_size=4,
)
STATEMENTS = st.one_of(st.sampled_from(CLAUSES), st.sampled_from(ORDINARY))
JOINTS = st.sampled_from([" ", ";\n", " UNION ALL ", ", ", " /* "])


@dataclass(frozen=True)
class Outcome:
    """The outcome of parsing a text: a plan or an error."""

    plan: str | None
    error: Exception | None = None

    @property
    def named(self) -> bool:
        """Returns whether the text was refused with an error that a user may see."""
        return (
            isinstance(self.error, (ParseException, AnalysisException))
            and self.condition != ""
            and not self.condition.startswith(("INTERNAL_ERROR", "EDDYLINE_SIDECAR"))
        )

    @property
    def condition(self) -> str:
        return getattr(self.error, "getCondition", str)() or ""

    @property
    def signature(self) -> tuple[str, str, str]:
        lines = str(getattr(self.error, "java_exception", self.error)).strip().splitlines()
        return type(self.error).__name__, self.condition, ID.sub("<id>", lines[0] if lines else "")


class Parsers:
    """Spark's parser and ours; no dataclass, as Hypothesis would print its Java objects."""

    def __init__(self, spark: SparkSession) -> None:
        self.spark, self.stock, self.ours = spark, stock_parser(spark), our_parser(spark)

    def read(self, parser: Any, text: str) -> Outcome:
        try:
            plan = parser.parsePlan(text)
        except (PySparkException, Py4JJavaError) as error:
            return Outcome(None, error)
        return Outcome(ID.sub("<id>", jvm(self.spark).scala.runtime.ScalaRunTime._toString(plan)))

    def substitute(self, text: str) -> str:
        """Returns the text with its `${variables}` replaced, into which Spark's errors point."""
        internal = jvm(self.spark).org.apache.spark.sql.internal
        return str(internal.VariableSubstitution().substitute(text))


@pytest.fixture(scope="module")
def parsers(spark_session: SparkSession) -> Iterator[Parsers]:
    """Yields both parsers of one session, with a short timeout of the sidecar."""
    spark = spark_session.newSession()
    # pyspark logs every error that has a place, with both stacks
    logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL)
    environment = spark._jsparkSession.sparkContext().conf()
    stop_sidecar(spark)
    before = environment.get("spark.eddyline.sidecar.timeout", "30s")
    environment.set("spark.eddyline.sidecar.timeout", TIMEOUT)
    with parsing(spark):
        yield Parsers(spark)
    environment.set("spark.eddyline.sidecar.timeout", before)
    stop_sidecar(spark)


def _mutate(statement: str, mutations: list[tuple[str, int, str]]) -> str:
    tokens = TOKEN.findall(statement) or [""]
    for kind, position, word in mutations:
        at = position % len(tokens)
        if kind == "delete" and len(tokens) > 1:
            del tokens[at]
        elif kind == "duplicate":
            tokens[at:at] = [tokens[at], " "]
        elif kind == "swap":
            # the token between two others is mostly a space
            other = (at + 2) % len(tokens)
            tokens[at], tokens[other] = tokens[other], tokens[at]
        elif kind == "case":
            tokens[at] = tokens[at].swapcase()
        elif kind == "insert":
            tokens[at:at] = [" ", word, " "]
        elif kind == "glue":
            tokens.insert(at, word)
    return "".join(tokens)


@st.composite
def mutants(draw: st.DrawFn) -> str:
    """Draws a statement with up to four faults, seldom two such statements."""
    text = _mutate(draw(STATEMENTS), draw(MUTATIONS))
    if draw(st.integers(0, 5)) == 0:
        text += draw(JOINTS) + _mutate(draw(STATEMENTS), draw(MUTATIONS))
    return text


@st.composite
def respelled(draw: st.DrawFn) -> tuple[str, str]:
    """Draws a query with a clause, and the same with other blanks, comments and letter case."""
    query = draw(st.sampled_from(RESPELLED))
    tokens = []
    for token in TOKEN.findall(query):
        if token.isspace():
            tokens.append(token + draw(st.sampled_from(["", "", "", *TRIVIA])) + token)
        elif re.fullmatch(r"[^\W\d]\w*", token) and draw(st.integers(0, 3)) == 0:
            tokens.append(token.swapcase())
        else:
            tokens.append(token)
    return query, "".join(tokens)


def _check_place(error: PySparkException, text: str) -> None:
    """Checks that the error lies inside the text, by its message and by its context."""
    if place := PLACE.search(str(error)):
        lines = text.split("\n")
        assert int(place[1]) <= len(lines), str(error)
        assert int(place[2]) <= len(lines[int(place[1]) - 1]), str(error)
    if len(text.splitlines()) == len(text.split("\n")) and "\r" not in text:
        start, stop = error_place(error, text)
        assert 0 <= (start or 0) <= (len(text) if stop is None else stop) <= len(text), str(error)


def _check(parsers: Parsers, text: str) -> None:
    stock, ours = parsers.read(parsers.stock, text), parsers.read(parsers.ours, text)
    # our parser may say more than Spark's about a placeholder that was typed
    if stock.plan is not None and "__eddyline_" not in text.lower():
        assert (ours.plan, ours.error) == (stock.plan, None)
        return
    if ours.error is None or ours.signature == stock.signature:
        return
    assert ours.named, ours.signature
    headline = ours.signature[2]
    assert "__eddyline_" not in headline or "__eddyline_" in text.lower(), headline
    _check_place(ours.error, parsers.substitute(text) if "${" in text else text)


def _check_respelled(parsers: Parsers, pair: tuple[str, str]) -> None:
    plain, changed = (parsers.read(parsers.ours, text) for text in pair)
    assert plain.condition == changed.condition, changed.error
    if plain.plan is not None and changed.plan is not None:
        assert plain.plan.lower() == changed.plan.lower()


@repeated(300)
@given(text=mutants())
def test_mutants(parsers: Parsers, text: str) -> None:
    _check(parsers, text)


@repeated(100)
@given(pair=respelled())
def test_spelling_has_no_meaning(parsers: Parsers, pair: tuple[str, str]) -> None:
    _check_respelled(parsers, pair)


@pytest.mark.slow
@pytest.mark.timeout(3000)
@repeated(10_000)
@given(text=mutants())
def test_many_mutants(parsers: Parsers, text: str) -> None:
    _check(parsers, text)


@pytest.mark.slow
@pytest.mark.timeout(3000)
@repeated(3_000)
@given(pair=respelled())
def test_many_spellings(parsers: Parsers, pair: tuple[str, str]) -> None:
    _check_respelled(parsers, pair)
