"""A job on Spark, with eddyline or without it, in a process of its own.

    python -m versus.spark SETTINGS

SETTINGS are the fields of `Settings` as JSON. It prints `begin` and `end` around the work.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from pyspark.sql import SparkSession
from pyspark.sql.classic.dataframe import DataFrame as Classic
from pyspark.sql.functions import broadcast, expr

import eddyline
from versus.jobs import DIMENSIONS, JOBS, Job
from versus.profiler import profiled

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# those of the programs on other engines, too
PRODUCER = {"linger.ms": "100", "batch.size": "131072"}
_STORE = "spark.sql.streaming.stateStore"


@dataclass(frozen=True)
class Settings:
    """What a process is told.

    Attributes:
        job: name of the job.
        stock: whether Spark is without eddyline.
        by_hand: whether stock Spark does it by `StatefulJobs.java`, and not by SQL.
        claim: text of ASSUME for each topic.
        batch: most records of a topic in a micro-batch.
        cores: cores of Spark, and partitions of its shuffle.
        memory: heap of the JVM.
        servers: address of the broker.
        results: the topic of the results.
        dimensions: what the topics of the dimensions begin with.
        folder: a folder of its own.
        jars: the class path of the connector and of `StatefulJobs.java`.
        profile: the folder for the stacks of async-profiler; empty to sample nothing.
        options: more options of the JVM.
    """

    job: str
    stock: bool
    by_hand: bool
    claim: str
    batch: int
    cores: int
    memory: str
    servers: str
    results: str
    dimensions: str
    folder: str
    jars: str
    profile: str
    options: str

    def text(self) -> str:
        """Returns the argument of the process."""
        return json.dumps(asdict(self))


def _session(given: Settings) -> SparkSession:
    conf: dict[str, bool | float | int | str | None] = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": given.memory,
        "spark.driver.extraClassPath": given.jars,
        "spark.driver.extraJavaOptions": given.options,
        "spark.eddyline.archive.enabled": "false",  # these options say which
        "spark.local.dir": f"{given.folder}/local",
        "spark.sql.warehouse.dir": f"{given.folder}/warehouse",
        "spark.sql.shuffle.partitions": str(given.cores),
        # what is set for throughput: changes are uploaded and not files, and rows are not counted
        f"{_STORE}.providerClass": "org.apache.spark.sql.execution.streaming.state"
        ".RocksDBStateStoreProvider",
        f"{_STORE}.rocksdb.changelogCheckpointing.enabled": "true",
        f"{_STORE}.rocksdb.trackTotalNumberOfRows": "false",
    }
    builder = SparkSession.builder.master(f"local[{given.cores}]").config(map=conf)
    if not given.stock:
        replicas = f"{given.folder}/replicas"
        builder = builder.config("spark.eddyline.globalTable.snapshotLocation", replicas)
        builder = builder.config("spark.eddyline.assume.streams.enabled", "true")
        builder = eddyline.configure(builder)
    return builder.getOrCreate()


def _stock(spark: SparkSession, job: Job, given: Settings) -> Callable[[], None]:
    """Returns what runs the job as it is written without eddyline.

    One source reads all topics. The newest rows of the dimensions are cached and broadcast.
    """
    server = {"kafka.bootstrap.servers": given.servers}
    reader = spark.readStream.format("kafka").options(**server, startingOffsets="earliest")
    reader = reader.option("subscribe", ",".join(job.topics))
    events = reader.option("maxOffsetsPerTrigger", given.batch * len(job.topics)).load()
    events.createOrReplaceTempView("events")
    for name in DIMENSIONS if job.looks_up else ():
        rows = _newest(spark, given.servers, given.dimensions + name).persist()
        rows.count()
        broadcast(rows).createOrReplaceTempView(name)
    results = _by_hand(spark, job, events) if given.by_hand else spark.sql(job.spark)
    query = results.writeStream.format("kafka").outputMode(job.mode)
    query = query.options(**server, **{f"kafka.{name}": value for name, value in PRODUCER.items()})
    query = query.option("topic", given.results)
    query = query.option("checkpointLocation", f"{given.folder}/checkpoint")
    query = query.trigger(availableNow=True)

    def run() -> None:
        query.start().awaitTermination()

    return run


def _by_hand(spark: SparkSession, job: Job, events: DataFrame) -> DataFrame:
    jvm: Any = spark._jvm
    return Classic(getattr(jvm.StatefulJobs, job.name)(events._jdf), spark)


def _newest(spark: SparkSession, servers: str, topic: str) -> DataFrame:
    reader = spark.read.format("kafka").option("kafka.bootstrap.servers", servers)
    rows = reader.option("subscribe", topic).load().groupBy(expr("string(key) AS id"))
    return rows.agg(expr("max_by(string(value), offset) AS info")).where("info IS NOT NULL")


def _eddyline(spark: SparkSession, job: Job, given: Settings) -> Callable[[], None]:
    """Returns what runs the query with the clauses."""
    server = f"'kafka.bootstrap.servers' '{given.servers}'"
    for topic in job.topics:
        spark.sql(
            f"CREATE TABLE {topic} USING kafka OPTIONS ({server}, subscribe '{topic}', "
            f"startingOffsets 'earliest', maxOffsetsPerTrigger '{given.batch}')"
        )
    producer = ", ".join(f"'kafka.{name}' '{value}'" for name, value in PRODUCER.items())
    spark.sql(
        "CREATE TABLE results USING kafka "
        f"OPTIONS ({server}, subscribe '{given.results}', {producer})"
    )
    for name in DIMENSIONS if job.looks_up else ():
        spark.sql(
            f"CREATE GLOBAL TABLE {name} (id STRING, info STRING, PRIMARY KEY (id)) USING kafka "
            f"OPTIONS ({server}, subscribe '{given.dimensions}{name}', 'value.format' 'string')"
        )
    query = job.eddyline.replace("{claim}", given.claim)

    def run() -> None:
        spark.sql(
            "START STREAMING QUERY job TRIGGER AVAILABLE NOW "
            f"CHECKPOINT '{given.folder}/checkpoint' AS INSERT INTO results (key, value) {query}"
        )
        spark.sql("AWAIT STREAMING QUERY job")

    return run


def main() -> None:
    """Does the job."""
    given = Settings(**json.loads(sys.argv[1]))
    (job,) = (job for job in JOBS if job.name == given.job)
    spark = _session(given)
    with profiled(spark, given.profile, "start"):
        run = (_stock if given.stock else _eddyline)(spark, job, given)
        spark.range(1).count()  # the first job of a session is no part of the work
    with profiled(spark, given.profile, "work"):
        print("begin", flush=True)
        run()
        print("end", flush=True)
    sys.stdin.readline()
    spark.stop()


if __name__ == "__main__":
    main()
