"""Random queries of EMIT ON CHANGE WITH CHANGE TYPE, and tables that take their changes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from properties.emit_forms import Row
from properties.emit_grammar import expression
from properties.emit_queries import KEYS
from properties.emit_runs import random_batches, read_as_streams, read_files

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Documents = dict[str, Any]

TYPED = "EMIT ON CHANGE {}WITH CHANGE TYPE BEFORE"
ALL = "struct(ts, k, j, v, d, s)"  # only equal rows have equal values
KEY, RESULT = "to_json(struct(g0))", "to_json(struct(r0, r1))"
NO_ROW_IS_LATE = "WATERMARK ts DELAY OF INTERVAL 1 HOUR"


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


def random_query(random: Random) -> Query:
    """Returns a query over the streams t and u."""
    kind = random.choice(
        ["groups", "groups", "cogroup", "filtered", "ordered", "arrival", "sessions"]
    )
    if kind == "sessions":
        return _sessions(random)
    if kind in ("ordered", "arrival"):
        return _keyed(random, ordered=kind == "ordered")
    if kind == "cogroup":
        return grouped(random, [], ("t.", "u."), kind)
    return grouped(random, random.sample(KEYS, random.choice([0, 1, 1, 2])), ("",), kind)


def grouped(random: Random, keys: list[str], branches: tuple[str, ...], kind: str) -> Query:
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


def _sessions(random: Random) -> Query:
    """Returns a query over sessions, which grow and merge; none is closed."""
    column = expression(random, "A", 3, ("",))
    having = random.choice([expression(random, "B", 3, ("",)), "count(*) % 2 = 0"])
    gap = f"{random.choice([1, 3, 6])} seconds"
    sql = (
        f"SELECT g0, w.start, w.end, r0 FROM (SELECT k AS g0, session_window AS w, {column} AS r0 "
        f"FROM t {{}} GROUP BY k, session_window(ts, '{gap}') HAVING {having})"
    )
    if random.random() < 0.5:
        key = f"(k AS g0, session_window(ts, '{gap}') AS w)"
        column = expression(random, "A", 3, ("t.", "u."))
        sql = (
            "SELECT g0, w.start, w.end, r0 FROM "
            f"(COGROUP t {{0}} AS t BY {key}, u {{0}} AS u BY {key} AGGREGATE {column} AS r0)"
        )
    return Query(f"{sql.format(NO_ROW_IS_LATE)} {TYPED.format('')}", 3, sql.format(""))


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


def maintain(
    spark: SparkSession, folder: Path, statement: Callable[[int, str], str]
) -> list[Documents]:
    """Lets random queries maintain targets, and restarts them between files.

    Args:
        spark: a session.
        folder: a folder for the files and checkpoints.
        statement: returns the INSERT INTO or UPSERT INTO by the number and the text of the query,
            whose columns are `g0`, which may be NULL, and `r0` and `r1`.

    Returns:
        What each target must hold: the rows as `documents` returns them.
    """
    random = Random("targets")
    queries = [grouped(random, ["k"], ("",), kind) for kind in ("groups", "filtered", "groups")]
    data = random_batches("targets", 4)
    for which in (range(2), range(2, 4)):
        data.write(folder, which)
        read_as_streams(spark, folder)
        for i, query in enumerate(queries):
            spark.sql(
                f"START STREAMING QUERY maintains{i} TRIGGER AVAILABLE NOW "
                f"CHECKPOINT '{folder}/maintains{i}' AS {statement(i, query.sql)}"
            )
        for i in range(len(queries)):
            spark.sql(f"AWAIT STREAMING QUERY maintains{i}")
            spark.sql(f"DROP STREAMING QUERY maintains{i}")
    read_files(spark, folder, len(data.batches))
    rows = f"SELECT {KEY}, {RESULT} FROM"
    return [documents(spark.sql(f"{rows} ({query.batch})").collect()) for query in queries]


def documents(rows: Iterable[tuple[Any, ...]]) -> Documents:
    """Returns the result of each key, from rows of `KEY` and `RESULT`."""
    return {key: json.loads(value.replace("-0.0", "0.0")) for key, value in rows}
