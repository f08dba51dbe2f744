"""Streaming queries in real-time mode: each record is answered when it comes."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import accumulate, groupby
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import PySparkException, StreamingQueryException

from eddyline import progress, streaming_queries
from kafka.admin import Admin
from kafka.broker import Broker
from kafka.topics import Topic
from waiting import eventually

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession
    from pyspark.sql.streaming import StreamingQuery

pytestmark = pytest.mark.since("4.3")

# no micro-batch of this length ends during a test, so what comes, comes within one
LONG = "TRIGGER REAL TIME 10 MINUTES"
# a task for each partition of a topic and one for the state: they all run at once
ONE_TASK = "OPTIONS ('spark.sql.shuffle.partitions' '1')"
COGROUP = """
    COGROUP STREAM {clicks} AS clicks BY CAST(clicks.key AS STRING) AS id,
            STREAM {orders} AS orders BY CAST(orders.key AS STRING)
    AGGREGATE CAST(count(clicks.*) || ' ' || count(orders.*) AS STRING) AS value
    EMIT ON UPDATE
"""


def test_each_record_is_answered_within_the_micro_batch(
    spark: SparkSession, make: Callable[[str], Topic]
) -> None:
    clicks, orders, out = make("clicks"), make("orders"), make("out")
    start = f"START STREAMING QUERY q {LONG} {ONE_TASK} AS INSERT INTO {out.name} (key, value)"
    spark.sql(start + COGROUP.format(clicks=clicks.name, orders=orders.name))
    (info,) = streaming_queries(spark)
    assert info.trigger == "REAL TIME 600000 milliseconds"
    clicks.write([("ada", "a")])
    eventually(lambda: out.records() == [("ada", "1 0")])
    assert reasons(spark, "EMIT") == ["each record gives a row when it comes"]
    orders.write([("ada", "b"), ("bob", "c")])
    eventually(lambda: sorted(out.records()[1:]) == [("ada", "1 1"), ("bob", "0 1")])
    spark.sql("STOP STREAMING QUERY q")
    (info,) = streaming_queries(spark)
    assert (info.status, info.last_error) == ("STOPPED", None)
    # nothing of the micro-batch was committed, so the next run repeats it, at least once
    spark.sql("START STREAMING QUERY q")
    clicks.write([("bob", "d")])
    eventually(lambda: ("bob", "1 1") in out.records())
    assert dict(out.records()) == {"ada": "1 1", "bob": "1 1"}


def test_refreshes_take_no_slots_while_a_micro_batch_starts(
    spark: SparkSession, make: Callable[[str], Topic]
) -> None:
    """The refresh of a table runs nearly all the time, and has more tasks than slots are left."""
    sleep = "java_method('java.lang.Thread', 'sleep', 300L)"
    spark.sql(
        "CREATE GLOBAL TABLE slow PRIMARY KEY (id) REFRESH EVERY 10 MILLISECONDS "
        f"AS SELECT id, {sleep} AS slept, rand() AS r FROM range(0, 20, 1, 20)"
    )
    clicks, orders, out = make("clicks"), make("orders"), make("out")
    sink = f"INSERT INTO {out.name} (key, value)"
    try:
        spark.table("slow").collect()
        spark.sql(
            f"START STREAMING QUERY q TRIGGER REAL TIME 5 SECONDS {ONE_TASK} AS {sink} "
            + COGROUP.format(clicks=clicks.name, orders=orders.name)
        )
        before = version(spark)
        for number in range(1, 4):
            clicks.write([("ada", "a")])
            eventually(lambda of=number: out.records()[-1:] == [("ada", f"{of} 0")])
            eventually(lambda of=number: len(progress("q", spark)) >= of)
        eventually(lambda: version(spark) > before)
    finally:
        spark.sql("DROP GLOBAL TABLE slow")
    (info,) = streaming_queries(spark)
    assert (info.status, info.last_error) == ("RUNNING", None)
    spark.sql("STOP STREAMING QUERY q")


def reasons(spark: SparkSession, part: str) -> list[str]:
    """Returns the reasons that EXPLAIN CLAUSES gives for a part of the query `q`."""
    found = spark.sql("EXPLAIN CLAUSES STREAMING QUERY q").where(f"part = '{part}'")
    return [row.reason for row in found.collect()]


def version(spark: SparkSession) -> int:
    (shown,) = spark.sql("SHOW GLOBAL TABLES").collect()
    return int(shown.version.partition("-")[0])


def test_what_cannot_run_is_refused_at_the_start(
    spark: SparkSession, make: Callable[[str], Topic]
) -> None:
    source, out = make("source"), make("refused")
    spark.sql("CREATE TABLE plain (key STRING, value STRING) USING parquet")
    query = f"SELECT CAST(key AS STRING), CAST(value AS STRING) FROM STREAM {source.name}"
    for target, condition in [
        ("INTO plain", "EDDYLINE_STREAMING_QUERY.REAL_TIME_SINK"),
        (
            f"INTO {out.name} (key, value) WITH BATCH ID partition",
            "EDDYLINE_STREAMING_QUERY.REAL_TIME_CLAUSE",
        ),
    ]:
        with pytest.raises(PySparkException) as caught:
            spark.sql(f"START STREAMING QUERY q TRIGGER REAL TIME AS INSERT {target} {query}")
        assert caught.value.getCondition() == condition
    assert streaming_queries(spark) == []
    missing = Topic(spark, source.broker, f"{source.name}_missing").create()
    with pytest.raises(PySparkException) as caught:
        spark.sql(counting(missing.name, out.name))
    assert caught.value.getCondition() == "EDDYLINE_STREAMING_QUERY.REAL_TIME_TOPICS"
    assert missing.name in str(caught.value)


def counting(source: str, out: str, shuffle: int = 1, trigger: str = LONG) -> str:
    """Returns a statement that starts a query with state, which is called `q`."""
    return (
        f"START STREAMING QUERY q {trigger} OPTIONS ('spark.sql.shuffle.partitions' '{shuffle}') "
        f"AS INSERT INTO {out} (key, value) " + TOP.format(source=source)
    )


def needed(spark: SparkSession, statement: str) -> tuple[str, str]:
    """Returns the sum of the tasks of a query that needs too many, and how many these are."""
    with pytest.raises(PySparkException) as caught:
        spark.sql(statement)
    assert caught.value.getCondition() == "EDDYLINE_STREAMING_QUERY.REAL_TIME_SLOTS"
    parameters = caught.value.getMessageParameters()
    assert parameters is not None
    assert parameters["slots"] == "6"
    return parameters["tasks"], parameters["needed"]


def test_a_query_that_just_fits_starts_and_one_more_partition_is_refused(
    spark: SparkSession, running: Broker, make: Callable[[str], Topic]
) -> None:
    """Its tasks hold all slots, so that a job of Spark would wait while it runs."""
    out, admin = make("fitting"), Admin(spark, running)
    wide = Topic(spark, running, f"{out.name}_wide").create()
    admin.create(wide.name, partitions=5)
    wide.write([("a", "1"), ("b", "2"), ("c", "3")], partition="int(value)")
    more = f"5 (topic {wide.name}) + 2 (shuffle)"
    assert needed(spark, counting(wide.name, out.name, shuffle=2)) == (more, "7")
    assert streaming_queries(spark) == []
    spark.sql(counting(wide.name, out.name))
    eventually(lambda: admin.count(out.name) == 3)
    validate = counting(wide.name, out.name, shuffle=2).replace("START", "VALIDATE", 1)
    assert needed(spark, validate) == (more, "7")
    admin.add_partitions(wide.name, 6)
    grown = f"6 (topic {wide.name}) + 1 (shuffle)"
    assert needed(spark, "RESTART STREAMING QUERY q") == (grown, "7")
    assert streaming_queries(spark)[0].status == "RUNNING"
    spark.sql("STOP STREAMING QUERY q")
    assert sorted(out.records()) == [("a", "1"), ("b", "2"), ("c", "3")]
    assert needed(spark, "START STREAMING QUERY q") == (grown, "7")
    assert streaming_queries(spark)[0].status == "STOPPED"


def test_each_branch_has_tasks_and_a_refresh_has_one(
    spark: SparkSession, running: Broker, make: Callable[[str], Topic]
) -> None:
    out, admin = make("branches"), Admin(spark, running)
    a, b = (Topic(spark, running, f"{out.name}_{name}").create() for name in "ab")
    admin.create(a.name, partitions=4)
    admin.create(b.name, partitions=2)
    insert = f"INSERT INTO {out.name} (key, value)"
    branches = COGROUP.format(clicks=a.name, orders=b.name)
    assert needed(spark, f"START STREAMING QUERY q {LONG} {ONE_TASK} AS {insert} {branches}") == (
        f"4 (topic {a.name}) + 2 (topic {b.name}) + 1 (shuffle)",
        "7",
    )
    create = f"CREATE STREAMING QUERY q {LONG} AS {insert}"
    spark.sql("CREATE TABLE people (id STRING, name STRING) USING parquet")
    for refresh in ("MANUAL", "EVERY 1 HOUR"):
        spark.sql(
            f"CREATE GLOBAL TABLE names_{refresh[:4]} PRIMARY KEY (id) REFRESH {refresh} "
            "AS SELECT * FROM people"
        )
    both = " UNION ALL ".join(
        f"SELECT id, name FROM STREAM {topic.name} AS s JOIN {{names}} ON string(s.key) = id"
        for topic in (a, b)
    )
    tasks, total = needed(spark, create + both.format(names="names_EVER"))
    assert tasks.startswith(f"4 (topic {a.name}) + 2 (topic {b.name}) + 1 (refresh of ")
    assert tasks.endswith("names_ever)")
    assert total == "7"
    assert streaming_queries(spark) == []
    spark.sql(create + both.format(names="names_MANU"))
    assert streaming_queries(spark)[0].status == "RUNNING"
    spark.sql("DROP STREAMING QUERY q")


# the running maximum of each key, and the row last emitted for each key
TOP = """
    SELECT CAST(key AS STRING) AS key, max(CAST(CAST(value AS STRING) AS INT)) || '' AS value
    FROM STREAM {source} GROUP BY key EMIT ON CHANGE
