"""A query in real-time mode on two executors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kafka.admin import Admin
from kafka.broker import Broker
from kafka.topics import Topic
from waiting import eventually

from .standalone import CORES

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.since("4.3"), pytest.mark.usefixtures("connector")]


@pytest.fixture(scope="module")
def settings(settings: dict[str, str]) -> dict[str, str]:
    """Returns the settings of an application that has all cores."""
    all_cores = {"spark.executor.cores": str(CORES), "spark.cores.max": str(2 * CORES)}
    return settings | all_cores


def test_lookups_of_all_executors_follow_new_versions(
    spark: SparkSession, broker: Broker, tmp_path: Path
) -> None:
    """Three tasks run on two executors, and leave a core to the refresh."""
    spark.conf.set("spark.sql.streaming.checkpointLocation", str(tmp_path))
    source, out = (Topic(spark, broker, name) for name in ("looked_up", "names_found"))
    Admin(spark, broker).create(source.name, partitions=3)
    Admin(spark, broker).create(out.name)
    for topic in (source, out):
        topic.create()
    spark.sql("CREATE TABLE people (id STRING, name STRING) USING parquet")
    spark.sql("INSERT INTO people VALUES ('a', 'Ada')")
    spark.sql(
        "CREATE GLOBAL TABLE known_people PRIMARY KEY (id) REFRESH MANUAL AS SELECT * FROM people"
    )
    spark.sql(
        f"START STREAMING QUERY q TRIGGER REAL TIME AS INSERT INTO {out.name} (key, value) "
        f"SELECT string(partition), name FROM STREAM {source.name} AS s "
        "JOIN known_people ON string(s.key) = id"
    )

    def see(name: str) -> bool:
        source.write([("a", str(partition)) for partition in range(3)], partition="value")
        return {*out.records()} >= {(str(partition), name) for partition in range(3)}

    eventually(lambda: see("Ada"))
    spark.sql("INSERT OVERWRITE people VALUES ('a', 'Ada L.')")
    spark.sql("REFRESH GLOBAL TABLE known_people")
    eventually(lambda: see("Ada L."))
    for partition in range(3):
        seen = [name for key, name in out.records() if key == str(partition)]
        assert seen == sorted(seen, key=lambda name: name or "")
    spark.sql("DROP STREAMING QUERY q")
