"""The guide that moves an application of Kafka Streams, which runs beside the query."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from eddyline.java import find_java
from kafka.admin import Admin
from kafka.broker import JARS, Broker, fetch_jars
from pages import BROKER, FOLDER, MOVED, ROOT, blocks
from test_docs import run_page

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

POM = ROOT / "benchmarks/java/streams.xml"
STREAMS = JARS.with_name("streams")
TOPICS = ("move_cart", "move_sold", "move_wish", "move_customers", "move_customers_java")


@pytest.fixture
def application(spark: SparkSession, broker: Broker, tmp_path: Path) -> Iterator[None]:
    """Runs the program of the page, on topics that are there before it starts."""
    if reason := fetch_jars(POM, STREAMS):
        pytest.skip(f"NO TEST OF KAFKA STREAMS RUNS: {reason}")
    broker.ensure()
    for topic in TOPICS:
        Admin(spark, broker).create(topic)
    (block,) = blocks(MOVED, "java")
    program = tmp_path / "Customers.java"
    program.write_text(block.code)
    java, _ = find_java()
    words = ["-Xmx256m", "-cp", str(STREAMS / "*"), str(program), broker.address, str(tmp_path)]
    with (tmp_path / "output").open("w") as output:
        process = subprocess.Popen([java, *words], stdout=output, stderr=subprocess.STDOUT)
    try:
        yield
        assert process.poll() is None, (tmp_path / "output").read_text()
    finally:
        process.kill()
        process.wait()


@pytest.mark.usefixtures("application")
def test_both_write_the_same(
    spark: SparkSession, broker: Broker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = {FOLDER: str(tmp_path), BROKER: broker.address}
    run_page(spark, MOVED, words, monkeypatch)
