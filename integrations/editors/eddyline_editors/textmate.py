"""The TextMate grammar of the language, for Visual Studio Code and other editors.

It adds the clauses to the grammar `source.sql`, which every such editor has.
"""

from __future__ import annotations

from typing import Any

from eddyline.grammar.regions import (
    AFTER_A_QUERY,
    NAME,
    QUERY,
    STREAM,
    Keyword,
    Region,
    heads,
    regions,
)

SCOPE = "source.sql.eddyline"
"""The scope of the grammar."""

Pattern = dict[str, Any]

# a pattern sees one line, so a word at its end may be a keyword, also before a comment
_BLANK = r"\s"
_UNKNOWN = r"\s*(?:$|--|/\*)"
_NAME_SCOPE = "entity.name.type.eddyline"
_ENDS = r"(?=[;)])"
_INERT: tuple[Pattern, ...] = (
    {"include": "#comments"},
    {"include": "#strings"},
    {"include": "#quoted"},
    {"include": "#numbers"},
    {"include": "#brackets"},
)


def grammar() -> Pattern:
    """Returns the grammar, as JSON.

    >>> grammar()["scopeName"]
    'source.sql.eddyline'
    """
    return {
        "name": "SQL of eddyline",
        "scopeName": SCOPE,
        "patterns": [*_INERT[:3], {"include": "#clauses"}, {"include": "source.sql"}],
        "repository": {
            "comments": {"patterns": _comments()},
            "strings": {"patterns": _strings()},
            "quoted": {"name": "variable.other.quoted.eddyline", "match": "`(?:[^`]|``)*`"},
            "numbers": {"name": "constant.numeric.eddyline", "match": r"\b\d[\w.]*"},
            "brackets": {
                "begin": r"\(",
                "end": r"\)",
                "patterns": [{"include": "#brackets"}, {"include": "$self"}],
            },
            "clauses": {"patterns": [*map(_head, heads()), _stream(), *map(_region, regions())]},
        },
    }


def injection() -> Pattern:
    """Returns the grammar that adds the clauses to SQL wherever it is, as JSON."""
    return {
        "name": "Clauses of eddyline",
        "scopeName": f"{SCOPE}.injection",
        "injectionSelector": f"L:source.sql -comment -string -{SCOPE}",
        "patterns": [{"include": f"{SCOPE}#clauses"}],
    }


def _comments() -> list[Pattern]:
    block = "comment.block.eddyline"
    return [
        # a comment goes on after a line that ends with a backslash
        {
            "name": "comment.line.double-dash.eddyline",
            "begin": "--",
            "end": r"(?<!\\)(?:\n|$)(?<!\\\n)",
        },
        {"name": block, "begin": r"/\*", "end": r"\*/", "patterns": [{"include": "#comments"}]},
    ]


def _strings() -> list[Pattern]:
    kinds = (("single", "'"), ("double", '"'))
    raw = [_string(f"{kind}.raw", rf"\b[rR]{sign}", sign) for kind, sign in kinds]
    escape = {"name": "constant.character.escape.eddyline", "match": r"\\."}
    return [*raw, *(_string(kind, sign, sign) | {"patterns": [escape]} for kind, sign in kinds)]


def _string(kind: str, begin: str, end: str) -> Pattern:
    return {"name": f"string.quoted.{kind}.eddyline", "begin": begin, "end": end}


def _keyword_scope(stem: str) -> str:
    return f"keyword.other.{stem}.eddyline"


def _head(word: Keyword) -> Pattern:
    return {"name": _keyword_scope("statement"), "match": word.pattern(_BLANK, "")}


def _stream() -> Pattern:
    return {"name": _keyword_scope("stream"), "match": STREAM.pattern(_BLANK, r"\s*$")}


def _word(stem: str, word: Keyword) -> Pattern:
    pattern = word.pattern(_BLANK, _UNKNOWN)
    if not word.names:
        return {"name": _keyword_scope(stem), "match": pattern}
    return {
        "match": rf"({pattern})(?:\s+{word.name}(?:\.({NAME}))*)?",
        "captures": {"1": {"name": _keyword_scope(stem)}, "2": {"name": _NAME_SCOPE}}
        | {"3": {"name": _NAME_SCOPE}},
    }


def _region(region: Region) -> Pattern:
    make = {"primary": _query, "tail": _tail, "relation": _relation, "statement": _statement}
    return {"name": f"meta.{region.stem}.eddyline", **make[region.role](region)}


def _words(region: Region) -> list[Pattern]:
    return [_word(region.stem, word) for word in region.words]


def _begin(region: Region) -> Pattern:
    scope = {"0": {"name": _keyword_scope(region.stem)}}
    return {"begin": region.pattern(_BLANK, _UNKNOWN), "beginCaptures": scope}


def _tail(region: Region) -> Pattern:
    inner = [*_INERT, *_words(region), {"include": "$self"}]
    return {**_begin(region), "end": _ENDS, "patterns": inner}


def _query(region: Region) -> Pattern:
    """Returns the region of COGROUP: its branches up to AGGREGATE, then the rest."""
    end = rf"{_ENDS}|(?=\|>)|\b(?=(?i:{'|'.join(AFTER_A_QUERY)})\b)"
    aggregate = next(word for word in region.words if word.text == "AGGREGATE")
    branch = {
        "begin": rf"(?i:(?<={region.first.text}))(?=\s|$)|,",
        "end": rf"({NAME})(?:\.({NAME}))*|(?=\S)",
        "endCaptures": {key: {"name": "entity.name.type.branch.eddyline"} for key in ("1", "2")},
        "applyEndPatternLast": 1,
        "patterns": [*_INERT[:2], _stream()],
    }
    rest = {
        "begin": aggregate.pattern(_BLANK, _UNKNOWN),
        "beginCaptures": {"0": {"name": _keyword_scope(region.stem)}},
        "end": end,
        "patterns": [*_INERT, *_words(region), {"include": "$self"}],
    }
    inner = [branch, rest, *_INERT, *_words(region), {"include": "$self"}]
    return {**_begin(region), "end": end, "patterns": inner}


def _relation(region: Region) -> Pattern:
    """Returns a region that ends before the first thing that cannot belong to it."""
    inner = [*_INERT, *_words(region)]
    return {**_begin(region), "end": r"(?=\S)", "applyEndPatternLast": 1, "patterns": inner}


def _statement(region: Region) -> Pattern:
    """Returns a region that ends before the query of the statement, or a statement of Spark's."""
    of_spark = {*filter(str.isalpha, region.first.before)} - {word.text for word in region.words}
    after = sorted({*QUERY, *of_spark})
    end = rf"{_ENDS}|\b(?=(?i:{'|'.join(after)})\b)"
    inner = [*_INERT, *_words(region)]
    return {**_begin(region), "end": end, "applyEndPatternLast": 1, "patterns": inner}
