"""The hypothesis strategies of random COGROUPs over small random tables.

The pools are small, so that keys meet, and hold what is easily mistaken: NULL, 0 and the empty
string, values that only the wider type of a key holds, both zeros. All aggregates are exact.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate

from hypothesis import strategies as st

from properties.cogroup_model import WIDEST, Branch, CoGroup, Expression, Key, Piece, Table
from properties.cogroup_model import literal as sql_literal

INTEGRAL = {
    "TINYINT": ("0", "1", "2", "-1", "44"),
    "SMALLINT": ("0", "1", "2", "300"),
    "INT": ("0", "1", "300", "70000"),
    "BIGINT": ("0", "1", "300", "4294967297"),
}
# The types of a key with the values that a column of each may hold.
FAMILIES: dict[str, dict[str, tuple[str, ...]]] = {
    "integral": INTEGRAL,
    "decimal": {
        "DECIMAL(3, 0)": ("0", "1", "-2"),
        "DECIMAL(4, 1)": ("0", "1", "1.5", "-2"),
        "DECIMAL(9, 2)": ("0", "1.5", "1.25", "1000000"),
        "DECIMAL(20, 4)": ("1", "1.25", "1.2501", "123456789012345"),
    },
    "floating": {"FLOAT": ("0.0", "-0.0", "1.5"), "DOUBLE": ("0.0", "1.5", "1e300")},
    "string": {"STRING": ("", "a", "A", "a ", "é🌊")},
    "date": {"DATE": ("2024-02-29", "1969-12-31", "2026-01-01")},
    "boolean": {"BOOLEAN": ("true", "false")},
}
# The optimizer turns this into the bare column.
TRIVIAL = "CASE WHEN true THEN {0} END"
# Expressions over a key column; DuckDB gets the column cast to the family's widest type.
KEY_EXPRESSIONS = {
    "integral": ("{0}", "{0} + 1", "{0} % 2", "(abs({0}))", TRIVIAL),
    "decimal": ("{0}", "abs({0})"),
    "floating": ("{0}", "{0} * 2"),
    "string": ("{0}", "upper({0})", "coalesce({0}, 'a')", TRIVIAL),
    "date": ("{0}", TRIVIAL),
    "boolean": ("{0}", "NOT {0}", "CASE WHEN {0} THEN false ELSE true END"),
}

# Relations with the rows of the table `{t}` and the name `{b}`.
RELATIONS = (
    "{t} AS {b}",
    "{t} {b}",
    "(SELECT * FROM {t}) AS {b}",
    "(SELECT * FROM {t} WHERE id % 2 = 0 UNION ALL SELECT * FROM {t} WHERE id % 2 = 1) AS {b}",
    "(SELECT {t}.* FROM {t} JOIN {t} AS other ON {t}.id = other.id) AS {b}",
)

WHERE = (
    "{b}.x > 0",
    "x IS NULL",
    "f",
    "NOT {b}.f",
    "s <> 'a'",
    "x IS NOT NULL OR f",
    "id % 2 = 0",
    "{b}.x BETWEEN -1 AND 1",
    "s IN ('a', 'b') AND NOT (f AND x > 0)",
    "CASE WHEN f THEN x > 0 ELSE true END",
    "false",
)

# Spark's text, DuckDB's text if it differs, and the value for no row.
NUMBERS = (
    ("count(NULL)", "0", "0"),
    ("count({b}.*)", "count(*)", "0"),
    ("count({b}.x)", "", "0"),
    ("count({b}.x, {b}.f)", "count(*) FILTER (x IS NOT NULL AND f IS NOT NULL)", "0"),
    ("count(*) FILTER (WHERE {b}.x IS NULL)", "", "0"),
    ("count({b}.*) FILTER (WHERE {b}.x > 0)", "count(*) FILTER (x > 0)", "0"),
    ("count(DISTINCT {b}.x)", "", "0"),
    ("count(DISTINCT {b}.x) FILTER (WHERE {b}.f)", "", "0"),
    ("count(DISTINCT coalesce({b}.s, 'none'))", "", "0"),
    ("count(if({b}.x IS NULL, 1, NULL))", "count(CASE WHEN x IS NULL THEN 1 END)", "0"),
    ("count_if({b}.f)", "", "0"),
    ("sum({b}.x)", "", "NULL"),
    ("sum({b}.x + {b}.id)", "", "NULL"),
    ("sum(DISTINCT {b}.x)", "", "NULL"),
    ("sum({b}.x) FILTER (WHERE {b}.f)", "", "NULL"),
    ("sum({b}.id) FILTER (WHERE {b}.x IS NULL OR {b}.s IS NULL)", "", "NULL"),
    ("sum(coalesce({b}.x, 100))", "", "NULL"),
    ("sum(1) FILTER (WHERE {b}.s LIKE 'a%')", "", "NULL"),
    ("min({b}.x)", "", "NULL"),
    ("max({b}.x)", "", "NULL"),
    ("max(coalesce({b}.x, 7))", "", "NULL"),
    ("bit_or({b}.x)", "", "NULL"),
)
OTHERS = (
    ("avg({b}.x)", "", "NULL"),
    ("median({b}.x)", "", "NULL"),
    ("sum({b}.m)", "", "NULL"),
    ("max({b}.m)", "", "NULL"),
    ("min({b}.s)", "", "NULL"),
    ("max({b}.s)", "", "NULL"),
    ("bool_or({b}.f)", "", "NULL"),
    ("bool_and({b}.x IS NULL)", "", "NULL"),
    ("max_by({b}.s, {b}.id)", "arg_max_null(s, id)", "NULL"),
    ("min_by({b}.x, {b}.id)", "arg_min_null(x, id)", "NULL"),
    ("array_sort(collect_list({b}.x))", "list_sort(list(x) FILTER (x IS NOT NULL))", "[]"),
    ("array_sort(collect_set({b}.s))", "list_sort(list(DISTINCT s) FILTER (s IS NOT NULL))", "[]"),
    (
        "array_sort(collect_list(coalesce({b}.s, '?')) FILTER (WHERE {b}.id > 1))",
        "list_sort(list(coalesce(s, '?')) FILTER (id > 1))",
        "[]",
    ),
)
# Aggregates over a key, `{k}`, and columns of a branch; in DuckDB `{k}` is the branch's expression.
OF_ANY_KEY = (
    ("count({k}, coalesce({b}.x, 0))", "count(*)", "0"),
    (
        "count({b}.*) FILTER (WHERE {k} = {k} AND coalesce({b}.f, true))",
        "count(*) FILTER ({k} = {k} AND coalesce(f, true))",
        "0",
    ),
    ("count(coalesce({b}.s, CAST({k} AS STRING)))", "count(*)", "0"),
    ("count(CASE WHEN {b}.x > 0 THEN {k} WHEN {b}.f THEN NULL ELSE {k} END)", "", "0"),
    ("count(nullif({k}, CASE WHEN {b}.f THEN {k} END))", "", "0"),
    ("count(DISTINCT {k}, coalesce({b}.s, '?'))", "count(DISTINCT coalesce(s, '?'))", "0"),
    ("count(if({b}.x IS NULL, {k}, NULL)) FILTER (WHERE {k} IS NOT NULL)", "", "0"),
    ("count(filter(array({b}.s), v -> {k} IS NOT NULL))", "count(*)", "0"),
)
OF_INTEGRAL_KEY = (
    ("sum(CAST({k} AS BIGINT) + coalesce({b}.x, 0))", "", "NULL"),
    ("count(CAST({k} AS BIGINT) + CASE WHEN {b}.x > 1 THEN {b}.id ELSE 1 END)", "", "0"),
    ("sum({k} * CASE WHEN {b}.x > 1 THEN CAST({b}.id AS BIGINT) ELSE 1 END)", "", "NULL"),
    ("max(coalesce({b}.x, {k}) - CAST({b}.id AS BIGINT))", "", "NULL"),
    ("sum(coalesce({b}.x, {k})) FILTER (WHERE {k} > 0)", "", "NULL"),
    (
        "min(CASE WHEN {k} % 2 = 0 THEN coalesce({b}.x, {k}) WHEN {b}.f THEN nullif({b}.x, {k}) "
        "ELSE {k} END)",
        "",
        "NULL",
    ),
    (
        "max(element_at(transform(array(coalesce({b}.x, 1)), v -> v + CAST({k} AS BIGINT)), 1))",
        "max(coalesce(x, 1) + {k})",
        "NULL",
    ),
)
# Aggregates that fail in a row whose id is NULL, as it is only in rows of the other branches.
FAILING = (
    (
        "(sum(100 div coalesce({b}.id, 0)) + max(100 div coalesce({b}.id, 0)))",
        "sum(100 // id) + max(100 // id)",
        "NULL",
    ),
    (
        "sum({b}.x) FILTER (WHERE 100 div coalesce({b}.id, 0) > 30)",
        "sum(x) FILTER (100 // id > 30)",
        "NULL",
    ),
    (
        "(max(CAST(concat_ws('', {b}.id) AS INT)) + min(CAST(concat_ws('', {b}.id) AS INT)))",
        "max(id) + min(id)",
        "NULL",
    ),
)
ALL_ROWS = (Piece(None, "count(*)", ""), Piece(None, "count(1)", ""))
COMBINED = (
    "{0} + {1}",
    "{0} - {1}",
    "coalesce({0}, 0) + coalesce({1}, 0)",
    "greatest({0}, {1})",
    "{0} / nullif({1}, 0)",
    "CASE WHEN {0} > {1} THEN 'more' ELSE 'no more' END",
    "{0} IS NULL OR {1} > 1",
    "({0} + {1}) * {2}",
)
CONDITIONS = (
    "{0} > 1",
    "{0} IS NOT NULL",
    "{0} >= {1}",
    "({0} > 1 OR {1} IS NULL)",
    "{c[0]} IS NOT NULL",
)


def _some(chance: int) -> st.SearchStrategy[bool]:
    """Returns a strategy for booleans that are true once in `chance` times."""
    return st.sampled_from([False] * (chance - 1) + [True])


@st.composite
def tables(draw: st.DrawFn, name: str, families: list[str], keys: list[str]) -> Table:
    key_types = [draw(st.sampled_from(sorted(FAMILIES[family]))) for family in families]
    x_type = draw(st.sampled_from(sorted(INTEGRAL)))
    columns = [*zip(keys, key_types, strict=True), ("id", "INT"), ("x", x_type), ("s", "STRING")]
    columns += [("f", "BOOLEAN"), ("m", "DECIMAL(6, 2)"), (f"z_{name}", "INT")]
    pools: list[tuple[str | None, ...]] = [
        (*FAMILIES[family][kind], None) for family, kind in zip(families, key_types, strict=True)
    ]
    x_pool = (None, "0", "1", "2", "-2", "100")
    pools += [x_pool, (None, "", "a", "b", "é"), (None, "true", "false")]
    pools += [(None, "0", "-0.5", "9999.99"), x_pool]
    least = draw(st.sampled_from([0, 1, 4, 6]))  # left alone, hypothesis likes empty tables
    rows = draw(st.lists(st.tuples(*map(st.sampled_from, pools)), min_size=least, max_size=8))
    at = len(keys)
    numbered = tuple((*row[:at], str(i + 1), *row[at:]) for i, row in enumerate(rows))
    return Table(
        name, tuple(columns), numbered, draw(_some(3)), draw(st.sampled_from([1, 1, 2, 3]))
    )


@st.composite
def branches(draw: st.DrawFn, tables: list[Table], families: list[str]) -> list[Branch]:
    names = [table.name for table in tables]
    chosen = draw(st.lists(st.sampled_from(names), min_size=draw(st.integers(2, 4)), max_size=6))
    columns = {table.name: [name for name, _ in table.columns] for table in tables}
    shared = len({tuple(columns[name][: len(families)]) for name in chosen}) == 1
    using = shared and draw(st.booleans())
    found = []
    for index, table in enumerate(chosen):
        by = not using or (index > 0 and draw(_some(4)))
        keys = tuple(
            Key(columns[table][i], draw(st.sampled_from(KEY_EXPRESSIONS[family])) if by else "{0}")
            for i, family in enumerate(families)
        )
        name = table if chosen.count(table) == 1 and draw(st.booleans()) else f"b{index}"
        form = "{t}" if name == table else draw(st.sampled_from(RELATIONS))
        spark = form.format(t=table, b=name)
        where = draw(st.sampled_from(WHERE)) if draw(_some(3)) else None
        found.append(Branch(table, name, spark, keys, where, by))
    return found


def _name_keys(draw: st.DrawFn, found: list[Branch]) -> list[Branch]:
    """Gives some keys a name, and all those whose first branch has an expression."""
    for i in range(len(found[0].keys)):
        name = draw(st.none() | st.sampled_from([f"g{i}", f"the key {i}", "xsf"[i]]))
        forced = found[0].keys[i].expression != "{0}"
        if name is None and forced:
            name = f"g{i}"
        for index, branch in enumerate(found):
            if name and branch.by and ((forced and index == 0) or draw(st.booleans())):
                key = replace(branch.keys[i], name=name)
                keys = (*branch.keys[:i], key, *branch.keys[i + 1 :])
                found[index] = replace(branch, keys=keys)
    return found


def _piece(draw: st.DrawFn, found: list[Branch], pool: tuple[tuple[str, str, str], ...]) -> Piece:
    spark, duckdb, empty = draw(st.sampled_from(pool))
    return Piece(draw(st.integers(0, len(found) - 1)), spark, duckdb or spark, empty)


def _over_key(draw: st.DrawFn, found: list[Branch], families: list[str]) -> Piece:
    """Draws an aggregate over a key and columns of a branch, which gives an integer."""
    i = draw(st.integers(0, len(families) - 1))
    pool = OF_ANY_KEY + (OF_INTEGRAL_KEY if families[i] == "integral" else ())
    spark, duckdb, empty = draw(st.sampled_from(pool))
    spark, duckdb = (text.replace("{k}", f"{{k[{i}]}}") for text in (spark, duckdb or spark))
    return _piece(draw, found, ((spark, duckdb, empty),))


def _number(draw: st.DrawFn, found: list[Branch], families: list[str]) -> Piece:
    """Draws an aggregate that gives an integer."""
    if draw(_some(4)):
        return _over_key(draw, found, families)
    index = draw(st.integers(0, len(found) - 1))
    table = found[index].table
    if draw(_some(6)):
        return draw(st.sampled_from(ALL_ROWS))
    if [branch.table for branch in found].count(table) == 1 and draw(_some(3)):
        # a column that no other branch has needs no qualifier
        return Piece(index, f"sum(z_{table})", f"sum(z_{table})")
    return _piece(draw, found, NUMBERS + FAILING)


def _column(draw: st.DrawFn, found: list[Branch], families: list[str]) -> Expression:
    kind = draw(
        st.sampled_from(["one", "one", "number", "combined", "of key", "with key", "over key"])
    )
    if kind == "one":
        return Expression("{0}", (_piece(draw, found, NUMBERS + OTHERS),))
    if kind == "over key":
        return Expression("{0}", (_over_key(draw, found, families),))
    if kind == "combined":
        template = draw(st.sampled_from(COMBINED))
        pieces = tuple(_number(draw, found, families) for _ in range(template.count("{")))
        return Expression(template, pieces)
    if kind == "of key":
        index = draw(st.integers(0, len(found) - 1))
        text = f"max({{b}}.{draw(st.sampled_from(found[index].keys)).column})"
        return Expression("{0}", (Piece(index, text, text),))
    integral = [i for i, family in enumerate(families) if family == "integral"]
    if kind == "with key" and integral:
        return Expression(f"{{0}} * {{k[{integral[0]}]}}", (_number(draw, found, families),))
    return Expression("{0}", (_number(draw, found, families),))


def _on_key(draw: st.DrawFn, families: list[str]) -> Expression:
    i = draw(st.integers(0, len(families) - 1))
    family = families[i]
    value = draw(st.sampled_from(sorted({v for vs in FAMILIES[family].values() for v in vs})))
    operator = draw(st.sampled_from(["=", "<>", ">="]))
    return Expression(f"{{k[{i}]}} {operator} {sql_literal(value, WIDEST[family])}")


def _condition(draw: st.DrawFn, found: list[Branch], families: list[str]) -> Expression:
    """Draws one or two conditions with AND; the numbers of pieces go on in the second."""
    parts = [
        _on_key(draw, families)
        if draw(_some(3))
        else Expression(
            draw(st.sampled_from(CONDITIONS)),
            (_number(draw, found, families), _number(draw, found, families)),
        )
        for _ in range(draw(st.integers(1, 2)))
    ]
    starts = accumulate((len(part.pieces) for part in parts), initial=0)
    texts = [
        part.template.replace("{0}", f"{{{at}}}").replace("{1}", f"{{{at + 1}}}")
        for part, at in zip(parts, starts, strict=False)
    ]
    return Expression(" AND ".join(texts), tuple(p for part in parts for p in part.pieces))


@st.composite
def cogroups(draw: st.DrawFn) -> CoGroup:
    """Draws a random statement with its tables."""
    families = draw(st.lists(st.sampled_from(sorted(FAMILIES)), min_size=1, max_size=3))
    shared = draw(st.booleans())
    names = [f"t{i}" for i in range(draw(st.integers(1, 4)))]
    made = [
        draw(
            tables(
                name,
                families,
                [f"k{i}" if shared else f"{name}_k{i}" for i in range(len(families))],
            )
        )
        for name in names
    ]
    found = _name_keys(draw, draw(branches(made, families)))
    columns = [_column(draw, found, families) for _ in range(draw(st.integers(1, 7)))]
    if draw(_some(4)):  # all aggregates at once; else the few examples would miss some
        each_once = NUMBERS + OTHERS + FAILING
        columns += [Expression("{0}", (_piece(draw, found, (each,)),)) for each in each_once]
    directions = st.sampled_from(["", " ASC", " DESC"])
    order = [f"{{k[{i}]}}{draw(directions)}" for i in range(len(families))]
    ordered = draw(st.booleans())
    if ordered and draw(st.booleans()):
        order.insert(0, "{c[0]} DESC NULLS LAST")
    return CoGroup(
        tuple(table for table in made if table.name in {branch.table for branch in found}),
        tuple(families),
        tuple(found),
        tuple(columns),
        presence=draw(st.sampled_from([0, 0, 0, 1, 2, len(found)])),
        having=_condition(draw, found, families) if draw(_some(4)) else None,
        outer=_on_key(draw, families) if draw(_some(8)) else None,
        order=tuple(order) if ordered else (),
        limit=draw(st.none() | st.integers(1, 3)) if ordered else None,
    )
