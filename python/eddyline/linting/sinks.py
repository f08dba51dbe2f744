"""The rule about EMIT and the sink of its streaming query."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from eddyline.linting.findings import Flaw
from eddyline.linting.source import Found, Source

_DEFINE = frozenset(["CREATE", "START", "VALIDATE"])
_GROUPS = frozenset(["COGROUP", "DISTINCT", "GROUP BY"])


def emit_without_sink_key(source: Source) -> Iterator[Flaw]:
    """Yields each EMIT whose rows a sink appends without a way to tell the last row of a key."""
    topics = set(_topics(source))
    emits = source.clauses_of("EMIT")
    starts = [emit.first for emit in emits]
    for statement, _ in source.statements_of(_DEFINE, "STREAMING", "QUERY"):
        table = _appended_table(source, statement)
        if not table or table in topics:
            continue
        last = source.tokens.group_end(statement.first)
        for emit in emits[bisect_left(starts, statement.first) : bisect_left(starts, last)]:
            if _repeats_keys(source, statement, emit):
                yield Flaw(
                    emit.first,
                    f"{'.'.join(table)} gets a row for each emission of a key, and nothing in the "
                    "row says which is the last one.",
                )


def _appended_table(source: Source, statement: Found) -> tuple[str, ...]:
    """Returns the name of the table that gets rows without a batch id; empty if there is none."""
    tokens = source.tokens
    words = tokens.top_level(statement.first, statement.end)
    into = next((i for i in words if tokens.key(i) == "INTO"), None)
    has_batch = any([tokens.key(i + j) for j in range(3)] == ["WITH", "BATCH", "ID"] for i in words)
    if into is None or tokens.key(into - 1) != "INSERT" or has_batch:
        return ()
    return source.dotted_name(into + 1 + (tokens.key(into + 1) == "TABLE"))


def _repeats_keys(source: Source, statement: Found, emit: Found) -> bool:
    """Returns whether the rows that are emitted may have the key of earlier ones."""
    words = range(emit.first, emit.end)
    tokens = source.tokens
    if any(tokens.key(i) == "ON" for i in words):
        return tokens.key(emit.first + 2) != "WINDOW" or tokens.key(emit.first + 1) != "ON"
    return any(tokens.key(i) in _GROUPS for i in range(statement.end, emit.first))


def _topics(source: Source) -> Iterator[tuple[str, ...]]:
    """Yields the names of the tables that the text creates over topics of Kafka."""
    tokens = source.tokens
    for at in range(len(tokens)):
        if tokens.key(at) != "TABLE" or tokens.key(at - 1) not in ("CREATE", "REPLACE"):
            continue
        words = tokens.top_level(at, tokens.group_end(at))
        if any(tokens.key(i) == "USING" and tokens.key(i + 1) == "KAFKA" for i in words):
            yield source.dotted_name(at + 1 + (3 if tokens.key(at + 1) == "IF" else 0))
