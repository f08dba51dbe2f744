"""Benchmark of CREATE GLOBAL TABLE and the broadcast and sort-merge joins of Spark.

    python benchmarks/globaltable.py [--quick]

Every way has its own stream, which runs all the time, and one stream at a time gets a micro-batch.
The ways take turns of a block of micro-batches each, and each turn changes direction; so do the
ways of the batch query. The figures are medians of the CPU and wall time of the whole process, with
its garbage collector and refreshes in the background. The JVM goes on compiling for thousands of
micro-batches during all turns, so ratios and aims are about the CPU time without its compiler.
"""

from __future__ import annotations

import argparse
import os
import runpy
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from feed import Feed
from measure import DATA, ROOT, report, session
from process_cpu import NO_MORE_COMPILERS, Cpu, Figures, timed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

FOLDER = DATA / "globaltable"
FLOOR, HINT, CACHED, MERGE, GLOBAL = (
    "no join",
    "BROADCAST",
    "CACHE + BROADCAST",
    "MERGE",
    "global table",
)
THERE, TO_BUILD, REFRESH = "global, replica there", "global, to build", "REFRESH GLOBAL TABLE"
NODES = {
    FLOOR: "MicroBatchScan",
    HINT: "BroadcastExchange",
    CACHED: "Scan In-memory table",
    MERGE: "SortMergeJoin",
    GLOBAL: "GlobalLookup",
}
HEAP = "3g"
# G1 would mark concurrently, at the expense of the way whose turn it is
COLLECTOR = f"-XX:+UseParallelGC -Xms{HEAP} -XX:+AlwaysPreTouch"
MOST_OF_FLOOR, LEAST_OF_HINT, MOST_OF_BROADCAST = 1.15, 5.0, 1.0

Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Plan:
    """The amount that is run.

    Attributes:
        small: rows of a small dimension.
        large: rows of the large one.
        star: number of dimensions of the star.
        rows: rows of a micro-batch.
        checked: micro-batches of each way whose rows are compared.
        warm: micro-batches of each way before the turns; compiling takes most of their CPU.
        warm_large: the same with the large dimension.
        turns: number of turns of each way.
        block: measured micro-batches of a turn; one before them is not measured.
        facts: rows of the batch query.
        repeats: runs of the batch query and of the refresh.
    """

    small: int = 10_000
    large: int = 1_000_000
    star: int = 4
    rows: int = 1_000
    checked: int = 4
    warm: int = 25
    warm_large: int = 8
    turns: int = 4
    block: int = 4
    facts: int = 4_000_000
    repeats: int = 3


@dataclass(frozen=True)
class Case:
    """A fact side and its dimensions.

    Attributes:
        title: name in the report.
        size: rows of each dimension.
        dimensions: number of dimensions.
        ways: ways that run the case.
    """

    title: str
    size: int
    dimensions: int
    ways: tuple[str, ...]

    @property
    def keys(self) -> list[str]:
        """The columns of the facts, over their row number `value`; a fifth has no match."""
        found = (
            f"pmod(xxhash64(value, {i}), {self.size * 5 // 4}) AS k{i}"
            for i in range(self.dimensions)
        )
        return ["value AS id", *found]

    def sql(self, way: str, facts: str) -> str:
        """Returns the query of a way."""
        prefix = {CACHED: "cached", GLOBAL: "global"}.get(way, "dim")
        numbers = range(self.dimensions) if way != FLOOR else ()
        columns = ", ".join(["f.*", *(f"d{i}.name AS n{i}, d{i}.price AS p{i}" for i in numbers)])
        joins = " ".join(
            f"LEFT JOIN {prefix}_{self.size}_{i} AS d{i} ON f.k{i} = d{i}.k" for i in numbers
        )
        aliases = ", ".join(f"d{i}" for i in numbers)
        kind = {HINT: "BROADCAST", CACHED: "BROADCAST", MERGE: "MERGE"}.get(way)
        hint = f"/*+ {kind}({aliases}) */ " if kind else ""
        return f"SELECT {hint}{columns} FROM {facts} AS f {joins}"


