"""The events of Nexmark: persons, auctions and bids of an auction site, as files.

Of 50 events one is a new person, three are new auctions and 46 are bids, in the order of their
times. Half of the bids are for one of the newest hot auctions, three of four by a hot bidder. These
are the proportions of the generator of Apache Beam, which the published queries are run with.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

_OF_50 = {"person": (0, 1), "auction": (1, 4), "bid": (4, 50)}
_FIRST_ID = 1000
_CATEGORIES = 5
_HOT = 100  # of so many one is hot
_HOT_PERSONS = 0.75  # the share of what they do
_IN_FLIGHT = 100  # auctions that are open
_ACTIVE = 1000  # persons that do something
_STATES = np.array(["AZ", "CA", "ID", "OR", "WA", "WY"])
_START = 1_436_918_400  # seconds, 2015-07-15 in UTC
# the time of one more event, which closes every window before it
_END = _START + 10**7
_SECOND = 1_000_000  # microseconds


@dataclass(frozen=True)
class Nexmark:
    """Events in a folder.

    Attributes:
        folder: a folder for each kind of events.
        events: how many there are.
        files: the number of files of a kind, each of which is a micro-batch.
        rate: events a second of their own time.
    """

    folder: Path
    events: int
    files: int
    rate: int = 1000

    def write(self) -> None:
        """Writes the events, if they are not there."""
        if self.folder.exists():
            return
        numbers = np.array_split(np.arange(self.events), self.files)
        for kind, (first, end) in _OF_50.items():
            (self.folder / kind).mkdir(parents=True)
            for part, events in enumerate(numbers):
                rank = events % 50
                own = events[(rank >= first) & (rank < end)]
                rows = _ROWS[kind](own, np.random.default_rng([part, first]))
                times = [_START * _SECOND + own * _SECOND // self.rate]
                if part == self.files - 1:
                    rows = {name: np.append(values, values[:1]) for name, values in rows.items()}
                    times.append(np.array([_END * _SECOND]))
                rows["at"] = pa.array(np.concatenate(times), pa.timestamp("us", "UTC"))
                file = self.folder / kind / f"part-{part:03}.parquet"
                pq.write_table(pa.table(rows), file)
                os.utime(file, (part + 1, part + 1))  # a stream reads files in this order


def _persons(events: np.ndarray, random: np.random.Generator) -> dict[str, np.ndarray]:
    ids = events // 50 + _FIRST_ID
    return {
        "id": ids,
        "name": np.char.add("person ", ids.astype(str)),
        "state": random.choice(_STATES, len(events)),
    }


def _auctions(events: np.ndarray, random: np.random.Generator) -> dict[str, np.ndarray]:
    ids = events // 50 * 3 + events % 50 - 1 + _FIRST_ID
    return {
        "id": ids,
        "seller": _person(events, random),
        "category": 10 + random.integers(0, _CATEGORIES, len(events)),
        "initial_bid": _price(events, random),
    }


def _bids(events: np.ndarray, random: np.random.Generator) -> dict[str, np.ndarray]:
    newest = events // 50 * 3 + 2
    hot = newest // _HOT * _HOT
    open_auctions = np.minimum(newest + 1, _IN_FLIGHT)
    other = newest - (random.random(len(events)) * open_auctions).astype(np.int64)
    return {
        "auction": _FIRST_ID + np.where(random.random(len(events)) < 0.5, hot, other),
        "bidder": _person(events, random),
        "price": _price(events, random),
    }


def _person(events: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Returns who does something: mostly one of the newest hot persons."""
    newest = events // 50
    active = np.minimum(newest + 1, _ACTIVE)
    other = newest - (random.random(len(events)) * active).astype(np.int64)
    is_hot = random.random(len(events)) < _HOT_PERSONS
    return _FIRST_ID + np.where(is_hot, newest // _HOT * _HOT, other)


def _price(events: np.ndarray, random: np.random.Generator) -> np.ndarray:
    return np.round(10 ** (random.random(len(events)) * 6) * 100).astype(np.int64)


_ROWS = {"person": _persons, "auction": _auctions, "bid": _bids}
