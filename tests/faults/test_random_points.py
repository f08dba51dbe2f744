"""Several random points of death in the life of one checkpoint, on every state store."""

from __future__ import annotations

import random
from itertools import cycle
from typing import TYPE_CHECKING

import pytest

from .harness import OFFSET_LOG, PLACES, STORES, Stream
from .model import QUERIES

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

A_LIFE = 3
Death = tuple[str, int]


def lives(points: int, seed: int) -> list[tuple[tuple[str, str, int], list[Death]]]:
    """Returns ((store, query, seed), deaths), in which every place comes equally often."""
    chance = random.Random(seed)
    places = [place for place in PLACES for _ in range(-(-points // len(PLACES)))]
    chance.shuffle(places)
    deaths = [(place, chance.randint(1, PLACES[place])) for place in places[:points]]
    stores, queries = cycle(STORES), cycle(QUERIES)
    return [
        ((next(stores), next(queries), seed + start), deaths[start : start + A_LIFE])
        for start in range(0, points, A_LIFE)
    ]


def name(value: tuple[str, str, int] | list[Death]) -> str:
    if isinstance(value, tuple):
        return "-".join(map(str, value))
    return ", ".join(f"{place} {at}" for place, at in value)


def live(stream: Stream, deaths: list[Death]) -> None:
    """Lets the stream die at each place in turn, with new input, and then reach the end."""
    for place, at in deaths:
        stream.arrive()
        stream.die(place, at)
    stream.arrive(stream.seed % 2)
    assert stream.run() is None
    stream.check()


@pytest.mark.parametrize(
    ("subject", "deaths"),
    [
        *lives(48, 1),
        *(pytest.param(*life, marks=pytest.mark.slow) for life in lives(200, 1000)),
    ],
    ids=name,
)
def test_nothing_is_lost(
    spark: SparkSession, tmp_path: Path, subject: tuple[str, str, int], deaths: list[Death]
) -> None:
    live(Stream(spark, tmp_path, *subject), deaths)


@pytest.mark.parametrize(("at", "store"), list(enumerate(STORES, 1)))
def test_nothing_is_lost_while_a_batch_is_planned(
    spark: SparkSession, tmp_path: Path, at: int, store: str
) -> None:
    live(Stream(spark, tmp_path, store, "aggregate", at), [(OFFSET_LOG, at)])