def dimension(size: int, salt: int) -> str:
    """Returns a query for the rows of a dimension."""
    return (
        f"SELECT id AS k, concat('name-', hex(xxhash64(id, {salt}))) AS name, "
        f"hex(xxhash64(id, {salt}, 1)) AS label, pmod(xxhash64(id, {salt}, 2), 100000) AS price "
        f"FROM range(0, {size}, 1, 2)"
    )


def create(spark: SparkSession, size: int, number: int) -> None:
    """Creates a dimension as a table, as another table that is cached, and as a global table."""
    name = f"{size}_{number}"
    for prefix in ("dim", "cached"):
        spark.sql(f"CREATE TABLE {prefix}_{name} USING parquet AS {dimension(size, number)}")
    spark.sql(f"CACHE TABLE cached_{name}")
    spark.sql(f"CREATE GLOBAL TABLE global_{name} PRIMARY KEY (k) AS SELECT * FROM dim_{name}")


class Stream:
    """A stream that gets a micro-batch when it is asked to.

    Attributes:
        name: name of its checkpoint and of its table in memory.
        query: the running query.
    """

    def __init__(self, spark: SparkSession, case: Case, way: str, *, kept: bool) -> None:
        """Starts the stream, whose rows are kept in memory or thrown away."""
        self._spark = spark
        self._feed = Feed(spark)
        self.name = "_".join((*way.split(" ")[:1], str(case.size), str(case.dimensions)))
        self._feed.frame.selectExpr(*case.keys).createOrReplaceTempView("facts")
        folder = FOLDER / "checkpoints" / self.name
        shutil.rmtree(folder, ignore_errors=True)
        writer = spark.sql(case.sql(way, "facts")).writeStream.outputMode("append")
        if kept:
            writer = writer.format("memory").queryName(self.name)
        else:
            writer = writer.format("noop").option("checkpointLocation", str(folder))
        self.query: StreamingQuery = writer.start()

    def batch(self, rows: int) -> Cpu:
        """Processes one micro-batch; returns its CPU time."""
        start = Cpu.now(self._spark)
        self._feed.add(rows)
        self.query.processAllAvailable()
        return Cpu.now(self._spark).since(start)

    def wall(self) -> float:
        """Returns how long the last micro-batch took, in ms."""
        done = [p for p in self.query.recentProgress if p["numInputRows"]]
        return float(done[-1]["durationMs"]["triggerExecution"])

    def plan(self) -> str:
        """Returns the plan that Spark ran last."""
        return str(self.query._jsq.explainInternal(False))


def check(spark: SparkSession, case: Case, plan: Plan) -> None:
    """Checks that each way runs as it should, and that all give the same rows.

    The floor gives its columns of these rows.
    """
    digests: dict[str, set[tuple[Any, ...]]] = {"facts": set(), "all": set()}
    for way in case.ways:
        stream = Stream(spark, case, way, kept=True)
        for _ in range(plan.checked):
            stream.batch(plan.rows)
        assert NODES[way] in stream.plan(), stream.plan()
        assert way != FLOOR or "Join" not in stream.plan(), stream.plan()
        rows = spark.table(stream.name)
        stream.query.stop()
        facts = ["id", *(f"k{i}" for i in range(case.dimensions))]
        digests["facts"].add(digest(rows.select(facts)))
        if way != FLOOR:
            digests["all"].add(digest(rows))
        spark.catalog.dropTempView(stream.name)
    assert all(len(found) == 1 for found in digests.values()), (case, digests)
    assert next(iter(digests["facts"]))[0] == plan.checked * plan.rows, digests


def digest(frame: DataFrame) -> tuple[Any, ...]:
    """Returns the number of rows and a hash that ignores their order."""
    hashed = frame.selectExpr(f"xxhash64({', '.join(frame.columns)}) AS h")
    return tuple(hashed.selectExpr("count(*)", "bit_xor(h)").collect()[0])


