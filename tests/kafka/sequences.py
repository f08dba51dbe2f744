"""Random queries in real-time mode, whose definitions change and whose server and broker die."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any

from kafka.topics import Topic
from waiting import eventually

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from faults.query_servers import QueryServer

SESSIONS = 4
NOW = "AVAILABLE NOW"
TRIGGERS = ("REAL TIME 5 SECONDS", "REAL TIME 10 MINUTES", NOW)
LIMITS = (3, 6, 100)
KEYS = "abc"
_VALUE = "int(string(value))"
_GROUPS = "FROM STREAM {source} WHERE {value} < {limit} GROUP BY string(key)"
# each of these is a query, by the function that computes its rows from the records of a key
QUERIES: dict[str, str] = {
    "sum": f"SELECT string(key), string(sum({_VALUE})) {_GROUPS} EMIT ON CHANGE",
    "positive": f"SELECT string(key), string(sum({_VALUE})) {_GROUPS} "
    f"HAVING sum({_VALUE}) > 3 EMIT ON CHANGE WITH CHANGE TYPE",
    "frequent": f"SELECT string(key), string(count(*)) {_GROUPS} "
    "HAVING count(*) > {having} EMIT ON CHANGE",
    "last": "SELECT k, v, _change_type FROM (SELECT string(key) AS k, string(value) AS v "
    "FROM STREAM {source} WHERE {value} < {limit} EMIT ON CHANGE KEY (k) "
    "APPLY AS DELETE WHEN int(v) % 3 = 0 WITH CHANGE TYPE)",
    "cogroup": "COGROUP (SELECT * FROM STREAM {source} WHERE {value} < {limit}) AS a "
    "BY string(a.key) AS k, STREAM {other} AS b BY string(b.key) "
    "AGGREGATE string(sum(int(string(a.value)))) || ' ' || count(b.*) AS v EMIT ON CHANGE",
}


@dataclass
class Sequence:
    """A query, and what it was sent.

    Attributes:
        name: its name.
        kind: its key in `QUERIES`.
        random: what its records and changes are drawn by.
        topics: the topics that it reads, and then the one that it writes.
        checkpoint: the folder of its checkpoint.
        taken: the values that its filter lets through, and those of the other topic, by key.
    """

    name: str
    kind: str
    random: random.Random
    topics: tuple[Topic, Topic, Topic]
    checkpoint: Path
    trigger: str = TRIGGERS[0]
    limit: int = 100
    having: int = 3
    is_stopped: bool = False
    taken: dict[str, list[int]] = field(default_factory=dict)
    others: Counter[str] = field(default_factory=Counter)
    history: list[str] = field(default_factory=list)

    def has_answered(self) -> bool:
        """Returns whether the query may have written rows that are not committed."""
        return (self.checkpoint / "eddyline/answering").exists()

    def statement(self, verb: str) -> str:
        """Returns the statement that creates or replaces the query."""
        source, other, out = (topic.name for topic in self.topics)
        query = QUERIES[self.kind].format(
            source=source, other=other, value=_VALUE, limit=self.limit, having=self.having
        )
        return (
            f"{verb} STREAMING QUERY {self.name} TRIGGER {self.trigger} "
            "OPTIONS ('spark.sql.shuffle.partitions' '1') "
            f"AS INSERT INTO {out} (key, value) {query}"
        )

    def records(self, keys: Iterable[str] | None = None) -> list[tuple[str, str, int]]:
        """Returns random records, each with its topic, and counts them."""
        drawn = []
        for key in keys or self.random.choices(KEYS, k=self.random.randrange(1, 6)):
            value = self.random.randrange(-3, 9)
            if value < self.limit:
                self.taken.setdefault(key, []).append(value)
            drawn.append((self.topics[0].name, key, value))
            if self.kind == "cogroup" and self.random.random() < 0.5:
                self.others[key] += 1
                drawn.append((self.topics[1].name, key, 0))
        return drawn

    def result(self) -> dict[str, str]:
        """Returns the rows of the batch query over what was sent."""
        if self.kind == "cogroup":
            # the NULL of a branch without rows is that of the whole value, which is a tombstone
            return {key: f"{sum(values)} {self.others[key]}" for key, values in self.taken.items()}
        results: dict[str, Callable[[list[int]], int | None]] = {
            "sum": sum,
            "positive": lambda values: total if (total := sum(values)) > 3 else None,
            "frequent": lambda values: number if (number := len(values)) > self.having else None,
            "last": lambda values: values[-1] if values[-1] % 3 else None,
        }
        found = {key: results[self.kind](values) for key, values in self.taken.items()}
        return {key: str(value) for key, value in found.items() if value is not None}


@dataclass
class Runner:
    """Applies changes to the queries of a server, several at once."""

    spark: SparkSession
    server: QueryServer
    sequences: list[Sequence]
    numbers: count[int] = field(default_factory=count)

    def ask(self, number: int, sql: str) -> dict[str, Any]:
        """Returns the answer to a statement, once the server is there to answer it."""
        found: list[dict[str, Any]] = []

        def is_answered() -> bool:
            answer = self.server.ask(next(self.numbers), number % SESSIONS, sql)
            if answer and "NOT_OWNER" not in answer.get("error", ""):
                found.append(answer)
            return bool(found)

        eventually(is_answered)
        return found[0]

    def run(self, number: int, sql: str) -> None:
        """Runs a statement that succeeds."""
        self.sequences[number].history.append(sql)
        answer = self.ask(number, sql)
        assert "error" not in answer, (self.sequences[number].history, answer)

    def each(self, act: Callable[[int, Sequence], None]) -> None:
        """Does something with each query."""
        with ThreadPoolExecutor(SESSIONS) as pool:
            # those of a session one after another
            done = [
                pool.submit(self._all, act, range(first, len(self.sequences), SESSIONS))
                for first in range(SESSIONS)
            ]
            for each in done:
                each.result()

    def _all(self, act: Callable[[int, Sequence], None], numbers: range) -> None:
        for number in numbers:
            act(number, self.sequences[number])

    def send(self, keys: Iterable[str] | None = None) -> None:
        """Sends random records to all queries."""
        self.write([row for sequence in self.sequences for row in sequence.records(keys)])

    def write(self, rows: list[tuple[str, str, int]]) -> None:
        """Appends records, each a topic, a key and a value, in their order."""
        frame = self.spark.createDataFrame(rows, "topic STRING, key STRING, v INT").coalesce(1)
        address = self.sequences[0].topics[0].broker.address
        (
            frame.selectExpr("topic", "key", "string(v) AS value", "0 AS partition")
            .write.format("kafka")
            .option("kafka.bootstrap.servers", address)
            .save()
        )

    def last_rows(self) -> dict[str, dict[str, str]]:
        """Returns the last row of each key, by the topic that has it; no tombstones."""
        frame = (
            self.spark.read.format("kafka")
            .option("kafka.bootstrap.servers", self.sequences[0].topics[0].broker.address)
            .option("subscribe", ",".join(each.topics[2].name for each in self.sequences))
            .load()
            .selectExpr("topic", "offset", "string(key) AS key", "string(value) AS value")
        )
        rows: dict[str, dict[str, str]] = {each.topics[2].name: {} for each in self.sequences}
        for row in sorted(frame.collect(), key=lambda row: row.offset):
            if row.value is None:
                rows[row.topic].pop(row.key, None)
            else:
                rows[row.topic][row.key] = row.value
        return rows

    def change(self, number: int, sequence: Sequence) -> None:
        """Changes a query at random."""
        act = sequence.random.choice([self.stop, self.retrigger, self.filter, self.rehave])
        act(number, sequence)

    def stop(self, number: int, sequence: Sequence) -> None:
        self.run(number, f"STOP STREAMING QUERY {sequence.name}")
        sequence.is_stopped = True

    def start(self, number: int, sequence: Sequence) -> None:
        """Starts a query that was stopped."""
        if sequence.is_stopped:
            self.run(number, f"START STREAMING QUERY {sequence.name}")
            sequence.is_stopped = False

    def retrigger(self, number: int, sequence: Sequence) -> None:
        sequence.trigger = sequence.random.choice(TRIGGERS)
        self.replace(number, sequence)

    def filter(self, number: int, sequence: Sequence) -> None:
        """Gives a query another filter, for the records that are sent from now on."""
        if sequence.trigger == NOW or not sequence.has_answered():
            # no rows have to be committed, so it is asked to commit all that it was sent
            before, sequence.trigger = sequence.trigger, NOW
            self.replace(number, sequence)
            self.run(number, f"AWAIT STREAMING QUERY {sequence.name}")
            sequence.trigger = before
        sequence.limit = sequence.random.choice(LIMITS)
        self.replace(number, sequence)

    def rehave(self, number: int, sequence: Sequence) -> None:
        """Gives a query another HAVING, which is refused where rows would never be deleted."""
        if sequence.kind == "frequent" and sequence.having > 1:
            sequence.having -= 1
            self.replace(number, sequence)
        elif sequence.kind == "positive":
            other = sequence.statement("CREATE OR REPLACE").replace("> 3", "> 4")
            answer = self.ask(number, other)
            assert answer.get("error") == "EDDYLINE_STREAMING_QUERY.LOSES_STATE", answer

    def replace(self, number: int, sequence: Sequence) -> None:
        """Stores the definition of a query that has changed, and starts it."""
        self.run(number, sequence.statement("CREATE OR REPLACE"))
        sequence.is_stopped = False

    def rest(self, number: int, sequence: Sequence) -> None:
        """Lets a query process all that it was sent."""
        self.start(number, sequence)
        if sequence.trigger == NOW:
            self.run(number, f"AWAIT STREAMING QUERY {sequence.name}")
            self.run(number, f"START STREAMING QUERY {sequence.name}")
