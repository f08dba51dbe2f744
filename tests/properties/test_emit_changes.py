"""A table that takes the changes of EMIT ON CHANGE WITH CHANGE TYPE equals the batch query.

Random queries run over random micro-batches, with a restart in between and in random stores; after
each micro-batch the table is compared with the batch query over all files so far. The table takes
each change strictly: an insert brings a new key, a delete and the row before an update are the row
that the table has. UPSERT INTO a table that MERGEs runs one of the queries again, by SQL. The
ordinary test runs 24 queries, the slow ones 240.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

from properties.emit_forms import Row
from properties.emit_grammar import expression
from properties.emit_queries import KEYS
from properties.emit_runs import (
    CHANGELOG,
    COLUMNS,
    HDFS,
    ROCKSDB,
    Run,
    canonical,
    random_batches,
    run,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

QUERIES, BATCHES = 12, 4
TYPED = "EMIT ON CHANGE {}WITH CHANGE TYPE BEFORE"
ALL = "struct(ts, k, j, v, d, s)"  # only equal rows have equal values


@dataclass(frozen=True)
class Query:
    """A query with typed changes.

    Attributes:
        sql: the query.
        keys: number of columns that identify a row.
        batch: the batch query that the table equals; None: the rows of `plain` tell.
        plain: the same rows as a stream, and in the last column whether they delete their key.
    """

    sql: str
    keys: int
    batch: str | None
    plain: str = ""


@pytest.mark.parametrize(
    "number", [0, 1, *(pytest.param(n, marks=pytest.mark.slow) for n in range(2, 20))]
)
def test_the_target_equals_the_query(spark: SparkSession, tmp_path: Path, number: int) -> None:
    seed = f"changes {number}"
    random = Random(seed)
    queries = [_query(random) for _ in range(QUERIES)]
    data = random_batches(seed, BATCHES)
    stores = [*HDFS, *ROCKSDB, *CHANGELOG]
    found = [
        Run(query.sql, tmp_path / f"q{i}", stores[(number + i) % len(stores)])
        for i, query in enumerate(queries)
    ]
    plain = {
        i: Run(query.plain, tmp_path / f"p{i}", HDFS[1], "append")
        for i, query in enumerate(queries)
        if query.plain
    }
    run(spark, [*plain.values(), *found], data, tmp_path, 1 + number % (BATCHES - 1))
    maintained = _grouped(random, ["k"], ("",), "groups")
    table = f"lake.maintained{number}.target"
    upsert(spark, table, maintained, tmp_path / "upsert")
    targets: list[dict[str, str]] = [{} for _ in queries]
    expected: list[dict[str, str]] = [{} for _ in queries]
    for batch in range(BATCHES):
        for name in "tu":
            files = [str(tmp_path / name / f"{i}.json") for i in range(batch + 1)]
            spark.read.schema(COLUMNS).json(files).createOrReplaceTempView(name)
        for i, query in enumerate(queries):
            apply(targets[i], found[i].rows[batch], query)
            if query.batch is None:
                replay(expected[i], plain[i].rows[batch], query.keys)
            else:
                rows = [tuple(map(canonical, row)) for row in spark.sql(query.batch).collect()]
                expected[i] = {text(row[: query.keys]): text(row) for row in rows}
            assert targets[i] == expected[i], (batch, query, found[i].store)
    expected_rows = spark.sql(str(maintained.batch)).collect()
    assert sorted(map(text, spark.table(table).collect())) == sorted(map(text, expected_rows))
    changes = {row[-1] for each in found for rows in each.rows.values() for row in rows}
    assert changes == {"insert", "update_preimage", "update_postimage", "delete"}


def upsert(spark: SparkSession, table: str, query: Query, checkpoint: Path) -> None:
    """Maintains a table, of the columns of the batch query, from the first file to the last."""
    columns = spark.sql(query.sql).drop("_change_type").schema
    spark.createDataFrame([], columns).writeTo(table).create()
    spark.sql(
        f"START STREAMING QUERY maintaining TRIGGER AVAILABLE NOW CHECKPOINT '{checkpoint}' "
        f"AS UPSERT INTO {table} KEY (g0) {query.sql}"
    )
    spark.sql("AWAIT STREAMING QUERY maintaining")
    spark.sql("DROP STREAMING QUERY maintaining")


def apply(target: dict[str, str], changes: list[Row], query: Query) -> None:
    """Applies the changes of a micro-batch, in their order, to a table."""
    for *columns, change in changes:
        key, row = text(columns[: query.keys]), text(columns)
        if change == "insert":
            assert key not in target, query
        else:
            before = target.pop(key)
            assert change == "update_postimage" or before == row, query
        if change != "delete":
            target[key] = row


def replay(target: dict[str, str], rows: list[Row], keys: int) -> None:
    """Keeps the last row of each key, unless it deletes the key."""
    for *columns, deletes in rows:
        target.pop(text(columns[:keys]), None)
        if not deletes:
            target[text(columns[:keys])] = text(columns)


def text(row: list[object] | Row) -> str:
    """Returns what a row prints; which of 0.0 and -0.0 a maximum is, depends on the order."""
    return str(tuple(row)).replace("-0.0", "0.0")


def _query(random: Random) -> Query:
    kind = random.choice(["groups", "groups", "cogroup", "filtered", "ordered", "arrival"])
    if kind in ("ordered", "arrival"):
        return _keyed(random, ordered=kind == "ordered")
    if kind == "cogroup":
        return _grouped(random, [], ("t.", "u."), kind)
    return _grouped(random, random.sample(KEYS, random.choice([0, 1, 1, 2])), ("",), kind)


def _grouped(random: Random, keys: list[str], branches: tuple[str, ...], kind: str) -> Query:
    """Returns a query over an aggregation, whose HAVING or WHERE lets groups come and go."""
    names = [f"g{i}" for i in range(len(keys))]
    if kind == "cogroup":
        names = ["g0"]
    columns = [f"{expression(random, 'A', 3, branches)} AS r{i}" for i in range(2)]
    condition = random.choice([expression(random, "B", 3, branches), "count(*) % 2 = 0"])
    listed = [*(f"{key} AS {name}" for key, name in zip(keys, names, strict=False)), *columns]
    if kind == "cogroup":
        key = random.choice(["k", "v", "j", "coalesce(k, 0)"])
        having = random.choice(["EVERY BRANCH", condition])
        sql = f"COGROUP t BY ({key} AS g0), u BY ({key}) AGGREGATE {', '.join(columns)}"
        sql = f"{sql} HAVING {having}"
    elif kind == "filtered":
        by = f" GROUP BY {', '.join(keys)}" if keys else " HAVING count(*) > 0"
        inner = f"SELECT {', '.join([*listed, f'{condition} AS shown'])} FROM t{by}"
        sql = f"SELECT {', '.join([*names, 'r0', 'r1'])} FROM ({inner}) WHERE shown"
    else:
        by = f" GROUP BY {', '.join(keys)}" if keys else ""
        sql = f"SELECT {', '.join(listed)} FROM t{by} HAVING count(*) > 0 AND {condition}"
    return Query(f"{sql} {TYPED.format('')}", len(names), sql)


def _keyed(random: Random, *, ordered: bool) -> Query:
    key = random.choice(["k", "j", "v", "k % 2", "coalesce(j, s)"])
    columns = f"{key} AS g0, {expression(random, 'a', 2)} AS r0, {expression(random, 'b', 3)} AS r1"
    condition = random.choice(["r1", "r0 IS NULL", "NOT r1", "g0 IS NULL OR r1"])
    rows = f"SELECT {columns}, {ALL} AS o FROM t"
    by = " ORDER BY o" if ordered else ""
    clause = TYPED.format(f"KEY (g0){by} APPLY AS DELETE WHEN {condition} ")
    if not ordered:
        plain = f"SELECT *, coalesce({condition}, false) AS gone FROM ({rows})"
        return Query(f"{rows} {clause}", 1, None, plain)
    ranked = f"SELECT *, row_number() OVER (PARTITION BY g0 ORDER BY o DESC) AS n FROM ({rows})"
    left = f"n = 1 AND NOT coalesce({condition}, false)"
    return Query(f"{rows} {clause}", 1, f"SELECT g0, r0, r1, o FROM ({ranked}) WHERE {left}")