def in_turns(turns: int, ways: dict[str, Callable[[], None]]) -> None:
    """Runs each way `turns` times; each turn changes direction."""
    order = list(ways)
    for _ in range(turns):
        for way in order:
            ways[way]()
        order.reverse()


def streams(spark: SparkSession, case: Case, plan: Plan) -> dict[str, Figures]:
    """Measures the micro-batches of all ways."""
    check(spark, case, plan)
    figures = {way: Figures() for way in case.ways}
    running = {way: Stream(spark, case, way, kept=False) for way in case.ways}

    def block(way: str) -> None:
        spark._jvm.System.gc()  # so that it does not count for the next way
        running[way].batch(plan.rows)
        for _ in range(plan.block):
            cpu = running[way].batch(plan.rows)
            figures[way].add(cpu, running[way].wall())

    for stream in running.values():
        for _ in range(plan.warm_large if case.size == plan.large else plan.warm):
            stream.batch(plan.rows)
    in_turns(plan.turns, {way: partial(block, way) for way in running})
    for stream in running.values():
        stream.query.stop()
    return figures


def new_driver(spark: SparkSession) -> None:
    """Forgets the replicas, as if the driver were a new one; the snapshots stay."""
    spark._jvm.org.apache.spark.eddyline.Drivers.restart(spark._jsparkSession, {})


def batch(spark: SparkSession, case: Case, plan: Plan) -> dict[str, Figures]:
    """Measures one large query over a table of facts."""
    numbers = spark.range(0, plan.facts, 1, 4).withColumnRenamed("id", "value")
    numbers.selectExpr(*case.keys).write.mode("overwrite").parquet(f"{FOLDER}/facts")
    spark.read.parquet(f"{FOLDER}/facts").createOrReplaceTempView("facts")
    assert len({digest(spark.sql(case.sql(way, "facts"))) for way in (HINT, GLOBAL)}) == 1
    queries = {FLOOR: FLOOR, HINT: HINT, THERE: GLOBAL, TO_BUILD: GLOBAL}
    figures = {way: Figures() for way in queries}

    def run(way: str) -> None:
        if way == TO_BUILD:
            new_driver(spark)
        frame = spark.sql(case.sql(queries[way], "facts"))
        if way == THERE:  # the first query after a build may still unpack what was broadcast
            frame.write.format("noop").mode("overwrite").save()
        timed(spark, figures[way], frame.write.format("noop").mode("overwrite").save)

    in_turns(plan.repeats + 1, {way: partial(run, way) for way in queries})
    return {way: figure.warmed() for way, figure in figures.items()}


def refresh(spark: SparkSession, case: Case, plan: Plan) -> dict[str, Figures]:
    """Measures a new version of a table in use: its snapshot and its replica."""
    figure = Figures()
    name = f"{case.size}_0"
    spark.sql(f"ALTER GLOBAL TABLE global_{name} SET REFRESH MANUAL")
    spark.sql(case.sql(GLOBAL, "facts")).write.format("noop").mode("overwrite").save()
    for i in range(plan.repeats + 1):
        spark.sql(f"INSERT OVERWRITE dim_{name} {dimension(case.size, 100 + i)}")
        timed(spark, figure, lambda: spark.sql(f"REFRESH GLOBAL TABLE global_{name}"))
        tables = (f"{prefix}_{name}" for prefix in ("dim", "global"))
        assert len({digest(spark.table(table)) for table in tables}) == 1
    return {REFRESH: figure.warmed()}


def table(title: str, figures: dict[str, Figures]) -> Rows:
    """Returns a row of the report for each way."""
    rows: Rows = []
    for way, figure in figures.items():
        cpu = median(figure.cpu)
        floor, hint = (
            round(cpu / median(figures[other].cpu), 2) if other in figures else ""
            for other in (FLOOR, HINT)
        )
        rows.append(
            {
                "case": title,
                "way": way,
                "all CPU ms": round(median(figure.all_cpu)),
                "CPU ms": round(cpu),
                "least": round(min(figure.cpu)),
                "x floor": floor,
                "x BROADCAST": hint,
                "wall ms": round(median(figure.wall)),
                "runs": len(figure.cpu),
            }
        )
    return rows


