"""Benchmark of EMIT ON CHANGE, plain Update mode and what a Spark expert would write by hand.

    python benchmarks/emit.py [--quick]

Every batch holds each key once; a given share of the keys keeps its maximum. Every way runs its own
stream from an empty checkpoint, the ways take turns within a round, and the figures are medians
over the measured batches of all rounds.
"""

from __future__ import annotations

import argparse
import runpy
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from statistics import mean, median
from typing import TYPE_CHECKING, Any

from measure import DATA, ROOT, report, session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery
    from pyspark.sql.streaming.readwriter import DataStreamWriter

STATE = "spark.sql.streaming.stateStore"
PROVIDERS = "org.apache.spark.sql.execution.streaming.state"
MAXIMUM = "SELECT k, max(v) AS m FROM events GROUP BY k"
PLAIN, EMIT, TYPED, ANTI_JOIN, BY_HAND = (
    "plain Update",
    "EMIT ON CHANGE",
    "WITH CHANGE TYPE",
    "foreachBatch",
    "transformWithState",
)
WHY_ROCKSDB = (
    "RocksDB, KB: on every fourth batch it compacts, and Spark uploads the whole new file, for "
    "transformWithState as well; with changelog checkpoints it does not",
    "RocksDB, CPU at 0 %: EMIT ON CHANGE reads between its writes, so each read also searches what "
    "the batch has written; plain Update reads all keys before it writes",
)
CONF = {
    # a stream is stopped within a batch, which Spark logs as an error; with foreachBatch it
    # first matches Python's long traceback against a recursive pattern
    "spark.log.level": "OFF",
    "spark.driver.extraJavaOptions": "-Xss8m",
    "spark.sql.shuffle.partitions": "2",
    f"{STATE}.maintenanceInterval": "1h",
}
TYPED_AIM = 1.05
AIMS = (("90 %", "CPU x", 0.6), ("90 %", "KB x", 0.15), ("0 %", "CPU x", 1.0))


@dataclass(frozen=True)
class Store:
    """A state store and what is measured with it.

    Attributes:
        provider: name of the provider's class.
        changelog: whether RocksDB writes the changes of a batch and not its files.
        same: percentages of the keys whose maximum stays in a batch.
    """

    provider: str
    changelog: bool = False
    same: tuple[int, ...] = (0, 50, 90, 99)

    def use(self, spark: SparkSession) -> None:
        """Makes the session's next streams keep their state in this store."""
        spark.conf.set(f"{STATE}.providerClass", f"{PROVIDERS}.{self.provider}")
        spark.conf.set(f"{STATE}.rocksdb.changelogCheckpointing.enabled", self.changelog)

    def ways(self) -> dict[str, Way]:
        """Returns the ways that this store can run."""
        return {
            name: way for name, way in WAYS.items() if name != BY_HAND or self.provider == ROCKSDB
        }


ROCKSDB = "RocksDBStateStoreProvider"
STORES = {
    "HDFS": Store("HDFSBackedStateStoreProvider"),
    "RocksDB": Store(ROCKSDB),
    "changelog": Store(ROCKSDB, changelog=True, same=(90,)),
}


@dataclass(frozen=True)
class Plan:
    """The amount that is run.

    Attributes:
        keys: number of keys, and of the rows of a batch.
        warm: batches before the measured ones; the first inserts every key.
        measured: measured batches of a round.
        rounds: number of streams of each way.
    """

    keys: int = 100_000
    warm: int = 4
    measured: int = 8
    rounds: int = 2

    @property
    def batches(self) -> int:
        """The number of batches of one stream."""
        return self.warm + self.measured


