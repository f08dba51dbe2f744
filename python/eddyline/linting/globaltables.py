"""The rules about CREATE GLOBAL TABLE."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from itertools import pairwise

from eddyline.linting.findings import RuleHit
from eddyline.linting.source import Source
from eddyline.lowering.words import SECONDS, is_unit

_CREATE = frozenset(["CREATE"])
_DEFAULT_REFRESH = Decimal(10)
_LONGEST = 2**63 // 10**6  # seconds; Spark counts microseconds as a BIGINT


def global_table_without_key(source: Source) -> Iterator[RuleHit]:
    """Yields each CREATE GLOBAL TABLE without PRIMARY KEY, at the name of the table."""
    tokens = source.tokens
    for statement, name in source.statements_of(_CREATE, "GLOBAL", "TABLE"):
        words = [tokens.key(i) for i in range(name, statement.end)]
        # with a comment between them, these are two words
        if "PRIMARY KEY" not in words and ("PRIMARY", "KEY") not in pairwise(words):
            yield RuleHit(
                name,
                "Nothing checks that a key is unique, so a join may return rows several times.",
            )


def staleness_below_refresh(source: Source) -> Iterator[RuleHit]:
    """Yields each MAX STALENESS that the refreshes of its table cannot meet."""
    tokens = source.tokens
    for statement, name in source.statements_of(_CREATE, "GLOBAL", "TABLE"):
        refresh: Decimal | None = _DEFAULT_REFRESH
        manual, bound = False, None
        for at in tokens.top_level(name, statement.end):
            match tokens.key(at), tokens.key(at + 1):
                case "REFRESH", "MANUAL":
                    manual = True
                case "REFRESH", "EVERY":
                    refresh = read_seconds(source, at + 2)
                case "MAX", "STALENESS":
                    bound = at
        if bound is None:
            continue
        staleness = read_seconds(source, bound + 2)
        if manual:
            yield RuleHit(
                bound,
                "With REFRESH MANUAL a changed source makes every query fail until somebody "
                "refreshes the table.",
                "Write REFRESH EVERY and an interval in the place of REFRESH MANUAL.",
            )
        elif staleness is not None and refresh is not None and staleness < refresh:
            yield RuleHit(
                bound,
                f"The source is probed every {refresh.normalize():f} seconds only, so queries in "
                "between find the version too old and wait for a probe of their own.",
            )


def read_seconds(source: Source, index: int) -> Decimal | None:
    """Returns the seconds of the interval at `index`; None if it has years or is too long.

    The interval is a valid one, as the lowering has read it: [INTERVAL] (n unit … | 'text' [unit]).
    """
    tokens = source.tokens
    at = index + (tokens.key(index) == "INTERVAL")
    parts: list[str] = []
    while at < len(tokens) and (tokens.words[at].text[0].isdecimal() or tokens.words[at].quoted):
        parts += tokens.words[at].text.strip("'\"").upper().removeprefix("INTERVAL").split()
        at += 1
        if is_unit(tokens.key(at)):
            parts.append(tokens.key(at))
            at += 1
    try:
        seconds = sum(
            (
                Decimal(number) * SECONDS[unit.removesuffix("S")]
                for number, unit in zip(parts[::2], parts[1::2], strict=True)
            ),
            Decimal(0),
        )
        return round(seconds, 6) if abs(seconds) < _LONGEST else None
    except (ArithmeticError, KeyError, ValueError):
        return None