def aims(figures: dict[str, dict[str, Figures]], large: str, batch: str) -> list[str]:
    """Returns lines that say whether global tables meet their aims."""
    lines = []

    def judge(text: str, of: Figures, by: Figures, most: float) -> None:
        ratio = round(median(of.cpu) / median(by.cpu), 2)
        lines.append(f"aim {'held' if ratio <= most else 'MISSED'}: {text} {ratio} <= {most}")

    for title, ways in figures.items():
        if GLOBAL in ways:
            judge(f"{title}, CPU by that of {FLOOR}", ways[GLOBAL], ways[FLOOR], MOST_OF_FLOOR)
    ways = figures[large]
    times = round(median(ways[HINT].cpu) / median(ways[GLOBAL].cpu), 1)
    held = "held" if times >= LEAST_OF_HINT else "MISSED"
    lines.append(f"aim {held}: {large}, CPU of {HINT} by that of ours {times} >= {LEAST_OF_HINT}")
    ways = figures[batch]
    for way in (THERE, TO_BUILD):
        judge(f"{batch}, {way}, CPU by that of {HINT}", ways[way], ways[HINT], MOST_OF_BROADCAST)
    return lines


def test_jar() -> Path:
    """Returns the jar with the class `Drivers`."""
    build = runpy.run_path(str(ROOT / "jvm-shim/build.py"))
    return Path(build["build_test_jar"](ROOT))


def main() -> None:
    """Measures all cases and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small tables and few batches")
    quick = parser.parse_args().quick
    plan = Plan(1_000, 20_000, 2, 1_000, 2, 2, 2, 1, 3, 100_000, 1) if quick else Plan()
    load = os.getloadavg()[0]
    shutil.rmtree(FOLDER, ignore_errors=True)
    spark = session(
        **{
            "spark.driver.extraClassPath": str(test_jar()),
            "spark.driver.memory": HEAP,
            "spark.driver.extraJavaOptions": f"{COLLECTOR} {NO_MORE_COMPILERS}",
            "spark.log.level": "OFF",
            "spark.sql.shuffle.partitions": "2",
            "spark.sql.warehouse.dir": str(FOLDER / "warehouse"),
            # the delay of streams that wait for their turn
            "spark.sql.streaming.pollingDelay": "100ms",
        }
    )
    one = (FLOOR, HINT, CACHED, MERGE, GLOBAL)
    small = Case(f"dim of {plan.small:,}", plan.small, 1, one)
    large = Case(f"dim of {plan.large:,}", plan.large, 1, one)
    star = Case(
        f"star of {plan.star} x {plan.small:,}", plan.small, plan.star, (FLOOR, HINT, GLOBAL)
    )
    query = Case(f"batch of {plan.facts:,}", plan.large, 1, ())
    for i in range(plan.star):
        create(spark, plan.small, i)
    create(spark, plan.large, 0)
    figures = {case.title: streams(spark, case, plan) for case in (small, large, star)}
    figures[query.title] = batch(spark, query, plan)
    figures[f"refresh of {plan.large:,}"] = refresh(spark, large, plan)
    report(
        "globaltable",
        f"LEFT joins: micro-batches of {plan.rows:,} rows, one large batch query, one refresh",
        [row for title, ways in figures.items() for row in table(title, ways)],
        [
            "all CPU ms: of the whole process for a micro-batch, the query or the refresh, median",
            "CPU ms: without the JVM's compiler, median; least: of the runs",
            "x floor, x BROADCAST: CPU ms by that of no join and of the BROADCAST hint",
            "all ways give the same rows; no join gives their columns of the facts",
            f"batch: so many facts with the dimension of {plan.large:,}",
            "to build: by a new driver, which finds the snapshot but has to build the replica",
            "refresh: snapshot and replica of a source that was overwritten",
            f"load of the machine (1 minute) at the start {load:.1f}",
            *aims(figures, large.title, query.title),
        ],
        keep=not quick,
    )
    spark.stop()


if __name__ == "__main__":
    main()