@dataclass
class Figures:
    """The figures of one way, with an item for each measured batch.

    Attributes:
        state_ms: CPU of the tasks of the batch's last stage.
        all_ms: CPU of all its tasks.
        rows: rows forwarded.
        written: bytes of new files below the checkpoint.
    """

    state_ms: list[float] = field(default_factory=list)
    all_ms: list[float] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    written: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Window:
    """The time in which a micro-batch ran, in ms since 1970."""

    start: float
    end: float

    def holds(self, instant: float) -> bool:
        """Returns whether the instant lies in the window."""
        return self.start <= instant < self.end


def events(frame: DataFrame, keys: int, same: int) -> DataFrame:
    """Returns the columns k, v and b, the batch, of a frame of row numbers `value`."""
    return frame.selectExpr(f"value % {keys} AS k", f"value div {keys} AS b").selectExpr(
        "k", f"if(pmod(xxhash64(k, b), 100) < {same}, 0, b + 1) AS v", "b"
    )


def stream(spark: SparkSession, keys: int, same: int) -> None:
    """Creates the view `events` of the endless stream."""
    rate = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", keys).load()
    events(rate, keys, same).select("k", "v").createOrReplaceTempView("events")


def oracle(spark: SparkSession, plan: Plan, same: int) -> list[int]:
    """Returns, for every batch, how many maxima differ from those before it, by a batch query."""
    numbers = spark.range(plan.keys * plan.batches).withColumnRenamed("id", "value")
    events(numbers, plan.keys, same).createOrReplaceTempView("rows")
    counts = spark.sql("""
        SELECT b, count_if(before IS NULL OR v > before) AS n FROM (
          SELECT b, v, max(v) OVER (
            PARTITION BY k ORDER BY b ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
          ) AS before FROM rows)
        GROUP BY b ORDER BY b""")
    return [row.n for row in counts.collect()]


@dataclass(frozen=True)
class AntiJoin:
    """A foreachBatch function that keeps the previous output as a Parquet snapshot.

    The micro-batch is read once: `persist` would compute it, and its state, twice.

    Attributes:
        spark: the session.
        folder: folder of the snapshots, each named after its batch.
        rows: rows forwarded, by batch.
    """

    spark: SparkSession
    folder: Path
    rows: dict[int, int] = field(default_factory=dict)

    def begin(self) -> None:
        """Writes the empty snapshot before the first batch."""
        empty = self.spark.range(0).selectExpr("id AS k", "id AS m")
        empty.write.parquet(str(self.folder / "-1"))

    def __call__(self, batch: DataFrame, batch_id: int) -> None:
        """Forwards the rows that are not in the snapshot, and writes the next snapshot."""
        from pyspark.sql import Observation  # noqa: PLC0415
        from pyspark.sql.functions import count, lit  # noqa: PLC0415

        reader = batch.sparkSession.read.schema("k BIGINT, m BIGINT")
        previous = reader.parquet(str(self.folder / str(batch_id - 1)))
        changed = batch.join(previous, ["k", "m"], "left_anti").localCheckpoint()
        seen = Observation()
        forwarded = changed.observe(seen, count(lit(1)).alias("rows"))
        forwarded.write.format("noop").mode("append").save()
        untouched = previous.join(changed, "k", "left_anti")
        untouched.unionByName(changed).write.parquet(str(self.folder / str(batch_id)))
        self.rows[batch_id] = seen.get["rows"]


Rows = list[dict[str, Any]]
Writer = tuple["DataStreamWriter", dict[int, int]]
Way = Callable[["SparkSession", Path], Writer]


def to_noop(frame: DataFrame) -> Writer:
    """Returns a writer that throws the rows away; its progress counts them."""
    return frame.writeStream.format("noop"), {}


def test_jar() -> Path:
    """Returns the jar with the class of `HandWrittenEmit.scala`."""
    build = runpy.run_path(str(ROOT / "jvm-shim/build.py"))
    return Path(build["build_test_jar"](ROOT))


