"""The random aggregations for the properties of EMIT ON CHANGE, several over one grouping.

Queries that share their FROM, WHERE and GROUP BY share the oracle too: one query in plain Update
mode has the columns of all of them, and what their HAVING says, side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from properties.emit_forms import Row
from properties.emit_grammar import expression

Batched = dict[int, list[Row]]

NAMES = """CREATE OR REPLACE TEMPORARY VIEW names AS SELECT * FROM VALUES
(1, 'one', 3), (2, 'two', NULL), (2, 'deux', 0), (NULL, 'none', 1) AS t(k, name, factor)"""

KEYS = (
    *("k", "j", "v", "s", "d", "k % 2", "v > 1", "d > 0", "-d", "coalesce(j, s)", "nullif(k, v)"),
    *("CASE WHEN v > 1 THEN k WHEN j = 'a' THEN 0 END", "upper(s)", "length(s)", "isnan(d)"),
    *("struct(k, j)", "named_struct('a', nullif(v, 0), 'd', d)", "array(j, s)", "array(d)"),
    *("date_trunc('MINUTE', ts)", "CAST(k AS STRING)", "coalesce(k, 0) + coalesce(v, 0)"),
)
WINDOWS = (
    *("window(ts, '10 seconds')", "window(ts, '10 seconds', '5 seconds')"),
    *("window(ts, '8 seconds', '8 seconds', '3 seconds')", "window(ts, '20 seconds')"),
)
# Relations like t; the rows of a group of the second have no fixed order.
SOURCES = (
    "t",
    "t",
    "w",
    "(SELECT k, j, e AS v, d, s, ts FROM t LATERAL VIEW explode(array(v, k)) AS e)",
    "(SELECT k, j, coalesce(v, length(s)) AS v, nullif(d, 0D) AS d, concat(s, j) AS s, ts FROM t)",
)
UNORDERED_SOURCES = (
    "(SELECT * FROM t UNION ALL SELECT * FROM u)",
    "(SELECT k, j, factor AS v, d, coalesce(name, s) AS s, ts FROM t LEFT JOIN names USING (k))",
    "(SELECT k, j, v, d, name AS s, ts FROM t JOIN names USING (k))",
    "(SELECT t.* FROM t LEFT SEMI JOIN names ON t.v = names.factor)",
    "(SELECT t.k, j, v + factor AS v, d, s, ts FROM t LEFT JOIN names ON t.v < names.factor)",
)
SHOWN = ("{c}", "{c}", "{c}", "({c} IS NULL)", "array({c})", "named_struct('c', {c}, 'd', {c})")


@dataclass(frozen=True)
class Grouping:
    """The grouping that the queries of a family share.

    Attributes:
        text: the query, with holes for its list and for its HAVING.
        keys: the items that identify a row; a COGROUP has them in its text.
        names: names of the keys.
        branches: qualifiers that may stand before a column.
        ordered: whether the rows of a group arrive in one order.
        grouped: whether the query groups; else EMIT ON CHANGE KEY compares its rows.
    """

    text: str
    keys: tuple[str, ...]
    names: tuple[str, ...]
    branches: tuple[str, ...] = ("",)
    ordered: bool = True
    grouped: bool = True

    def query(self, items: Sequence[str], having: str = "") -> str:
        listed = ", ".join([*self.keys, *items])
        word = "HAVING" if self.grouped else "WHERE"
        return self.text.format(items=listed) + (f" {word} {having}" if having else "")


@dataclass(frozen=True)
class Query:
    """A query with EMIT ON CHANGE, and the place of its rows among the oracle's.

    Attributes:
        sql: the query with the clause.
        keys: number of columns that identify a row.
        compared: the columns that the clause compares.
        shown: what the outer query makes of a row; the last column says whether it shows the
            row at all.
        by_arrival: whether rows of a key are compared one by one, which forgets none.
        inner: columns of the oracle's aggregation.
        outer: columns over these: first whether there is a result, last whether it is shown.
    """

    sql: str
    keys: int
    compared: slice
    shown: Callable[[Row], Row | None]
    by_arrival: bool
    inner: tuple[str, ...]
    outer: tuple[str, ...]


@dataclass(frozen=True)
class Family:
    grouping: Grouping
    queries: tuple[Query, ...]

    def oracle(self) -> str:
        inner = self.grouping.query([item for query in self.queries for item in query.inner])
        outer = [*self.grouping.names, *(item for query in self.queries for item in query.outer)]
        return f"SELECT {', '.join(outer)} FROM ({inner})"

    def results(self, number: int, found: Batched) -> tuple[Batched, Batched]:
        """Returns a query's rows among the oracle's, with HAVING and without."""
        keys = len(self.grouping.names)
        start = keys + sum(len(query.outer) for query in self.queries[:number])
        end = start + len(self.queries[number].outer)

        def rows(of_batch: list[Row], having: bool) -> list[Row]:
            kept = [row for row in of_batch if row[start] is True or not having]
            return [row[:keys] + row[start + 1 : end] for row in kept]

        plain, touched = (
            {batch: rows(of_batch, having) for batch, of_batch in found.items()}
            for having in (True, False)
        )
        return plain, touched


def random_family(seed: str, count: int) -> Family:
    """Returns `count` queries over a random grouping."""
    random = Random(seed)
    grouping = _grouping(random)
    return Family(grouping, tuple(_query(random, grouping, f"q{i}_") for i in range(count)))


def _where(random: Random) -> str:
    return random.choice(["", "", " WHERE " + expression(random, "b", 2)])


def _grouping(random: Random) -> Grouping:
    kind = random.choice(
        ["keys"] * 5 + ["window"] * 2 + ["rollup", "keyless", "cogroup", "rows", "rows"]
    )
    if kind == "cogroup":
        key = random.choice(["k", "v", "k % 2", "j", "coalesce(k, 0)", "d", "struct(k)"])
        text = f"COGROUP t{_where(random)} BY ({key} AS g0), u{_where(random)} BY ({key}) "
        return Grouping(text + "AGGREGATE {items}", (), ("g0",), ("t.", "u."), ordered=False)
    ordered = kind == "rows" or random.random() < 0.6
    source = random.choice(SOURCES if ordered else UNORDERED_SOURCES)
    count = {"keyless": 0, "rollup": 2}.get(kind, random.choice([1, 1, 2, 3]))
    keys = random.sample(KEYS, count)
    if kind == "window":
        keys = [random.choice(WINDOWS), *random.sample(KEYS, random.choice([0, 1]))]
    by = f" GROUP BY {', '.join(keys)}" if keys else ""
    if kind == "rollup":
        sets = ["ROLLUP ({0}, {1})", "CUBE ({0}, {1})", "GROUPING SETS (({0}), ({1}, {0}), ())"]
        by = f" GROUP BY {random.choice(sets).format(*keys)}"
        keys.append("grouping_id()")
    text = f"SELECT {{items}} FROM {source}{_where(random)}{by}"
    if kind == "rows":
        text = f"SELECT {{items}} FROM (SELECT * FROM {source}{_where(random)})"
    names = tuple(f"g{i}" for i in range(len(keys)))
    items = tuple(f"{key} AS {name}" for key, name in zip(keys, names, strict=True))
    return Grouping(text, items, names, ordered=ordered, grouped=kind != "rows")


def _query(random: Random, grouping: Grouping, prefix: str) -> Query:
    """Returns a query of up to three layers: the grouping, one over it, one around the clause."""

    def drawn(kind: str) -> str:
        kind = kind.upper() if grouping.grouped else kind
        return expression(random, kind, 3, grouping.branches, grouping.ordered)

    columns = [f"{prefix}r{i}" for i in range(random.choice([1, 1, 2, 3]))]
    items = [f"{drawn('a')} AS {column}" for column in columns]
    toggle = "count(*) % 2 = 0" if grouping.grouped else "v IS NOT NULL"
    having = passed = random.choice(["", "", drawn("b"), toggle])
    if len(grouping.branches) > 1 and random.random() < 0.3:
        having, passed = "EVERY BRANCH", "count(t.*) > 0 AND count(u.*) > 0"
    sql, result = grouping.query(items, having), f"{prefix}h"
    inner = (*items, f"{passed or 'true'} AS {result}")

    outer = columns
    if random.random() < 0.3:
        over = [*columns, random.choice(columns)]
        outer = [random.choice(SHOWN).format(c=column) for column in over]
        columns = [f"{prefix}p{i}" for i in range(len(outer))]
        named = [f"{item} AS {name}" for item, name in zip(outer, columns, strict=True)]
        sql = f"SELECT {', '.join([*grouping.names, *named])} FROM ({sql})"
        if random.random() < 0.5:
            sql += f" WHERE {over[-1]} IS NOT NULL"
            result += f" AND {over[-1]} IS NOT NULL"

    names = [*grouping.names, *columns]
    by_arrival = not grouping.grouped or (bool(grouping.names) and random.random() < 0.15)
    compared, clause = _clause(random, names, len(grouping.names) if by_arrival else 0)
    sql = f"{sql} {clause}"

    places, shown = list(range(len(names))), "true"
    if random.random() < 0.3:
        places = random.sample(places, random.randint(1, len(places)))
        tested = random.randrange(len(names))
        shown = f"({[*grouping.names, *outer][tested]}) IS NOT NULL"
        listed = ", ".join(names[i] for i in places)
        sql = f"SELECT {listed} FROM ({sql}) WHERE {names[tested]} IS NOT NULL"

    return Query(
        sql,
        len(grouping.names),
        compared,
        lambda row: tuple(row[i] for i in places) if row[-1] else None,
        by_arrival,
        inner,
        (result, *outer, shown),
    )


def _clause(random: Random, names: list[str], keys: int) -> tuple[slice, str]:
    """Returns the columns that EMIT ON CHANGE compares, and its text; KEY has the first `keys`."""
    start = random.randrange(keys, len(names))
    end = random.randint(start + 1, len(names))
    chosen = random.choice(["", "", "OF", "EXCEPT"])
    listed = names[start:end]
    if chosen == "EXCEPT":
        listed = names[keys:start] + names[end:]
    if not chosen or not listed:
        start, end, chosen = keys, len(names), ""
    clause = f"EMIT ON CHANGE {chosen} ({', '.join(listed)})" if chosen else "EMIT ON CHANGE"
    return slice(start, end), clause + (f" KEY ({', '.join(names[:keys])})" if keys else "")
