"""Random streaming queries over the tables `a`, `b` and `c`, some of which have no new rows."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

TABLES = "abc"
COLUMNS = "k STRING, v INT, ts TIMESTAMP"

# What is NULL, or a constant, in the rows of one table only.
EXTRAS = ["1", "v", "CAST(NULL AS INT)", "coalesce(v, 0)", "length(k)"]

# Functions of the union's columns k, v, x and y.
FUNCTIONS = [
    "count(*)",
    "count(x)",
    "count(y)",
    "count(x, y)",
    "count(v)",
    "count(k)",
    "count(struct(x, y))",
    "count(coalesce(x, y))",
    "count(x + y)",
    "count_if(x = 1)",
    "sum(x)",
    "sum(coalesce(x, 0))",
    "sum(v) FILTER (WHERE x IS NULL)",
    "sum(v) FILTER (WHERE x IS NOT NULL)",
    "sum(v) FILTER (WHERE y <=> NULL)",
    "max(v)",
    "min(y)",
    "avg(v)",
    "max(upper(k)) FILTER (WHERE x IS NULL)",
    "array_sort(collect_list(v) FILTER (WHERE y IS NULL))",
    "max(struct(v, x)).x",
    "regr_count(x, 1)",
]


def union(extras: Sequence[Sequence[str]], stream: str = "STREAM ") -> str:
    """Returns a UNION ALL of as many tables as there are lists of extra columns."""
    return " UNION ALL ".join(
        f"SELECT k, v, ts, {x} AS x, {y} AS y FROM {stream}{table}"
        for table, (x, y) in zip(TABLES, extras, strict=False)
    )


def random_union(random: Random) -> str:
    """Returns an aggregation over a UNION ALL, with EMIT."""
    extras = [random.choices(EXTRAS, k=2) for _ in range(random.choice([2, 2, 3]))]
    key = random.choice(["k", "k", "x IS NULL", "coalesce(x, 0)"])
    chosen = [f"{f} AS f{i}" for i, f in enumerate(random.sample(FUNCTIONS, random.randint(2, 5)))]
    emit = random.choice(["ON CHANGE", "ON UPDATE"])
    return (
        f"SELECT {key} AS key, {', '.join(chosen)} FROM ({union(extras)}) AS q "
        f"GROUP BY {key} EMIT {emit}"
    )


def random_cogroup(random: Random) -> str:
    """Returns a COGROUP, with EMIT."""
    names = TABLES[: random.choice([2, 2, 3])]
    branches = [
        random.choice(
            [
                f"STREAM {name} AS {name} BY k",
                f"STREAM {name} AS {name} BY coalesce(k, 'n')",
                f"(SELECT k, v, 1 AS one FROM STREAM {name}) AS {name} BY k",
            ]
        )
        for name in names
    ]
    functions = ["count(*)", "count(key)"]
    for name, branch in zip(names, branches, strict=True):
        functions += [f"count({name}.*)", f"count({name}.v)", f"sum({name}.v)", f"max({name}.v)"]
        functions += [f"sum(coalesce({name}.v, 0))", f"count(coalesce({name}.v, 0))"]
        if "one" in branch:
            functions += [f"count({name}.one)", f"sum({name}.v) FILTER (WHERE {name}.one IS NULL)"]
    branches[0] += " AS key"
    chosen = [f"{f} AS f{i}" for i, f in enumerate(random.sample(functions, random.randint(2, 5)))]
    having = random.choice(["", "", "HAVING EVERY BRANCH", "HAVING count(a.*) > 0"])
    return f"COGROUP {', '.join(branches)} AGGREGATE {', '.join(chosen)} {having} EMIT ON CHANGE"


def random_query(random: Random) -> str:
    return random.choice([random_union, random_cogroup])(random)


def batch(sql: str) -> str:
    """Returns the batch query with the same rows."""
    return sql.partition(" EMIT ")[0].replace("STREAM ", "")
