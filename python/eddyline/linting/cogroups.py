"""The rules about COGROUP."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.annotate_types import annotate_types

from eddyline.linting.findings import RuleHit
from eddyline.linting.source import Source
from eddyline.lowering.branches import Branch, Key
from eddyline.lowering.cogroup import read_branches

_WINDOWS = frozenset(["SESSION_WINDOW", "WINDOW"])
_DECIMAL = re.compile(r"\d*\.\d*")
_Type = exp.DataType.Type
# what has a type of its own; sqlglot's type of another function may not be Spark's
_TYPED = (
    exp.Cast,
    exp.Date,
    exp.Day,
    exp.Length,
    exp.Literal,
    exp.Lower,
    exp.Month,
    exp.TsOrDsToDate,
    exp.Upper,
    exp.Year,
)
# the types among which Spark widens keys; of any other type only the type itself is visible
_KINDS = {
    **dict.fromkeys((_Type.TINYINT, _Type.SMALLINT, _Type.INT, _Type.BIGINT), "an integer"),
    **dict.fromkeys((_Type.FLOAT, _Type.DOUBLE), "a floating-point number"),
    **dict.fromkeys((_Type.CHAR, _Type.VARCHAR, _Type.TEXT), "a string"),
    **dict.fromkeys((_Type.TIMESTAMP, _Type.TIMESTAMPLTZ, _Type.TIMESTAMPTZ), "a timestamp"),
    _Type.BINARY: "binary",
    _Type.BOOLEAN: "a boolean",
    _Type.DATE: "a date",
    _Type.DECIMAL: "a decimal",
    _Type.TIMESTAMPNTZ: "a timestamp without time zone",
}


def keys_of_different_types(source: Source) -> Iterator[RuleHit]:
    """Yields each key whose visible type Spark will not compare with that of an earlier branch."""
    for cogroup in source.clauses_of("COGROUP"):
        branches = read_branches(source.tokens, cogroup.first)
        for keys in zip_longest(*(branch.keys for branch in branches if branch.has_keys)):
            known = [
                (key, kind)
                for key in keys
                if key is not None and (kind := _kind(source, key)) is not None
            ]
            for key, kind in known[1:]:
                first, expected = known[0]
                if kind != expected:
                    one, other = _text(source, first), _text(source, key)
                    yield RuleHit(key.first, f"{other} is {kind}, and {one} is {expected}.")


def windows_without_watermark(source: Source) -> Iterator[RuleHit]:
    """Yields each branch that is a stream without WATERMARK, if a key is a time window."""
    tokens = source.tokens
    for cogroup in source.clauses_of("COGROUP"):
        branches = read_branches(tokens, cogroup.first)
        if not any(_is_window(source, key) for branch in branches for key in branch.keys):
            continue
        marked = [branch for branch in branches if _has_watermark(source, branch)]
        for branch in branches:
            if tokens.key(branch.index) != "STREAM" or branch in marked:
                continue
            if tokens.key(branch.index + 1) == "(":
                continue  # the watermark may stand in the subquery
            rest = (
                "and Spark takes the watermark of one branch for all"
                if marked
                else "so no window is ever complete and its state is kept forever"
            )
            yield RuleHit(branch.index, f"The stream {branch.name} has no watermark, {rest}.")


def counts_of_all_branches(source: Source) -> Iterator[RuleHit]:
    """Yields each count(*) of a COGROUP."""
    tokens = source.tokens
    for cogroup in source.clauses_of("COGROUP"):
        branches = read_branches(tokens, cogroup.first)
        last = branches[-1]
        start = last.keys[-1].stop if last.keys else last.stop
        for at in source.outside_queries(start, cogroup.end):
            if [tokens.key(at + i) for i in range(4)] == ["COUNT", "(", "*", ")"]:
                yield RuleHit(
                    at,
                    "count(*) counts the rows of all branches together.",
                    f"Write count({branches[0].name}.*) for the rows of one branch.",
                )


def _has_watermark(source: Source, branch: Branch) -> bool:
    words = source.tokens.top_level(branch.index, branch.stop)
    return any(source.tokens.key(i) == "WATERMARK" for i in words)


def _is_window(source: Source, key: Key) -> bool:
    return source.tokens.key(key.first) in _WINDOWS and source.tokens.key(key.first + 1) == "("


def _kind(source: Source, key: Key) -> str | None:
    """Returns the kind of type that the expression of a key has in any case, or None."""
    words = source.tokens.words
    text = source.tokens.sql[words[key.first].start : words[key.stop - 1].stop]
    try:
        tree = sqlglot.parse_one(text, dialect="spark").unnest()
        tree = annotate_types(tree, dialect="spark")
    except (SqlglotError, RecursionError):
        return None  # sqlglot does not know such an expression, or it is nested too deeply
    if isinstance(tree, exp.Literal) and tree.is_number and _DECIMAL.fullmatch(tree.name):
        return _KINDS[_Type.DECIMAL]  # to sqlglot it is a DOUBLE
    return _KINDS.get(tree.type.this) if isinstance(tree, _TYPED) and tree.type else None


def _text(source: Source, key: Key) -> str:
    words = source.tokens.words
    return " ".join(source.sql[words[key.first].start : words[key.stop - 1].stop].split())
