"""The cases of the tests of Kafka Streams: what they give here, and their programs in SQL.

`cases/kafka.json` has the inputs and what Kafka emits, and `cases/kafka_differences.toml` what is
different here. A program reads one view an input, with the columns key, value, ts and seq, the
position of a record among those of all inputs. It returns key, the bounds of a window if it has
one, value and ts; times are milliseconds.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

Case = dict[str, Any]
Difference = dict[str, Any]
Row = tuple[Any, ...]

_FOLDER = Path(__file__).with_name("cases")
CASES: list[Case] = json.loads((_FOLDER / "kafka.json").read_text("utf-8"))
DIFFERENCES: list[Difference] = tomllib.loads(
    (_FOLDER / "kafka_differences.toml").read_text("utf-8")
)["difference"]
# A branch for the cases of one stream, since COGROUP needs two.
SILENT = "silent"


def differences(case: Case) -> list[Difference]:
    return [found for found in DIFFERENCES if case["name"] in found.get("cases", ())]


def reason_not_to_run(case: Case) -> str | None:
    """Returns why a case has no meaning here, or None if it has one."""
    return next((found["why"] for found in differences(case) if not found.get("runs", True)), None)


def expectation(case: Case) -> str:
    """Returns the name of the case's list of rows that holds here."""
    return next((found["expect"] for found in differences(case) if "expect" in found), "expected")


def expected(case: Case, rows: str) -> list[Row]:
    """Returns the rows of a list of the case, after what is different here."""
    values: dict[str, str] = {}
    absent: list[Case] = []
    for found in differences(case):
        values |= found.get("values", {})
        absent += found.get("without", [])
    assert set(values) <= {row["value"] for row in case[rows]}
    assert all(row in case[rows] for row in absent)
    kept = [row for row in case[rows] if row not in absent]
    return [as_row({**row, "value": values.get(row["value"], row["value"])}) for row in kept]


def as_row(row: Case) -> Row:
    """Returns key, bounds of the window, value and time; key and value are text, as in a topic."""
    key = None if row["key"] is None else str(row["key"])
    return (key, *row.get("window", ()), str(row["value"]), row["ts"])


def last(rows: Iterable[Row]) -> list[Row]:
    """Returns the last row of each key and window, sorted."""
    return sorted({row[:-2]: row for row in rows}.values())


def cogroup(case: Case) -> str:
    """Returns a cogroup as a query; its ends of sessions are those of Kafka."""
    params = case["params"]
    keys, columns = "key", "key"
    if params["op"] == "cogroup_time_window":
        assert params["advance"] == params["size"], "a hopping window also needs start >= 0"
        keys = f"(key, window(ts, '{params['size']} milliseconds') AS w)"
        columns = "key, unix_millis(w.start) AS start, unix_millis(w.end) AS end"
    elif params["op"] == "cogroup_session":
        keys = f"(key, session_window(ts, '{params['gap']} milliseconds') AS w)"
        # Kafka's session ends at its last event, Spark's one gap later
        end = f"unix_millis(w.end) - {params['gap']} AS end"
        columns = f"key, unix_millis(w.start) AS start, {end}"
    # Kafka drops a NULL value unless there is a window; in SQL such a row counts
    where = "WHERE value IS NOT NULL" if params["op"] == "cogroup" else ""
    names = [*case["inputs"], SILENT]
    branches = ", ".join(f"{name} {where} BY {keys}" for name in names)
    # Kafka folds in order of arrival, which SQL must be told: `seq`, over all branches
    steps = ", ".join(
        f"collect_list(struct({name}.seq, concat('{_sign(case, name)}', {name}.value) AS step))"
        for name in names
    )
    times = ", ".join(f"max({name}.ts)" for name in names)
    return f"""
        SELECT {columns}, value, unix_millis(ts) AS ts FROM (
          COGROUP {branches}
          AGGREGATE aggregate(array_sort(concat({steps})), '{params["init"]}',
                              (folded, row) -> concat(folded, row.step)) AS value,
                    greatest({times}) AS ts)
    """


def _sign(case: Case, name: str) -> str:
    sign = case["params"]["agg"].get(name, "")
    return "" if sign == "concat" else str(sign)


def windows(case: Case) -> str:
    """Returns an aggregation over windows, as a query; Kafka drops records without a key."""
    params = case["params"]
    size = params["size"]
    (name,) = case["inputs"]
    if params["op"] == "suppress_final":
        value = "string(count(*))"
    else:
        steps = "array_sort(collect_list(struct(seq, value)))"
        value = f"aggregate({steps}, '{params['init']}', (a, row) -> concat(a, '+', row.value))"
    slide = params.get("advance", size)
    window = f"window(ts, '{size} milliseconds', '{slide} milliseconds')"
    return f"""
        SELECT key, unix_millis(window.start) AS start, unix_millis(window.end) AS end,
               {value} AS value, unix_millis(max(ts)) AS ts
        FROM `{name}` WHERE key IS NOT NULL GROUP BY key, {window}
        HAVING window.start >= timestamp_seconds(0)"""


def changes(case: Case) -> str:
    """Returns what changes of a source table, as a query."""
    (name,) = case["inputs"]
    return f"""
        SELECT key, value, unix_millis(ts) AS ts FROM {name}
        EMIT ON CHANGE OF (value) KEY (key)"""


def lookups(case: Case, table: str) -> str:
    """Returns the join of `stream` with a global table that has the columns key and value."""
    params = case["params"]
    by_value = params.get("lookup") == "value"
    key = "s.value" if by_value else "get(split(s.value, ','), 1)"
    return f"""
        SELECT s.key, concat(s.value, '+', coalesce(t.value, 'null')) AS value,
               unix_millis(s.ts) AS ts
        FROM `stream` AS s {params["join"]} JOIN {table} AS t ON t.key = {key}"""


def rekeyed(case: Case) -> str:
    """Returns what the case computes of each new key, in one aggregation."""
    (name,) = case["inputs"]
    values = "transform(array_sort(collect_list(struct(seq, value))), row -> row.value)"
    return f"""
        SELECT upper(key) AS key, count(*) AS count, sum(length(value)) AS sum_len,
               array_join({values}, ':') AS reduce,
               concat(max_by(value, seq), ':', count(*)) AS `join(last per key)`
        FROM {name} GROUP BY upper(key)"""
