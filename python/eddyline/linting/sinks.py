"""The rules about EMIT and the sink of its streaming query."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from eddyline.linting.findings import RuleHit
from eddyline.linting.source import Found, Source
from eddyline.lowering.tokens import Tokens

_DEFINE = frozenset(["CREATE", "START", "VALIDATE"])
# the length of the conditions that let through what they once have
_ONLY_GROWS = {("EVERY", "BRANCH"): 2, ("AT", "LEAST"): 4}
_KAFKA = ("kafka",)
# words after which a subquery may be what a query reads first
_BEFORE_STREAM = frozenset(["(", "AS", "FROM"])
_GROUPS = frozenset(["COGROUP", "DISTINCT", "GROUP BY"])


def emit_without_sink_key(source: Source) -> Iterator[RuleHit]:
    """Yields each EMIT whose rows a sink appends without a way to tell the last row of a key."""
    topics = set(_topics(source))
    endings = {topic[i:] for topic in topics for i in range(len(topic))}
    for statement, emit in _emits(source):
        table = _appended_table(source, statement)
        # two names may be the same if they agree in the parts that both have
        is_topic = table in endings or any(table[i:] in topics for i in range(len(table)))
        if table and not is_topic and _repeats_keys(source, statement, emit):
            yield RuleHit(
                emit.first,
                f"{'.'.join(table)} gets a row for each emission of a key, and nothing in the "
                "row says which is the last one.",
            )


def upsert_without_deletes(source: Source) -> Iterator[RuleHit]:
    """Yields each EMIT without a change type over a HAVING, of a query that UPSERTs."""
    tokens = source.tokens
    for statement, emit in _emits(source):
        table = _target(source, statement, "UPSERT")
        if not table or _is_of_windows(tokens, emit):
            continue
        if any(_are(tokens, i, "CHANGE", "TYPE") for i in range(emit.first, emit.end)):
            continue
        if any(_lets_go(tokens, i) for i in _streamed(source, statement, emit)):
            yield RuleHit(
                emit.first, f"A row that HAVING no longer lets through stays in {'.'.join(table)}."
            )


def _emits(source: Source) -> Iterator[tuple[Found, Found]]:
    """Yields each statement about a streaming query with each EMIT in it."""
    emits = source.clauses_of("EMIT")
    starts = [emit.first for emit in emits]
    for statement, _ in source.statements_of(_DEFINE, "STREAMING", "QUERY"):
        last = source.tokens.group_end(statement.first)
        for emit in emits[bisect_left(starts, statement.first) : bisect_left(starts, last)]:
            yield statement, emit


def _are(tokens: Tokens, index: int, *keys: str) -> bool:
    """Returns whether the words from `index` are these keywords."""
    return all(tokens.key(index + i) == key for i, key in enumerate(keys))


def _appended_table(source: Source, statement: Found) -> tuple[str, ...]:
    """Returns the name of the table that gets rows without a batch id; empty if there is none."""
    tokens = source.tokens
    words = tokens.top_level(statement.first, statement.end)
    if any(_are(tokens, i, "WITH", "BATCH", "ID") for i in words):
        return ()
    return _target(source, statement, "INSERT")


def _target(source: Source, statement: Found, verb: str) -> tuple[str, ...]:
    """Returns the name of the table that gets rows by INSERT or UPSERT; empty for the other."""
    tokens = source.tokens
    words = tokens.top_level(statement.first, statement.end)
    into = next((i for i in words if _are(tokens, i, verb, "INTO")), None)
    if into is None:
        return ()
    return source.dotted_name(into + 2 + (tokens.key(into + 2) == "TABLE"))


def _repeats_keys(source: Source, statement: Found, emit: Found) -> bool:
    """Returns whether the rows that are emitted may have the key of earlier ones."""
    tokens = source.tokens
    if any(tokens.key(i) == "ON" for i in range(emit.first, emit.end)):
        return not _is_of_windows(tokens, emit)
    return any(
        tokens.key(i) in _GROUPS and not _are(tokens, i, "DISTINCT", "FROM")
        for i in _streamed(source, statement, emit)
    )


def _is_of_windows(tokens: Tokens, emit: Found) -> bool:
    """Returns whether an EMIT is ON WINDOW CLOSE, which emits a key once."""
    return _are(tokens, emit.first + 1, "ON", "WINDOW")


def _lets_go(tokens: Tokens, index: int) -> bool:
    """Returns whether the word is a HAVING that may let a row through and later no more."""
    if tokens.key(index) != "HAVING" or tokens.expects_operand(index):
        return False
    length = _ONLY_GROWS.get((tokens.key(index + 1), tokens.key(index + 2)))
    return length is None or tokens.key(index + 1 + length) == "AND"


def _streamed(source: Source, statement: Found, emit: Found) -> Iterator[int]:
    """Yields the indexes of the words before an EMIT, without subqueries that read no stream."""
    tokens = source.tokens
    streams = [
        i
        for i in range(statement.end, emit.first)
        if tokens.key(i) == "STREAM" and (tokens.is_name(i + 1) or tokens.key(i + 1) == "(")
    ]

    def is_streamed(opening: int) -> bool:
        stop = tokens.after(opening)
        if stop > emit.first:
            return True
        if streams:
            return bisect_left(streams, opening) < bisect_left(streams, stop)
        # a table may be a view over a stream, but not all of them
        before = tokens.key(opening - 1)
        return before in _BEFORE_STREAM or not (before == "JOIN" or tokens.expects_operand(opening))

    return source.outside_queries(statement.end, emit.first, is_streamed)


def _topics(source: Source) -> Iterator[tuple[str, ...]]:
    """Yields the names of the tables that the text creates over topics of Kafka."""
    tokens = source.tokens
    for at in range(len(tokens)):
        if tokens.key(at) != "TABLE" or tokens.key(at - 1) not in ("CREATE", "REPLACE"):
            continue
        words = tokens.top_level(at, tokens.group_end(at))
        if any(tokens.key(i) == "USING" and source.dotted_name(i + 1) == _KAFKA for i in words):
            yield source.dotted_name(at + 1 + (3 if tokens.key(at + 1) == "IF" else 0))
