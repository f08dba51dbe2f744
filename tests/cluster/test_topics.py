"""Claims about streams of topics, whose executors read the broker."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kafka.broker import Broker
from kafka.test_assume import COUNT, SIZE, Claimed, keyed
from pages import BROKER, FOLDER, ROOT
from test_docs import run_page

from .losses import at_work, kill_executors
from .queries import SLOW

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


pytestmark = pytest.mark.usefixtures("connector")


@pytest.mark.usefixtures("newest_spark")
def test_page(
    spark: SparkSession, broker: Broker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = {FOLDER: str(tmp_path), BROKER: broker.address}
    run_page(spark, ROOT / "docs/sql/assume-streams.md", words, monkeypatch)


def test_executors_are_killed_in_a_claimed_stream(
    spark: SparkSession, broker: Broker, tmp_path: Path
) -> None:
    spark.conf.set("spark.eddyline.assume.streams.enabled", True)
    spark.conf.set("spark.sql.shuffle.partitions", SIZE)
    spark.conf.set("spark.sql.streaming.checkpointLocation", str(tmp_path))
    query = COUNT.replace("GROUP BY", f"WHERE {SLOW} GROUP BY")
    case = Claimed(spark, broker, "claimed_on_a_cluster", query)
    for _ in range(2):
        case.write(keyed(*range(20)) * 5)
        with at_work(spark, case.run) as running:
            kill_executors(spark)
        running.result()
    assert case.shuffles() == 0
    # a topic may get a row twice
    assert set(case.records()) == {(f"k{key}", count) for key in range(20) for count in ("5", "10")}
