"""A query in real-time mode that counts the records of each key, and what it has to answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from kafka.topics import Topic
from waiting import eventually

START = """
    {verb} STREAMING QUERY {name} TRIGGER REAL TIME 5 SECONDS
    OPTIONS ('spark.sql.shuffle.partitions' '1') AS INSERT INTO {out} (key, value)
"""
_COUNTS = "SELECT string(key), string(count(*)) FROM STREAM {} GROUP BY key EMIT ON CHANGE"


@dataclass(frozen=True)
class Counts:
    """The query `counts`, and the records that it was sent.

    Attributes:
        source: the topic of the records.
        out: the topic of the counts.
        sent: how many records of each key were sent.
    """

    source: Topic
    out: Topic
    sent: dict[str, int] = field(default_factory=dict)

    def statement(self, verb: str = "START") -> str:
        """Returns the statement that starts the query, or creates it."""
        start = START.format(verb=verb, name="counts", out=self.out.name)
        return start + _COUNTS.format(self.source.name)

    def send(self, *keys: str, partition: str = "0") -> None:
        """Sends a record of each key, as `Topic.write` does."""
        for key in keys:
            self.sent[key] = self.sent.get(key, 0) + 1
        self.source.write([(key, "") for key in keys], partition)

    def are_answered(self) -> bool:
        """Returns whether the last count of each key is that of all its records."""
        return {key: int(value or 0) for key, value in self.out.records()} == self.sent

    def await_answers(self) -> None:
        """Waits until all records are counted."""
        eventually(self.are_answered)

    def assert_exact(self) -> None:
        """Asserts that each count of a key was reported, though perhaps more than once."""
        for key, total in self.sent.items():
            counts = [int(value or 0) for name, value in self.out.records() if name == key]
            assert (counts[0], max(counts)) == (1, total)
            # a run after a kill goes back to what was committed, and leaves nothing out
            assert all(after <= before + 1 for before, after in pairwise(counts)), counts
