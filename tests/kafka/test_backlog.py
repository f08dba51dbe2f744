"""The comparison of a backlog, `benchmarks/backlog.py` and `costs.py`, with few events."""

from __future__ import annotations

import pytest

from benchmarked import printed
from kafka.broker import JARS, fetch_jars
from pages import ROOT

PROGRAMS = ROOT / "benchmarks/java"
ENGINES = ["Spark", "Flink SQL", "Kafka Streams"]
BY_HAND = "Spark, transformWithState"


@pytest.fixture(scope="module")
def engines() -> None:
    """Fetches the jars of the other engines; skips the tests where that cannot be."""
    for name in ("streams", "flink", "profiler"):
        if reason := fetch_jars(PROGRAMS / f"{name}.xml", JARS.with_name(name)):
            pytest.skip(f"NO ENGINE IS COMPARED: {reason}")


@pytest.mark.usefixtures("broker", "connector_jars", "engines")
def test_what_a_backlog_is_spent_on() -> None:
    table = printed("costs", "--events", "2000", "--jobs", "change")
    assert table.count("│ change ") == 2, table


@pytest.mark.usefixtures("broker", "connector_jars", "engines")
@pytest.mark.parametrize(
    ("job", "peers"),
    [
        ("cogroup", ["eddyline", BY_HAND, *ENGINES]),
        ("star", ["eddyline", *ENGINES]),
        ("change", ["eddyline, ASSUME", BY_HAND, *ENGINES[1:]]),
    ],
)
def test_all_engines_have_the_same_results(job: str, peers: list[str]) -> None:
    words = ["--events", "2000", "--batches", "2", "--rounds", "1", "--jobs", job]
    table = printed("backlog", *words, "--peers", *peers)
    assert [peer for peer in peers if f"│ {peer} " not in table] == []


@pytest.mark.usefixtures("broker", "connector_jars", "engines")
def test_each_engine_starts_with_an_archive_of_classes() -> None:
    words = ["--events", "2000", "--batches", "2", "--rounds", "1", "--jobs", "change"]
    peers = ["eddyline", *ENGINES]
    table = printed("backlog", *words, "--archives", "--peers", *peers)
    assert [peer for peer in peers if f"│ {peer} " not in table] == []
    assert "as many events a CPU second as Kafka Streams" in table