def by_hand(spark: SparkSession) -> DataFrame:
    """Returns the stream of `HandWrittenEmit.maximum`."""
    from pyspark.sql.classic.dataframe import DataFrame as Classic  # noqa: PLC0415

    hand_written = spark._jvm.io.eddyline.spark.emit.HandWrittenEmit
    return Classic(hand_written.maximum(spark.table("events")._jdf), spark)


def anti_join(spark: SparkSession, folder: Path) -> Writer:
    """Returns a writer of plain Update mode into an anti-join."""
    join = AntiJoin(spark, folder / "snapshots")
    join.begin()
    return spark.sql(MAXIMUM).writeStream.foreachBatch(join), join.rows


WAYS: dict[str, Way] = {
    PLAIN: lambda spark, _: to_noop(spark.sql(MAXIMUM)),
    EMIT: lambda spark, _: to_noop(spark.sql(f"{MAXIMUM} {EMIT}")),
    TYPED: lambda spark, _: to_noop(spark.sql(f"{MAXIMUM} {EMIT} {TYPED}")),
    ANTI_JOIN: anti_join,
    BY_HAND: lambda spark, _: to_noop(by_hand(spark)),
}


def window(progress: dict[str, Any]) -> Window:
    """Returns the time in which the micro-batch of this progress ran."""
    start = datetime.fromisoformat(progress["timestamp"].replace("Z", "+00:00")).timestamp() * 1000
    return Window(start, start + progress["durationMs"]["triggerExecution"])


def finish(spark: SparkSession, query: StreamingQuery, batches: int) -> list[dict[str, Any]]:
    """Waits for that many batches, stops the query, unloads its state; returns their progress."""
    while query.isActive and (query.lastProgress or {"batchId": -1})["batchId"] < batches - 1:
        time.sleep(0.1)
    if error := query.exception():
        raise error
    query.stop()
    spark._jvm.org.apache.spark.sql.execution.streaming.state.StateStore.stop()
    spark._jsparkSession.sparkContext().listenerBus().waitUntilEmpty()
    return [dict(p) for p in query.recentProgress if p["batchId"] < batches]


def stages(spark: SparkSession, since: float) -> list[tuple[float, float]]:
    """Returns when each stage since an instant was submitted, and the CPU ms of its tasks."""
    store = spark._jsparkSession.sparkContext().statusStore()
    no_quantiles = spark._sc._gateway.new_array(spark._jvm.double, 0)
    listed = store.stageList(None, False, False, no_quantiles, None)
    found = []
    for i in range(listed.size()):
        stage = listed.apply(i)
        if stage.submissionTime().isDefined():
            submitted = stage.submissionTime().get().getTime()
            if submitted >= since:
                found.append((stage.stageId(), submitted, stage.executorCpuTime() / 1e6))
    return [(submitted, cpu) for _, submitted, cpu in sorted(found)]


def run(spark: SparkSession, way: Way, plan: Plan, into: Figures) -> None:
    """Runs one stream of one way, and appends its measured batches to `into`."""
    folder = DATA / "emit"
    shutil.rmtree(folder, ignore_errors=True)
    writer, counted = way(spark, folder)
    query = writer.outputMode("update").option("checkpointLocation", str(folder)).start()
    progress = finish(spark, query, plan.batches)[plan.warm :]
    windows = [window(p) for p in progress]
    done = stages(spark, windows[0].start)
    stats = [path.stat() for path in folder.rglob("*") if path.is_file()]
    for p, when in zip(progress, windows, strict=True):
        cpu = [ms for submitted, ms in done if when.holds(submitted)]
        into.state_ms.append(cpu[-1])
        into.all_ms.append(sum(cpu))
        into.rows.append(counted.get(p["batchId"], p["sink"]["numOutputRows"]))
        into.written.append(sum(s.st_size for s in stats if when.holds(s.st_mtime * 1000)))


