"""Global tables over sources that others write again and again."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from .globaltable_harness import (
    QUERY_FORM,
    arrive,
    eventually,
    new_driver,
    reaches,
    shown,
    snapshots,
    versions,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession

# each older Spark runs these races of writers with refreshes, too
pytestmark = [pytest.mark.full, pytest.mark.faults]

EVERY = "REFRESH EVERY 300 MILLISECONDS MAX STALENESS 2 MINUTES"
MARKER = "mapreduce.fileoutputcommitter.marksuccessfuljobs"
FIRST = {0, 1}
# a refresh that takes long meets a source that has grown no further than this
WRITES = 500
# seconds from the end of a job to the next one: more than two reads take
GAP = 2.0
EVEN = 1_000_000

Write = Callable[[int, set[int]], set[int]]


class Writer(threading.Thread):
    """A thread that changes a source until it is told to stop, at most `WRITES` times.

    Attributes:
        write: function from a number and the current rows to the rows after a write.
        pause: seconds between two writes.
        states: the rows of the source before the first write and after each one.
    """

    def __init__(self, write: Write, pause: float) -> None:
        super().__init__(daemon=True)
        self.write = write
        self.pause = pause
        self.states: list[set[int]] = [FIRST]
        self.error: BaseException | None = None
        self._stopped = threading.Event()

    def run(self) -> None:
        try:
            for number in range(1, WRITES):
                if self._stopped.wait(self.pause):
                    return
                self.states.append(self.write(number, self.states[-1]))
        except BaseException as error:
            self.error = error

    def stop(self) -> None:
        self._stopped.set()
        self.join()
        assert self.error is None, self.error


@pytest.fixture
def writers() -> Iterator[Callable[[Write, float], Writer]]:
    started: list[Writer] = []

    def start(write: Write, pause: float) -> Writer:
        started.append(Writer(write, pause))
        started[-1].start()
        return started[-1]

    yield start
    for writer in started:
        writer.stop()


def rows(spark: SparkSession) -> set[int]:
    return {row.k for row in spark.sql("SELECT k FROM g").collect()}


def number(version: str) -> int:
    return int(version.partition("-")[0])


def keeps_up(spark: SparkSession, writer: Writer, times: int) -> None:
    """Checks that rows are seen within three versions, and by REFRESH at once."""
    for _ in range(times):
        done, at = len(writer.states) - 1, number(shown(spark).version)
        eventually(lambda done=done: rows(spark) in writer.states[done:])
        # however many versions there are by now
        soon = [name for name in versions(spark) if at <= number(name) <= at + 3]
        assert any(found in writer.states[done:] for found in contents(spark, soon))
    done = len(writer.states) - 1
    spark.sql("REFRESH GLOBAL TABLE g")
    found = rows(spark)
    # the writer records a state after it has written it
    eventually(lambda: found in writer.states[done:])
    writer.stop()
    eventually(lambda: rows(spark) == writer.states[-1])
    for found in contents(spark, versions(spark)):
        assert found in writer.states, (sorted(found), [sorted(s) for s in writer.states])


def contents(spark: SparkSession, names: list[str]) -> list[set[int]]:
    """Returns the keys in each of the versions."""
    frames = (spark.read.parquet(f"{snapshots(spark)}/v={name}") for name in names)
    return [{row.k for row in frame.collect()} for frame in frames]


def by_spark(spark: SparkSession, marks: str, mode: str, overwrite_each: int | None) -> Write:
    """Returns a writer by jobs of two rows each, in two files.

    An overwrite is of all files, or of one partition, if the mode is dynamic or static.
    """
    session = spark.newSession()
    session.conf.set(MARKER, marks)
    if mode == "dynamic":
        session.conf.set("spark.sql.sources.partitionOverwriteMode", mode)
    columns = ", ".join(session.table("base").columns)

    def write(number: int, before: set[int]) -> set[int]:
        first = 2 * number
        overwrites = overwrite_each is not None and number % overwrite_each == 0
        if not overwrites or mode in ("", "all"):
            into = "OVERWRITE" if overwrites else "INTO"
            rows = f"SELECT id AS k, id % 2 AS p FROM range({first}, {first + 2}, 1, 2)"
            session.sql(f"INSERT {into} base SELECT {columns} FROM ({rows})")
            return (set() if overwrites else before) | {first, first + 1}
        # even keys, as all of this partition
        rows = f"FROM range({first}, {first + 2 * EVEN}, {EVEN}, 2)"
        if mode == "dynamic":
            session.sql(f"INSERT OVERWRITE base SELECT id, 0 {rows}")
        else:
            # the files are gone while the query shuffles
            session.sql(
                f"INSERT OVERWRITE base PARTITION (p = 0) SELECT id {rows} DISTRIBUTE BY id"
            )
        return {key for key in before if key % 2} | {first, first + EVEN}

    return write


JOBS = [  # marked by _SUCCESS or not, how it overwrites partitions, how often it overwrites
    ("true", "", None),
    ("false", "", 2),
    ("true", "all", 1),
    ("false", "dynamic", 2),
    ("true", "static", 2),
    ("false", "static", 2),
]


@pytest.mark.usefixtures("restarting")
@pytest.mark.parametrize(("marks", "mode", "overwrite_each"), JOBS)
def test_a_table_that_jobs_write(
    spark: SparkSession,
    writers: Callable[[Write, float], Writer],
    marks: str,
    mode: str,
    overwrite_each: int | None,
) -> None:
    """Each version holds the table after one of the jobs, and no part of a job."""
    new_driver(spark, keepVersions="1000")
    columns, partitions = ("k BIGINT, p BIGINT", "PARTITIONED BY (p)") if mode else ("k BIGINT", "")
    spark.sql(f"CREATE TABLE base ({columns}) USING parquet {partitions}")
    by_spark(spark, marks, "", None)(0, set())
    spark.sql(f"CREATE GLOBAL TABLE g PRIMARY KEY (k) {EVERY} AS SELECT k FROM base")
    keeps_up(spark, writers(by_spark(spark, marks, mode, overwrite_each), GAP), 3)


def by_rename(folder: Path, remove_each: int | None) -> Write:
    """Returns a writer that renames files into place, and now and then removes the oldest."""
    folder.mkdir()

    def write(number: int, before: set[int]) -> set[int]:
        if remove_each is not None and number % remove_each == 0:
            oldest = min(before - FIRST)
            (folder / f"{oldest}.csv").unlink()
            return before - {oldest}
        away = folder.with_name("away")
        away.write_text(f"{number + 1}\n")
        away.rename(folder / f"{number + 1}.csv")
        return before | {number + 1}

    return write


@pytest.mark.usefixtures("restarting")
@pytest.mark.parametrize(("remove_each", "pause"), [(None, 0.02), (3, GAP)])
def test_files_that_are_dropped(
    spark: SparkSession,
    writers: Callable[[Write, float], Writer],
    tmp_path: Path,
    remove_each: int | None,
    pause: float,
) -> None:
    """New files are seen however many come within an interval."""
    new_driver(spark, keepVersions="1000")
    spark.sql("CREATE TABLE quiet USING parquet AS SELECT id FROM range(2)")
    write = by_rename(tmp_path / "drop", remove_each)
    spark.sql(f"CREATE TABLE drop (k INT) USING csv LOCATION '{tmp_path}/drop'")
    spark.sql(
        f"CREATE GLOBAL TABLE g PRIMARY KEY (k) {EVERY} AS "
        "SELECT id AS k FROM quiet UNION ALL SELECT k FROM drop"
    )
    keeps_up(spark, writers(write, pause), 3)


def test_the_sink_of_a_stream(spark: SparkSession, tmp_path: Path) -> None:
    """The log of the sink tells which files count."""
    sink = tmp_path / "sink"
    spark.sql("CREATE TABLE events (k INT) USING parquet")

    def run() -> None:
        frame = spark.sql("SELECT k, 'in the log' AS v FROM STREAM events")
        query = frame.writeStream.option("checkpointLocation", str(tmp_path / "written"))
        query.trigger(availableNow=True).start(str(sink)).awaitTermination()

    arrive(spark, 1)
    run()
    spark.sql(f"CREATE TABLE base (k INT, v STRING) USING parquet LOCATION '{sink}'")
    spark.sql(QUERY_FORM.format(clauses=EVERY))
    assert rows(spark) == {1}
    shutil.copy(next(sink.glob("part-*")), sink / "part-of-a-job-that-failed.parquet")
    arrive(spark, 2)
    run()
    reaches(spark, 2)
    assert rows(spark) == {1, 2}