"""
LATEST = """
    SELECT CAST(key AS STRING) AS key, CAST(value AS STRING) AS value FROM STREAM {source}
    EMIT ON CHANGE KEY (key)
"""

CLAIMED = """
    SELECT string(key) AS key, string(count(*)) AS value FROM STREAM {source}
    ASSUME PARTITIONED BY (string(key)) INTO 1 PARTITIONS USING HASH SPARK GROUP BY string(key)
"""


def running_maximum(values: list[int]) -> list[int]:
    return list(accumulate(values, max))


@pytest.mark.parametrize(
    ("query", "results"), [(TOP, running_maximum), (LATEST, list)], ids=["aggregate", "key"]
)
def test_what_does_not_change_is_dropped(
    spark: SparkSession,
    make: Callable[[str], Topic],
    query: str,
    results: Callable[[list[int]], list[int]],
) -> None:
    """Over the ends of micro-batches, a stop and a restart, each key has exactly its changes.

    Until a run has committed what a lost micro-batch may have read, a key is a row once more.
    """
    random_ = random.Random(query)
    source, out = make("numbers"), make("changes")
    start = f"START STREAMING QUERY q TRIGGER REAL TIME 5 SECONDS {ONE_TASK}"
    spark.sql(f"{start} AS INSERT INTO {out.name} (key, value) " + query.format(source=source.name))
    sent: dict[str, list[int]] = {"a": [], "b": [], "c": []}

    def changes(key: str) -> list[str]:
        return [str(value) for value, _ in groupby(results(sent[key]))]

    def emitted(key: str) -> list[str]:
        return [value for name, value in out.records() if name == key]

    def is_exact(key: str, run: int) -> bool:
        rows = emitted(key)
        return [value for value, _ in groupby(rows)] == changes(key) and (
            len(rows) <= len(changes(key)) + run
        )

    def dropped() -> int:
        return sum(map(len, sent.values())) - len(out.records())

    earlier = [0]
    for run in range(2):
        for _ in range(3):
            records = [(random_.choice("abc"), random_.randrange(5)) for _ in range(20)]
            records.append(records[-1])  # the last record of all is one that is dropped
            for key, value in records:
                sent[key].append(value)
            source.write([(key, str(value)) for key, value in records])
            eventually(lambda run=run: all(is_exact(key, run) for key in sent))
        changing = "a record that changes a result gives its row when it comes"
        assert reasons(spark, "EMIT") == [changing]
        # once all are counted, the micro-batch has ended, and the next run does not repeat it
        eventually(lambda: streaming_queries(spark)[0].dropped == dropped() - earlier[-1])
        spark.sql("STOP STREAMING QUERY q")
        earlier.append(dropped())
        spark.sql("START STREAMING QUERY q")


def test_a_claim_saves_the_shuffle(spark: SparkSession, running: Broker) -> None:
    name = f"claimed_{random.getrandbits(32):x}"
    Admin(spark, running).create(name, partitions=4)
    Admin(spark, running).create(f"{name}_out")
    source, out = (Topic(spark, running, each).create() for each in (name, f"{name}_out"))
    spark.conf.set("spark.eddyline.assume.streams.enabled", "true")
    claimed = f"{name} ASSUME PARTITIONED BY (string(key)) INTO 4 PARTITIONS USING HASH SPARK"
    start = (
        f"START STREAMING QUERY q {LONG} OPTIONS ('spark.sql.shuffle.partitions' '4') "
        f"AS INSERT INTO {out.name} (key, value) SELECT string(key), string(count(*)) "
        "FROM STREAM {source} GROUP BY string(key) EMIT ON CHANGE"
    )
    assert needed(spark, start.format(source=name)) == (f"4 (topic {name}) + 4 (shuffle)", "8")
    spark.sql(start.format(source=claimed))
    keys = list("abcdefgh")
    for times in ("1", "2"):
        source.write([(key, "") for key in keys], partition="pmod(hash(key), 4)")
        eventually(lambda times=times: {*out.records()} >= {(key, times) for key in keys})
    (plan,) = spark.sql("EXPLAIN STREAMING QUERY q").first()
    assert "AssumePartitionedBy" in plan
    assert "Exchange hashpartitioning" not in plan
    rows = ", ".join(f"('{key}')" for key in keys)
    second = spark.sql(f"SELECT max(k) FROM VALUES {rows} AS t(k) WHERE pmod(hash(k), 4) = 1")
    source.write([(second.first()[0], "in the first partition")])
    eventually(lambda: streaming_queries(spark)[0].status == "FAILED")
    assert "[EDDYLINE_ASSUME.WRONG_PARTITION]" in (streaming_queries(spark)[0].last_error or "")


def test_a_program_is_told_to_switch_the_check_of_spark_off(
    spark: SparkSession, make: Callable[[str], Topic], tmp_path: Path
) -> None:
    source, out = make("checked"), make("checked_out")
    source.write([("a", "1"), ("a", "1")])
    spark.conf.set("spark.eddyline.assume.streams.enabled", "true")
    spark.conf.set("spark.sql.shuffle.partitions", "1")

    def start(query: str) -> StreamingQuery:
        writer = spark.sql(query).writeStream.trigger(realTime="10 minutes").outputMode("update")
        options = {
            "kafka.bootstrap.servers": out.broker.address,
            "topic": out.name,
            "checkpointLocation": str(tmp_path / str(len(list(tmp_path.iterdir())))),
        }
        return writer.format("kafka").options(**options).start()

    queries = [query.format(source=source.name) for query in (TOP, LATEST, CLAIMED)]
    for query, clause in zip(queries, ("EMIT", "EMIT", "ASSUME"), strict=True):
        with pytest.raises(StreamingQueryException) as caught:
            start(query).awaitTermination()
        assert "[EDDYLINE_EMIT.REAL_TIME_CHECK]" in str(caught.value)
        before = query[: query.index(clause)].split("\n")
        assert f"; line {len(before)} pos {len(before[-1])} " in str(caught.value)
    spark.conf.set("spark.sql.streaming.realTimeMode.allowlistCheck", "false")
    running = start(queries[0])
    try:
        eventually(lambda: out.records() == [("a", "1")])
    finally:
        running.stop()


@pytest.mark.parametrize("pinned", ["false", "true"])
def test_a_lookup_follows_new_versions_unless_it_is_pinned(
    spark: SparkSession, make: Callable[[str], Topic], pinned: str
) -> None:
    source, out = make("ids"), make("names")
    spark.sql("CREATE TABLE people (id STRING, name STRING) USING parquet")
    spark.sql("INSERT INTO people VALUES ('a', 'Ada')")
    spark.sql(
        "CREATE GLOBAL TABLE known_people PRIMARY KEY (id) REFRESH MANUAL AS SELECT * FROM people"
    )
    spark.sql(
        f"START STREAMING QUERY q {LONG} OPTIONS ('spark.eddyline.globalTable.pinBatch' '{pinned}')"
        f" AS INSERT INTO {out.name} (key, value) "
        f"SELECT id, name FROM STREAM {source.name} AS s JOIN known_people ON string(s.key) = id"
    )
    source.write([("a", "1"), ("b", "1")])
    eventually(lambda: out.records() == [("a", "Ada")])
    (plan,) = spark.sql("EXPLAIN STREAMING QUERY q").first()
    assert ("follows new versions" in plan) == (pinned == "false")
    kept = "a micro-batch keeps the version of its beginning"
    seen = "new versions are seen in a micro-batch"
    assert reasons(spark, "GLOBAL TABLE") == [kept if pinned == "true" else seen]
    spark.sql("INSERT OVERWRITE people VALUES ('a', 'Ada L.'), ('b', 'Bob')")
    spark.sql("REFRESH GLOBAL TABLE known_people")
    newest = [("a", "Ada L."), ("b", "Bob")]
    if pinned == "true":
        source.write([("a", "2")])
        eventually(lambda: out.records() == [("a", "Ada")] * 2)
        spark.sql("RESTART STREAMING QUERY q")
        eventually(lambda: out.records()[2:] == [*newest, ("a", "Ada L.")])
        return

    def sees_the_newest() -> bool:
        source.write([("a", "2"), ("b", "2")])
        return out.records()[-2:] == newest

    eventually(sees_the_newest)
    # each lookup has one version or the other, and once the newest is seen, none has the one before
    names = [value for key, value in out.records() if key == "a"]
    assert names == sorted(names)
    assert set(names) == {"Ada", "Ada L."}
