"""A query in real-time mode on two executors."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException

from checkpoints import await_commit
from eddyline import streaming_queries
from kafka.admin import Admin
from kafka.broker import Broker
from kafka.counts import Counts
from kafka.globaltables import create
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


@pytest.fixture
def topics(spark: SparkSession, broker: Broker, tmp_path: Path) -> Callable[[str, int], Topic]:
    """Returns a function that makes a topic with so many partitions, and its table."""
    spark.conf.set("spark.sql.streaming.checkpointLocation", str(tmp_path))

    def make(name: str, partitions: int) -> Topic:
        Admin(spark, broker).create(name, partitions=partitions)
        return Topic(spark, broker, name).create()

    return make


def see(source: Topic, out: Topic, name: str | None) -> bool:
    """Asks tasks of three partitions; returns whether each has answered with a name."""
    source.write([("a", str(partition)) for partition in range(3)], partition="value")
    return {*out.records()} >= {(str(partition), name) for partition in range(3)}


def test_lookups_of_all_executors_follow_a_topic(
    spark: SparkSession, topics: Callable[[str, int], Topic]
) -> None:
    source, people, out = topics("asked", 3), topics("people_sent", 1), topics("answers", 1)
    people.write([("a", '{"name": "Ada"}')])
    columns = "id STRING, name STRING, PRIMARY KEY (id)"
    table = create(people, "REFRESH EVERY 1 HOUR", columns=columns)
    spark.sql(
        f"START STREAMING QUERY q TRIGGER REAL TIME AS INSERT INTO {out.name} (key, value) "
        f"SELECT string(partition), name FROM STREAM {source.name} AS s "
        f"LEFT JOIN {table} ON string(s.key) = id"
    )
    for name in ("Ada", "Ada L.", "A. L."):
        people.write([("a", f'{{"name": "{name}"}}'), ("b", '{"name": "Bob"}'), ("b", None)])
        eventually(lambda name=name: see(source, out, name))
    people.write([("a", None)])
    eventually(lambda: see(source, out, None))
    spark.sql("DROP STREAMING QUERY q")


def test_lookups_of_all_executors_follow_new_versions(
    spark: SparkSession, topics: Callable[[str, int], Topic]
) -> None:
    """Three tasks run on two executors, and leave a core to the refresh."""
    source, out = topics("looked_up", 3), topics("names_found", 1)
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

    eventually(lambda: see(source, out, "Ada"))
    spark.sql("INSERT OVERWRITE people VALUES ('a', 'Ada L.')")
    spark.sql("REFRESH GLOBAL TABLE known_people")
    eventually(lambda: see(source, out, "Ada L."))
    for partition in range(3):
        seen = [name for key, name in out.records() if key == str(partition)]
        assert seen == sorted(seen, key=lambda name: name or "")
    spark.sql("DROP STREAMING QUERY q")


def test_an_executor_is_killed(
    spark: SparkSession, topics: Callable[[str, int], Topic], tmp_path: Path
) -> None:
    """The query fails, since no task runs again in real-time mode, and counts on when started."""
    counts = Counts(topics("counted_there", 2), topics("counts_there", 1))
    spark.sql(counts.statement())

    def send(*keys: str) -> None:
        counts.send(*keys, partition="ascii(key) % 2")

    def starts() -> bool:
        try:
            spark.sql("START STREAMING QUERY counts")
        except AnalysisException as error:  # the master has not replaced the executor yet
            if error.getCondition() == "EDDYLINE_STREAMING_QUERY.REAL_TIME_SLOTS":
                return False
            raise
        return True

    for _ in range(2):
        send("a", "b", "a")
        counts.await_answers()
        await_commit(tmp_path / "counts")
        send("b", "c")
        counts.await_answers()
        kill_one_executor(spark)
        send("a", "c")
        eventually(lambda: streaming_queries(spark)[0].status == "FAILED")
        eventually(starts)
        counts.await_answers()
    counts.assert_exact()
    spark.sql("DROP STREAMING QUERY counts")
