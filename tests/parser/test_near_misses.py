"""Each near miss of `sql/near_misses.toml` is refused by Spark, and explained without Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import ParseException

from eddyline.jvm import sidecar_pid, stop_sidecar
from parsers import ROOT, our_parser, stock_parser

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

import tomllib

TABLE = tomllib.loads((ROOT / "sql/near_misses.toml").read_text("utf-8"))
MISSES = [(words, miss) for miss in TABLE["miss"] for words in miss["words"]]

# a text in which the words of `after` stand
BEFORE = {
    "GLOBAL TABLE": "CREATE GLOBAL TABLE g AS ",
    "STREAMING QUERY": "START STREAMING QUERY q AS INSERT INTO t ",
}


def _failure(parser: Any, sql: str) -> ParseException:
    with pytest.raises(ParseException) as caught:
        parser.parsePlan(sql)
    return caught.value


def test_what_people_write(spark: SparkSession) -> None:
    for words, miss in MISSES:
        before = BEFORE.get(miss.get("after", [""])[0], "") + "FROM t SELECT k"
        sql = f"{words.lower()} x" if "statement" in miss else f"{before} {words} > x"
        assert not (_failure(stock_parser(spark), sql).getCondition() or "").startswith("EDDYLINE")
        error = _failure(our_parser(spark), sql)
        parameters = error.getMessageParameters()
        if "removed" in miss:
            assert error.getCondition() == "EDDYLINE_SYNTAX.FEATURE_REMOVED", sql
            assert parameters == {"feature": words, "hint": f"Write {miss['write']}."}
        else:
            assert error.getCondition() == "EDDYLINE_SYNTAX.NEAR_MISS", sql
            assert parameters["write"] == miss["write"], sql


def test_a_word_that_is_misspelt(spark: SparkSession) -> None:
    for spelling in TABLE["spelling"]:
        first, *rest = spelling["words"].split()
        swapped = f"{first[:2]}{first[3]}{first[2]}{first[4:]}"
        error = _failure(our_parser(spark), " ".join([swapped, *rest, "a BY k"]))
        assert error.getMessageParameters()["write"] == spelling["words"]


def test_no_python_is_needed(spark: SparkSession) -> None:
    stop_sidecar(spark)
    for sql in ("SHOW STREAMS", "SELECT k FROM t EMIT ONCHANGE", "COGRUOP a BY k, b BY k"):
        assert _failure(our_parser(spark), sql).getCondition() == "EDDYLINE_SYNTAX.NEAR_MISS"
    assert sidecar_pid(spark) is None


def test_a_switch_turns_the_help_off(spark: SparkSession) -> None:
    spark.conf.set("spark.eddyline.enabled", "false")
    assert _failure(our_parser(spark), "SHOW STREAMS").getCondition() == "PARSE_SYNTAX_ERROR"
