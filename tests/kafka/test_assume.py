"""ASSUME PARTITIONED BY on streams of topics whose records lie where Spark's hash puts them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException

from kafka.admin import Admin
from kafka.broker import Broker
from kafka.topics import Record, Topic
from waiting import eventually

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SIZE = 3  # partitions of each topic that is claimed
CLAIM = f"ASSUME PARTITIONED BY (string(key)) INTO {SIZE} PARTITIONS USING HASH SPARK"
COUNT = """
    SELECT string(key) AS key, string(count(*)) AS value FROM STREAM {0} {claim}
    GROUP BY string(key) EMIT ON CHANGE"""
DISTINCT = """
    SELECT key, key AS value
    FROM (SELECT DISTINCT string(key) AS key FROM STREAM {0} {claim}) EMIT ON UPDATE"""
LATE = """
    SELECT string(key) AS key, concat(count(*), max(string(value))) AS value
    FROM STREAM {0} WATERMARK timestamp DELAY OF INTERVAL 0 SECONDS AS r {claim}
    WHERE value <> X'30' GROUP BY string(key) EMIT ON UPDATE"""
TOTALS = """
    COGROUP STREAM {0} {claim} BY string(key) AS key,
            STREAM {1} {claim} BY string(key), STREAM {2} {claim} BY string(key)
    AGGREGATE to_json(struct(count({0}.*) AS a, sum(int(string({1}.value))) AS b,
                             max(int(string({2}.value))) AS c)) AS value
    EMIT ON CHANGE"""

NESTED = """
    SELECT key, string(sum(a)) AS value FROM (
      SELECT string(key) AS key, int(split(string(value), ',')[0]) AS a FROM STREAM {0} {claim})
    GROUP BY key EMIT ON CHANGE"""


class Claimed:
    """A query over topics of `SIZE` partitions, which runs with claims about them or without."""

    def __init__(self, spark: SparkSession, broker: Broker, prefix: str, query: str) -> None:
        self.spark = spark
        self.query = query
        self.topics = [f"{prefix}_{n}" for n in range(3) if f"{{{n}}}" in query]
        self._broker = broker
        self._prefix = prefix
        for topic in self.topics:
            Admin(spark, broker).create(topic, SIZE)
            # several tasks read the records of a partition
            Topic(spark, broker, topic).create("minPartitions '7'")

    def write(
        self, records: Iterable[Record], partition: str = "pmod(hash(key), 3)", topic: int = 0
    ) -> None:
        """Appends records to the partitions of a topic that an expression gives."""
        Topic(self.spark, self._broker, self.topics[topic]).write(records, partition)

    def start(self, name: str = "q", claim: str = CLAIM, trigger: str = "AVAILABLE NOW") -> None:
        """Starts the query under a name, from the checkpoint of that name."""
        if not self.spark.catalog.tableExists(self._target(name).name):
            Admin(self.spark, self._broker).create(self._target(name).name, SIZE)
            self._target(name).create()
        self.spark.sql(f"DROP STREAMING QUERY IF EXISTS {name}")
        self.spark.sql(
            f"START STREAMING QUERY {name} TRIGGER {trigger} "
            f"AS INSERT INTO {self._target(name).name} (key, value) "
            + self.query.format(*self.topics, claim=claim)
        )

    def run(self, name: str = "q", claim: str = CLAIM) -> list[Record]:
        """Runs the query over what has arrived; returns the records that it has added, sorted."""
        before = Counter(self.records(name))
        self.start(name, claim)
        self.spark.sql(f"AWAIT STREAMING QUERY {name}")
        return sorted((Counter(self.records(name)) - before).elements(), key=str)

    def records(self, name: str = "q") -> list[Record]:
        """Returns all records that the query has written."""
        if not self.spark.catalog.tableExists(self._target(name).name):
            return []
        return self._target(name).records()

    def shuffles(self, name: str = "q") -> int:
        """Returns how many shuffles the last micro-batch had."""
        return self.plan(name).count("Exchange hashpartitioning")

    def plan(self, name: str = "q") -> str:
        """Returns the plan of the last micro-batch."""
        (row,) = self.spark.sql(f"EXPLAIN STREAMING QUERY {name}").collect()
        return str(row[0])

    def _target(self, name: str) -> Topic:
        return Topic(self.spark, self._broker, f"{self._prefix}_{name}")


@pytest.fixture(name="running")
def claims_are_enabled(spark: SparkSession, running: Broker) -> Broker:
    """Returns a broker that runs, for a session that may claim streams of its topics."""
    spark.conf.set("spark.eddyline.assume.streams.enabled", True)
    spark.conf.set("spark.sql.shuffle.partitions", SIZE)
    return running


def failure(query: Claimed, name: str = "q") -> str:
    """Returns the message of a query that has failed."""
    with pytest.raises(AnalysisException) as caught:
        query.spark.sql(f"AWAIT STREAMING QUERY {name}")
    assert caught.value.getCondition() == "EDDYLINE_STREAMING_QUERY.FAILED"
    return str(caught.value)


def keyed(*keys: int, value: int = 1) -> list[Record]:
    return [(f"k{key}", str(value)) for key in keys]


# the records of each topic in a micro-batch: all partitions; one alone; without a key; without one
# that counts; none in some topics; all partitions again
STEPS = [
    [keyed(*range(20)), keyed(*range(5, 25)), keyed(*range(9), value=3)],
    [keyed(7, 7, 7), [], keyed(8, value=9)],
    [[*keyed(3, 30, 4), (None, "1"), (None, "2")], keyed(30), []],
    [keyed(1, 2, value=0), [], []],
    [[], keyed(5), []],
    [keyed(*range(40)), keyed(*range(40)), keyed(*range(40), value=7)],
]


@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("count", COUNT),
        ("unique", DISTINCT),
        ("late", LATE),
        ("totals", TOTALS),
        ("nested", NESTED),
    ],
)
def test_a_claim_changes_the_plan_and_no_record(
    spark: SparkSession, running: Broker, name: str, query: str
) -> None:
    """Each step begins with a restart. In the last the two queries exchange their claims."""
    case = Claimed(spark, running, f"assume_{name}", query)
    claims = {"plain": "", "claimed": CLAIM}
    for step in STEPS:
        arrived = {topic: step[topic] for topic in range(len(case.topics)) if step[topic]}
        for topic, records in arrived.items():
            case.write(records, topic=topic)
        if step is STEPS[-1]:
            claims = {"plain": CLAIM, "claimed": ""}
        if not arrived:
            continue
        written = [case.run(name, claim) for name, claim in claims.items()]
        assert written[0] == written[1]
        assert [case.shuffles(name) for name, claim in claims.items() if claim] == [0]
        assert [case.shuffles(name) for name, claim in claims.items() if not claim] == [1]
    assert written[0]


def test_a_false_claim_ends_the_query(spark: SparkSession, running: Broker) -> None:
    """Nothing of the micro-batch is counted, so the query continues without the claim."""
    case = Claimed(spark, running, "assume_false", COUNT)
    case.write(keyed(1, 1, 2))
    assert case.run() == [("k1", "2"), ("k2", "1")]
    case.write(keyed(1), partition="pmod(hash(key) + 1, 3)")
    case.start()
    message = failure(case)
    assert "[EDDYLINE_ASSUME.WRONG_PARTITION]" in message
    assert "the key (k1) is in the partition" in message
    assert "PARTITIONED BY (CAST(key AS STRING)) INTO 3 PARTITIONS USING HASH SPARK" in message
    assert case.topics[0] in message
    assert sorted(case.records()) == [("k1", "2"), ("k2", "1")]
    assert case.run(claim="") == [("k1", "3")]


def test_partitions_that_are_added_end_the_query(spark: SparkSession, running: Broker) -> None:
    case = Claimed(spark, running, "assume_grown", COUNT)
    case.write(keyed(1, 2))
    case.start(trigger="EVERY 100 MILLISECONDS")
    eventually(lambda: len(case.records()) == 2)
    Admin(spark, running).add_partitions(case.topics[0], SIZE + 1)
    case.write(keyed(1))
    message = failure(case)
    assert "[EDDYLINE_ASSUME.TOPIC_PARTITIONS]" in message
    assert f"The topic {case.topics[0]} has the partitions 0, 1, 2, 3," in message
    assert case.run(claim="") == [("k1", "2")]


def test_a_state_of_another_size_is_refused(spark: SparkSession, running: Broker) -> None:
    """A checkpoint keeps the size of its state, whatever the session says."""
    case = Claimed(spark, running, "assume_size", COUNT)
    case.write(keyed(1))
    spark.conf.set("spark.sql.shuffle.partitions", SIZE + 1)
    case.start("wide")
    message = failure(case, "wide")
    assert "[EDDYLINE_ASSUME.STATE_PARTITIONS]" in message
    assert "has 4 partitions" in message
    assert case.run("plain", "") == [("k1", "1")]
    spark.conf.set("spark.sql.shuffle.partitions", SIZE)
    assert case.run() == [("k1", "1")]
    case.write(keyed(1))
    case.start("plain")
    assert "[EDDYLINE_ASSUME.STATE_PARTITIONS]" in failure(case, "plain")
    spark.conf.set("spark.sql.shuffle.partitions", SIZE + 1)
    assert case.run() == [("k1", "2")]
    assert case.shuffles() == 0
    assert "{USED, avoids Exchange(key) for HashAggregate}" in case.plan()
    case.write(keyed(1))
    case.start(claim=CLAIM.replace("3", "4"))
    assert "[EDDYLINE_ASSUME.STATE_PARTITIONS]" in failure(case)


def test_a_topic_without_records(spark: SparkSession, running: Broker) -> None:
    """The first micro-batch reads no partition at all."""
    case = Claimed(spark, running, "assume_empty", COUNT)
    assert case.run() == []
    case.write(keyed(1, 2))
    assert case.run() == [("k1", "1"), ("k2", "1")]


def test_several_topics_of_one_stream(spark: SparkSession, running: Broker) -> None:
    case = Claimed(spark, running, "assume_several", TOTALS)
    servers = f"'kafka.bootstrap.servers' '{running.address}'"
    names = ",".join(case.topics)
    spark.sql(
        f"CREATE TABLE all_topics USING kafka "
        f"OPTIONS ({servers}, subscribe '{names}', startingOffsets 'earliest')"
    )
    case.query = COUNT.replace("{0}", "all_topics")
    for topic in range(3):
        case.write(keyed(1, 2, 3), topic=topic)
    assert case.run() == [("k1", "3"), ("k2", "3"), ("k3", "3")]
    assert case.shuffles() == 0


def test_a_state_of_an_old_spark_is_refused(spark: SparkSession, running: Broker) -> None:
    """Before 3.3 the keys of the state could be more than those that the rows were shuffled by."""
    case = Claimed(spark, running, "assume_old", COUNT.replace("EMIT", ", value EMIT"))
    spark.conf.set("spark.sql.streaming.statefulOperator.useStrictDistribution", False)
    case.write(keyed(1))
    case.start()
    message = failure(case)
    assert "[EDDYLINE_ASSUME.STREAMING_NOT_SUPPORTED]" in message
    assert "a Spark before 3.3 has begun the state" in message


SHUFFLED = "Spark shuffles its rows all the same"
COUNTS = "SELECT key, string(count(*)) AS value FROM STREAM {0} {claim}"


@pytest.mark.parametrize(
    ("name", "query", "reason"),
    [
        ("none", "SELECT key, value FROM STREAM {0} {claim}", "no aggregation above it needs"),
        ("more_keys", f"{COUNTS} GROUP BY key, value EMIT ON UPDATE", SHUFFLED),
        ("other_key", f"{COUNTS} GROUP BY key EMIT ON UPDATE", SHUFFLED),
        (
            "one_branch",
            "COGROUP STREAM {0} {claim} BY string(key) AS key, STREAM {1} BY string(key) "
            "AGGREGATE string(count(*)) AS value EMIT ON UPDATE",
            SHUFFLED,
        ),
        (
            "static",
            f"{COUNTS} JOIN VALUES ('k1', 1) AS v(k, n) ON string(key) = k "
            "GROUP BY key EMIT ON UPDATE",
            "it stands below BroadcastHashJoin",
        ),
        (
            "joined",
            "SELECT a.key, b.value FROM STREAM {0} AS a {claim} "
            "JOIN STREAM {1} AS b {claim} ON string(a.key) = string(b.key)",
            "it stands below StreamingSymmetricHashJoin",
        ),
        (
            "emitted",
            "SELECT key, value FROM STREAM {0} {claim} EMIT ON CHANGE KEY (key)",
            "it stands below",
        ),
    ],
)
def test_another_use_is_refused(
    spark: SparkSession, running: Broker, name: str, query: str, reason: str
) -> None:
    case = Claimed(spark, running, f"assume_{name}", query)
    case.write(keyed(1))
    case.start()
    message = failure(case)
    assert "[EDDYLINE_ASSUME.STREAMING_NOT_SUPPORTED]" in message
    assert reason in message
