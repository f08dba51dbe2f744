"""The lowering without Spark: pairs of texts in `lowering.toml`, and rules for every text."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
import sqlglot
from hypothesis import given
from hypothesis import strategies as st

from eddyline import ClauseError, lower_sql
from eddyline.lowering import read
from eddyline.lowering.scanner import mask
from eddyline.sidecar import answer
from placeholders import EVERY_ARGUMENT
from properties.examples import repeated

PAIRS = tomllib.loads(Path(__file__).with_name("lowering.toml").read_text())["pair"]
CLAUSE = "COGROUP a WHERE x BY k AS n, b BY (k) AGGREGATE count(*), 1 HAVING EVERY BRANCH AND z"
CLAIM = "SELECT 1 FROM a ASSUME PARTITIONED BY (k)"
NO_NAME = "EDDYLINE_ASSUME.SYNTAX_ERROR"
NINES = "9" * 4301  # int() takes one less


@pytest.mark.parametrize("pair", PAIRS, ids=[pair["typed"][:60] for pair in PAIRS])
def test_pair(pair: dict[str, str]) -> None:
    assert lower_sql(pair["typed"]) == pair["lowered"]


@pytest.mark.parametrize("pair", PAIRS, ids=[pair["typed"][:60] for pair in PAIRS])
def test_letter_case_does_not_matter(pair: dict[str, str]) -> None:
    changed = lower_sql(pair["typed"].lower()) != pair["typed"].lower()
    assert changed == (pair["lowered"] != pair["typed"])


@pytest.mark.parametrize(("sql", "expected"), EVERY_ARGUMENT)
def test_each_argument_of_the_table_is_lowered_and_printed(sql: str, expected: list[str]) -> None:
    names = sorted(re.findall(r"(\w+) =>", lower_sql(sql)))
    assert names == expected
    printed = sqlglot.parse_one(sql, dialect="eddyline").sql("eddyline", pretty=True)
    assert sorted(re.findall(r"(\w+) =>", lower_sql(printed))) == names


def test_newlines_stay_where_they_were() -> None:
    typed = CLAUSE.replace(" ", "\n")
    assert lower_sql(typed).count("\n") == typed.count("\n")


def test_the_mask_has_the_length_of_the_text() -> None:
    typed = f"SELECT '🌊';\n{CLAUSE} ORDER BY 1;\n({CLAUSE})"
    lowering = read(typed)
    assert lowering is not None
    assert len(lowering.masked) == len(typed)
    assert lowering.masked.split() == "SELECT '🌊'; TABLE c ORDER BY 1; (TABLE c )".split()


def test_the_mask_keeps_the_query_of_an_emit() -> None:
    typed = "SELECT 1\nEMIT ON\nCHANGE;(SELECT 2 EMIT EVERY 3 SECONDS)"
    lowering = read(typed)
    assert lowering is not None
    assert lowering.masked.split(" ")[0] == "SELECT"
    assert re.sub(" +", " ", lowering.masked) == "SELECT 1\n \n ;(SELECT 2 )"
    assert len(lowering.masked) == len(typed)
    assert mask("SELECT 1 EMIT ON NOTHING; SELECT 2").split() == "SELECT 1 ; SELECT 2".split()
    # a statement that is blank would not be run, and its error not be seen
    assert mask("CHECK ASSUMPTION ON t; SELECT 1").split() == "c ; SELECT 1".split()
    assert mask("SELECT 1; ASSUME PARTITIONED BY (k)").split() == "SELECT 1; c".split()


def test_a_statement_that_spark_does_not_parse_is_left_alone() -> None:
    clause = "COGROUP a BY k, b BY k AGGREGATE n"
    text = f"SET x = {clause}; BEGIN SET y = ({clause}); {clause}; END"
    lowering = read(text)
    assert lowering is not None
    assert lowering.sql.startswith(f"SET x = {clause}; BEGIN SET y = (FROM ")
    assert lowering.masked.count("TABLE c") == 2


def test_a_blank_for_an_emoji_counts_twice_in_java() -> None:
    typed = "COGROUP a BY '🌊', b BY k AGGREGATE count(*)"
    reply = answer(typed)
    assert len(reply["masked"].encode("utf-16-le")) == len(typed.encode("utf-16-le"))
    by = reply["edits"][4]["start"]
    assert typed.encode("utf-16-le")[2 * by : 2 * by + 4].decode("utf-16-le") == "BY"


def test_the_error_lies_in_the_text() -> None:
    with pytest.raises(ClauseError) as caught:
        lower_sql("COGROUP a BY k, b BY k\nAGGREGATE count(*) AS n\n WHERE n > 1")
    error = caught.value
    assert (error.condition, error.sqlstate) == ("EDDYLINE_COGROUP.SYNTAX_ERROR", "42601")
    assert (
        "COGROUP a BY k, b BY k\nAGGREGATE count(*) AS n\n WHERE n > 1"[error.start : error.stop]
        == "WHERE"
    )
    assert "HAVING after the aggregates" in str(error)


@pytest.mark.parametrize(
    ("sql", "condition", "word"),
    [
        (f"{CLAIM} LAYOUT {word} JOIN b ON x", NO_NAME, word)
        for word in ("left", "NATURAL", "CROSS", "JOIN")
    ]
    + [
        (f"{CLAIM} LAYOUT WHERE paid", NO_NAME, "WHERE"),
        (f"{CLAIM} LAYOUT AS x", NO_NAME, "AS"),
        (f"{CLAIM} LAYOUT UNION TABLE b", NO_NAME, "UNION"),
        (f"{CLAIM} LAYOUT NOT ENFORCED", NO_NAME, "NOT"),
        ("COGROUP a ASSUME PARTITIONED BY (k) LAYOUT BY k, b BY k AGGREGATE n", NO_NAME, "BY"),
        (
            f"{CLAIM} INTO 5 PARTITIONS USING HASH SPARK b ASSUME PARTITION BY (k)",
            "EDDYLINE_ASSUME.NO_RELATION",
            "ASSUME",
        ),
        (f"{CLAIM} INTO {NINES} PARTITIONS", "EDDYLINE_ASSUME.INVALID_OPTION", NINES),
        (
            f"COGROUP a BY k, b BY k AGGREGATE n HAVING AT LEAST {NINES} BRANCHES",
            "EDDYLINE_COGROUP.BRANCH_COUNT_OUT_OF_RANGE",
            NINES,
        ),
        (
            "START STREAMING QUERY q OPTIONS (r'queryName' 'x') AS INSERT INTO t SELECT 1",
            "EDDYLINE_STREAMING_QUERY.OPTION_RESERVED",
            "r'queryName'",
        ),
        (f"CHECK ASSUMPTION ON a PARTITIONED BY (k) LIMIT {'0' * 4301} x", NO_NAME, "x"),
    ],
)
def test_refused_at_the_word(sql: str, condition: str, word: str) -> None:
    with pytest.raises(ClauseError) as caught:
        lower_sql(sql)
    error = caught.value
    assert (error.condition, sql[error.start : error.stop]) == (condition, word)


WORDS = st.sampled_from(
    "COGROUP AGGREGATE BY USING WHERE HAVING EVERY BRANCH AT LEAST AND AS , ( ) ; . a b k 1 'x' "
    "SELECT FROM UNION ALL ORDER LIMIT BEGIN END count(*) /*c*/ -- \n 🌊 `q` [ ] + = :p ?".split(
        " "
    )
)


@repeated(100)
@given(st.lists(WORDS, max_size=40).map(" ".join))
def test_any_text_is_lowered_or_refused_inside_its_bounds(text: str) -> None:
    try:
        lowering = read(text)
    except ClauseError as error:
        bounds = [0, error.start, error.stop, len(text)]
        lowering = None
    else:
        bounds = []
    assert bounds == sorted(bounds)
    if lowering is not None:
        assert len(lowering.masked) == len(text)
        rebuilt, position = "", 0
        for edit in lowering.edits:
            rebuilt += text[position : edit.start] + edit.text
            position = edit.stop
        assert rebuilt + text[position:] == lowering.sql


def test_too_many_branches() -> None:
    def cogroup(count: int) -> str:
        branches = ", ".join(f"t AS t{i} BY k" for i in range(count))
        return f"COGROUP {branches} AGGREGATE count(*)"

    assert lower_sql(cogroup(63)).count("=> TABLE(") == 63
    with pytest.raises(ClauseError, match="64 branches") as caught:
        lower_sql(cogroup(64))
    assert caught.value.condition == "EDDYLINE_COGROUP.TOO_MANY_BRANCHES"
    assert caught.value.sqlstate == "54000"
