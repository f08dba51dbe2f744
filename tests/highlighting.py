"""The keywords of golden statements, as the readers of the clauses find them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator

from eddyline import ClauseError
from eddyline.lowering import scanner
from eddyline.lowering.tokens import Tokens, read_tokens
from goldenfiles import read_golden
from tiers import ROOT

KEYWORDS = tomllib.loads((ROOT / "sql/keywords.toml").read_text())
Span = tuple[int, int]


def golden_clauses() -> Iterator[tuple[str, str]]:
    """Yields the place and the text of each golden statement that has a clause without an error."""
    for path in sorted((ROOT / "tests/golden").rglob("*.sql")):
        for block in read_golden(path).blocks:
            for sql in (block.sql, block.expected if block.kind == "query equals" else ""):
                try:
                    if sql and scanner.read(sql):
                        yield f"{path.relative_to(ROOT)}:{block.line}", sql
                except ClauseError:
                    continue


def keywords(sql: str) -> set[Span]:
    """Returns the places of the keywords that the lowering replaces.

    >>> sorted(keywords("SELECT emit, 'EMIT' FROM t EMIT ON UPDATE"))
    [(27, 31), (32, 34), (35, 41)]
    """
    tokens = read_tokens(sql)
    found = set()
    for clause in scanner.find_clauses(tokens):
        first = next(at for at, word in enumerate(tokens.words) if word.start >= clause.start)
        stem = _stem(tokens, first, clause.end)
        for at, word in enumerate(tokens.words):
            known = word.key and stem in KEYWORDS.get(word.text.upper(), {}).get("clauses", ())
            edited = any(e.start <= word.start and word.stop <= e.stop for e in clause.edits)
            # the brackets of a clause hold Spark's own SQL
            if known and edited and tokens.depth(at) <= tokens.depth(first):
                found.add((word.start, word.stop))
    return found


def _stem(tokens: Tokens, first: int, end: int) -> str:
    modules = (
        module
        for at in range(first, end)
        for module in scanner._CLAUSES
        if module.starts(tokens, at)
    )
    return next(modules).__name__.rpartition(".")[2]


def clauses(sql: str) -> list[Span]:
    """Returns the places of the clauses, each from its first to its last character."""
    return [(clause.start, clause.stop) for clause in scanner.find_clauses(read_tokens(sql))]
