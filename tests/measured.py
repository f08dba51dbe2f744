"""The table of the first page: what people use today, what stands here, and what was measured."""

from __future__ import annotations

import json

from pages import ROOT
from tables import table


def _cell(result: str, shown: str, **found: object) -> str:
    """Returns figures of a result, `benchmarks/results/*.json`.

    Args:
        result: name of the file.
        shown: text with fields such as `{0[p50 ms]}`.
        **found: what the row has in the columns of these names, where `_per_` stands for a slash.
    """
    rows = json.loads((ROOT / f"benchmarks/results/{result}.json").read_text())["rows"]
    (row,) = (
        row
        for row in rows
        if all(str(row[name.replace("_per_", "/")]) == str(value) for name, value in found.items())
    )
    return shown.format(row)


def _link(result: str, text: str) -> str:
    return f"[{text}](../benchmarks/results/{result}.json)"


def _pair(result: str, shown: str, theirs: str, ours: str, **at: object) -> tuple[str, str]:
    """Returns the same figures of two ways, theirs and ours."""
    return _cell(result, shown, way=theirs, **at), _cell(result, shown, way=ours, **at)


def result_table(result: str) -> str:
    """Returns the whole result of a benchmark."""
    rows = json.loads((ROOT / f"benchmarks/results/{result}.json").read_text())["rows"]
    cells = (tuple("" if value is None else str(value) for value in row.values()) for row in rows)
    return table(tuple(rows[0]), *cells)


def paired_table(result: str, down: tuple[str, ...], across: str, shown: dict[str, str]) -> str:
    """Returns a result with the values of one column beside each other.

    Args:
        result: name of the file.
        down: the columns that a row begins with, and that make it.
        across: the column whose values each have columns of the table.
        shown: for each of these columns its title, and a text with fields of the row.
    """
    rows = json.loads((ROOT / f"benchmarks/results/{result}.json").read_text())["rows"]
    values = dict.fromkeys(row[across] for row in rows)
    found: dict[tuple[str, ...], list[str]] = {}
    for row in rows:
        cells = found.setdefault(tuple(row[name] for name in down), [])
        cells.extend(text.format(row) for text in shown.values())
    head = (*down, *(f"{value}: {title}" for value in values for title in shown))
    return table(head, *((*begin, *cells) for begin, cells in found.items()))


def measured_table() -> str:
    """Returns a row for each thing that a clause stands for."""
    rows = [("what people use", "here", "what was measured", "theirs", "ours")]
    for query, what in (
        ("one aggregate a branch", "3 tables of 1,500,000 rows, CPU"),
        ("six and a list", "the same with a `collect_list`, CPU"),
    ):
        rows.append(
            (
                "FULL OUTER JOIN of one aggregate a table",
                "[COGROUP](sql/cogroup.md)",
                _link("cogroup", what),
                _cell("cogroup", "{0[outer join]} s", query=query),
                _cell("cogroup", "{0[COGROUP]} s", query=query),
            )
        )
    case = "dim of 1,000,000"
    rows.append(
        (
            "broadcast join",
            "[global table](sql/globaltable.md)",
            _link("globaltable", "a micro-batch of 1,000 rows, a table of 1,000,000, time"),
            *_pair("globaltable", "{0[wall ms]} ms", "BROADCAST", "global table", case=case),
        )
    )
    case, ours = "batch of 4,000,000", "{0[all CPU ms]} ms, {1} ms if the copy is not there yet"
    unbuilt = _cell("globaltable", "{0[all CPU ms]}", case=case, way="global, to build")
    rows.append(
        (
            "broadcast join",
            "[global table](sql/globaltable.md)",
            _link("globaltable", "one batch query of 4,000,000 rows, the same table, CPU"),
            _cell("globaltable", "{0[all CPU ms]} ms", case=case, way="BROADCAST"),
            _cell(
                "globaltable",
                ours.replace("{1}", unbuilt),
                case=case,
                way="global, replica there",
            ),
        )
    )
    same, ways = {"same": "90 %"}, ("foreachBatch", "EMIT ON CHANGE")
    for store, named in (("HDFS", "HDFS state store"), ("RocksDB", "RocksDB")):
        rows.append(
            (
                "foreachBatch that compares with what the sink holds",
                "[EMIT ON CHANGE](sql/emit.md)",
                _link("emit", f"100,000 keys, 9 of 10 unchanged, {named}, CPU of a micro-batch"),
                *_pair("emit", "{0[all ms]} ms", *ways, store=store, **same),
            )
        )
    ways = ("MERGE of what differs", "UPSERT INTO, EMIT ON CHANGE")
    rows.append(
        (
            "foreachBatch with MERGE",
            "[UPSERT INTO](table-formats.md#upsert-into)",
            _link("merge", "500,000 keys in Delta, 9 of 10 unchanged, 6 micro-batches, CPU"),
            *_pair("merge", "{0[CPU s]} s", *ways, **same),
        )
    )
    query = "count BY user, item"
    rows.append(
        (
            "a shuffle of files that hold the rows of a key together",
            "[ASSUME](sql/assume.md)",
            _link("assume", "4,000,000 rows by user and item, CPU"),
            _cell("assume", "{0[plain]} s", query=query),
            _cell("assume", "{0[cold]} s, then {0[cached]} s", query=query),
        )
    )
    shown = "{0[p50 ms]} ms, {0[p99 ms]} ms"
    for job, here, what in (
        ("lookup", "global table, [real time](real-time.md)", "a lookup"),
        ("cogroup", "COGROUP, [real time](real-time.md)", "a cogroup"),
    ):
        at = {"job": job, "records_per_s": 500}
        rows.append(
            (
                "Kafka Streams",
                here,
                _link("real_time", f"{what}, 500 records a second, p50 and p99"),
                *_pair("real_time", shown, "Kafka Streams", "real time", **at),
            )
        )
    shown, at = "{0[p50 ms]} ms, {0[p99 ms]} ms", {"changes_per_s": 1000}
    rows.append(
        (
            "Kafka Streams",
            "global table, [real time](real-time.md)",
            _link("topic_lag", "until a new row of the table is in a result, p50 and p99"),
            *_pair("topic_lag", shown, "Kafka Streams", "eddyline", **at),
        )
    )
    flink = "[what is called what](which-clause.md#from-ksqldb-flink-sql-or-kafka-streams)"
    shown, at = "{0[events/CPU s]:,}", {"job": "cogroup", "events": 2_000_000}
    what = "a cogroup of three topics of 2,000,000 events each, events per CPU second"
    for engine, here in (("Flink SQL", flink), ("Kafka Streams", "[COGROUP](performance.md)")):
        figures = _pair("backlog", shown, engine, "eddyline", **at)
        rows.append((engine, here, _link("backlog", what), *figures))
    return table(*rows)