def measure(spark: SparkSession, ways: dict[str, Way], plan: Plan) -> dict[str, Figures]:
    """Measures all ways, in turns that change direction from round to round."""
    figures = {name: Figures() for name in ways}
    order = list(ways)
    for _ in range(plan.rounds):
        for name in order:
            run(spark, ways[name], plan, figures[name])
        order.reverse()
    return figures


def table(store: str, same: int, figures: dict[str, Figures], least: list[int]) -> Rows:
    """Returns a row of the report for each way; plain Update mode is the first."""
    rows: Rows = []
    for way, figure in figures.items():
        whole = way == ANTI_JOIN
        cpu, plain = (f.all_ms if whole else f.state_ms for f in (figure, figures[PLAIN]))
        written = mean(figure.written)
        rows.append(
            {
                "store": store,
                "same": f"{same} %",
                "way": way,
                "state ms": "" if whole else round(median(figure.state_ms)),
                "all ms": round(median(figure.all_ms)),
                "CPU x": round(median(cpu) / median(plain), 2),
                "rows": round(median(figure.rows)),
                "oracle": round(median(least)),
                "KB": round(written / 1e3),
                "KB x": round(written / mean(figures[PLAIN].written), 2),
            }
        )
    return rows


def aims(rows: Rows) -> list[str]:
    """Returns a line for each state store that says whether EMIT ON CHANGE meets its aims."""
    lines = []
    for store in STORES:
        ours = {r["same"]: r for r in rows if r["store"] == store and r["way"] == EMIT}
        judged = [
            (f"{column} at {same} {ours[same][column]} <= {aim}", ours[same][column] <= aim)
            for same, column, aim in AIMS
            if same in ours
        ]
        typed = {r["same"]: r for r in rows if r["store"] == store and r["way"] == TYPED}
        cpu = [(typed[same]["state ms"], ours[same]["state ms"]) for same in ours]
        most = max(one / other for one, other in cpu)
        whole = sum(one for one, _ in cpu) / sum(other for _, other in cpu)
        text = f"{TYPED} / {EMIT}, {whole:.2f} in all, {most:.2f} at most <= {TYPED_AIM}"
        judged.append((text, most <= TYPED_AIM))
        said = ", ".join(text if held else f"MISSED {text}" for text, held in judged)
        lines.append(f"aims, {store}: {said}")
    return lines


def main() -> None:
    """Measures all stores and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few keys and batches")
    quick = parser.parse_args().quick
    plan = Plan(10_000, 2, 2, 1) if quick else Plan()
    spark = session(**{"spark.driver.extraClassPath": str(test_jar()), **CONF})
    rows: Rows = []
    warm = replace(plan, rounds=1)
    for name, store in STORES.items():
        store.use(spark)
        stream(spark, plan.keys, 50)
        measure(spark, store.ways(), warm)
        for same in store.same:
            stream(spark, plan.keys, same)
            figures = measure(spark, store.ways(), plan)
            least = oracle(spark, plan, same)[plan.warm :] * plan.rounds
            for way, figure in figures.items():
                assert way == PLAIN or figure.rows == least, (name, same, way)
            rows += table(name, same, figures, least)
    report(
        "emit",
        f"{plan.keys:,} keys, as many rows a batch: medians of "
        f"{plan.measured * plan.rounds} batches",
        rows,
        [
            "same: keys whose maximum stays; oracle: keys whose maximum changes; in every batch "
            "all ways but plain Update forwarded as many rows",
            "state ms: CPU of the tasks of a batch's last stage; all ms: of all its tasks; without "
            "GC and RocksDB's threads",
            "changelog: RocksDB with changelog checkpoints, which write no file of RocksDB",
            "CPU x: state ms by that of plain Update, for foreachBatch all ms",
            "KB: written below the checkpoint a batch, with foreachBatch's snapshots; maintenance, "
            "which would add whole snapshots of the state to every way, is off",
            *aims(rows),
            *WHY_ROCKSDB,
        ],
        keep=not quick,
    )
    spark.stop()


if __name__ == "__main__":
    main()
