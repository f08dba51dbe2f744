"""A query in real-time mode on two executors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException

from eddyline import streaming_queries
from kafka.admin import Admin
from kafka.broker import Broker
from kafka.test_real_time_kills import COUNTS, START, assert_exact, last
from kafka.topics import Topic
from waiting import eventually

from .losses import kill_one_executor
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


def test_an_executor_is_killed(spark: SparkSession, broker: Broker, tmp_path: Path) -> None:
    """The query fails, since no task runs again in real-time mode, and counts on when started."""
    spark.conf.set("spark.sql.streaming.checkpointLocation", str(tmp_path))
    source, out = (Topic(spark, broker, name) for name in ("counted_there", "counts_there"))
    Admin(spark, broker).create(source.name, partitions=2)
    Admin(spark, broker).create(out.name)
    for topic in (source, out):
        topic.create()
    start = START.format(verb="START", name="counts", out=out.name)
    spark.sql(start + COUNTS.format(source=source.name))
    sent: dict[str, int] = {}

    def send(*keys: str) -> None:
        for key in keys:
            sent[key] = sent.get(key, 0) + 1
        source.write([(key, "") for key in keys], partition="ascii(key) % 2")

    def starts() -> bool:
        try:
            spark.sql("START STREAMING QUERY counts")
        except AnalysisException as error:  # the master has not replaced the executor yet
            if error.getCondition() == "EDDYLINE_STREAMING_QUERY.REAL_TIME_SLOTS":
                return False
            raise
        return True

    commits = tmp_path / "counts/commits"
    for _ in range(2):
        send("a", "b", "a")
        eventually(lambda: last(out) == sent)
        before = len([*commits.glob("[0-9]*")])
        eventually(lambda before=before: len([*commits.glob("[0-9]*")]) > before)
        send("b", "c")
        eventually(lambda: last(out) == sent)
        kill_one_executor(spark)
        send("a", "c")
        eventually(lambda: streaming_queries(spark)[0].status == "FAILED")
        eventually(starts)
        eventually(lambda: last(out) == sent)
    assert_exact(out, sent)
    spark.sql("DROP STREAMING QUERY counts")
