"""Queries from topics into a topic, each with a model of the records that it writes.

A step is a list of records, each with the topic that it goes to. A micro-batch that reads one step
writes what the model's `step` returns.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from kafka.topics import Record

Step = Sequence[tuple[str, Record]]


@dataclass
class Purchases:
    """Three topics, one row a customer; what does not change a row is not reported."""

    sources = ("carts", "orders", "visits")
    query = """
        COGROUP STREAM {carts} BY string(key) AS key,
                STREAM {orders} BY string(key),
                STREAM {visits} BY string(key)
        AGGREGATE to_json(struct(
            count({carts}.*) AS carts, sum(int(string({orders}.value))) AS spent,
            max(int(string({visits}.value))) AS longest)) AS value
        EMIT ON CHANGE"""
    rows: dict[str, dict[str, int]] = field(default_factory=dict)

    def steps(self) -> list[Step]:
        def step(number: int) -> Step:
            visit = ("visits", (f"c{number % 3}", "7"))  # soon changes nothing
            order = ("orders", (f"c{number % 4}", str(number % 2)))  # 0 changes nothing
            nobody: tuple[str, Record] = ("carts", (None, "cup"))
            return [visit, order, nobody, *[("carts", (f"c{number}", "cup"))][: number % 2]]

        return [step(number) for number in range(20)]

    def step(self, step: Step) -> list[Record]:
        before = self.final()
        for topic, (key, value) in step:
            if key is not None and value is not None:
                row = self.rows.setdefault(key, {"carts": 0})
                if topic == "carts":
                    row["carts"] += 1
                elif topic == "orders":
                    row["spent"] = row.get("spent", 0) + int(value)
                else:
                    row["longest"] = max(row.get("longest", 0), int(value))
        return sorted(record for record in self.final() if record not in before)

    def final(self) -> list[Record]:
        """Returns the last record of each key."""
        names = ("carts", "spent", "longest")
        return [
            (key, json.dumps({n: row[n] for n in names if n in row}, separators=(",", ":")))
            for key, row in sorted(self.rows.items())
        ]

    def complete(self, written: Sequence[Record]) -> bool:
        """Returns whether the last record of each key is that of the model."""
        return sorted(dict(written).items(), key=str) == self.final()


@dataclass
class Prices:
    """A topic that repeats itself; a record is reported if it differs from its key's last one."""

    sources = ("prices",)
    query = """
        SELECT string(key) AS key, string(value) AS value FROM STREAM {prices}
        EMIT ON CHANGE KEY (key)"""
    last: dict[str | None, str | None] = field(default_factory=dict)
    reported: list[Record] = field(default_factory=list)

    def steps(self) -> list[Step]:
        return [
            [("prices", (f"p{n % 3}", str(n // 9 % 2))) for n in range(first, first + 7)]
            for first in range(0, 140, 7)
        ]

    def step(self, step: Step) -> list[Record]:
        changed: list[Record] = []
        for _, (key, value) in step:
            if self.last.get(key) != value:
                self.last[key] = value
                changed.append((key, value))
        self.reported += changed
        return sorted(changed, key=str)

    def complete(self, written: Sequence[Record]) -> bool:
        """Returns whether the last record of each key is written, and none of them is missing."""
        return dict(written) == self.last and set(self.reported) == set(written)


@dataclass
class Ticks:
    """A topic of events with their seconds; each window of ten seconds is reported once."""

    sources = ("ticks",)
    query = """
        SELECT key, to_json(struct(unix_seconds(window.start) AS start, count(*) AS n)) AS value
        FROM (SELECT string(key) AS key, timestamp_seconds(int(string(value))) AS at
              FROM STREAM {ticks}) WATERMARK at DELAY OF INTERVAL 0 SECONDS
        GROUP BY window(at, '10 seconds'), key
        EMIT ON WINDOW CLOSE"""
    open: dict[tuple[int, str | None], int] = field(default_factory=dict)
    closed: list[Record] = field(default_factory=list)

    def steps(self) -> list[Step]:
        return [
            [("ticks", (f"t{s % 2}", str(s))) for s in range(first, first + 7)]
            for first in range(0, 140, 7)
        ]

    def step(self, step: Step) -> list[Record]:
        seconds = [(key, int(value or 0)) for _, (key, value) in step]
        for key, second in seconds:
            window = (second // 10 * 10, key)
            self.open[window] = self.open.get(window, 0) + 1
        watermark = max(second for _, second in seconds)
        over = [window for window in self.open if window[0] + 10 <= watermark]
        rows = [(key, f'{{"start":{start},"n":{self.open[start, key]}}}') for start, key in over]
        for window in over:
            del self.open[window]
        self.closed += rows
        return sorted(rows, key=str)

    def complete(self, written: Iterable[Record]) -> bool:
        """Returns whether each window that is over is written, and nothing else."""
        return set(written) == set(self.closed)


Model = Purchases | Prices | Ticks
