"""Benchmark of a global table's age while others write to its source all the time.

    python benchmarks/globaltable_lag.py [--seconds 10]

Each writer puts numbered rows into a source: files that are renamed into place at a fixed rate,
with or without a new `_SUCCESS` after each one, or Spark jobs one after the other. Some remove a
file now and then, or overwrite the whole source. The lag is the time since the first write that the
table does not show. The aim is two intervals and the time of a refresh without writers.
"""

from __future__ import annotations

import argparse
import shutil
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from measure import DATA, report, session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FOLDER = DATA / "globaltable_lag"
INTERVAL = 1.0


@dataclass(frozen=True)
class Case:
    """A kind of writer.

    Attributes:
        title: name in the report.
        rate: writes per second; 0 for as many as possible.
        by_spark: whether Spark jobs write, and files are not renamed.
        marks: whether a `_SUCCESS` follows each file.
        removal: number of writes for each that removes a file; 0 for none.
        overwrite: number of writes for each that replaces all rows by its own; 0 for none.
    """

    title: str
    rate: int = 0
    by_spark: bool = False
    marks: bool = False
    removal: int = 0
    overwrite: int = 0


CASES = [
    Case("1 file/s", 1),
    Case("10 files/s", 10),
    Case("50 files/s", 50),
    Case("50 files/s, marked", 50, marks=True),
    Case("1 file/s, as many removals", 1, removal=1),
    Case("10 files/s, 2 removals/s", 10, removal=5),
    Case("10 files/s, 2 removals/s, marked", 10, marks=True, removal=5),
    Case("50 files/s, 5 removals/s", 50, removal=10),
    Case("50 files/s, 5 removals/s, marked", 50, marks=True, removal=10),
    Case("50 files/s, as many removals", 50, removal=1),
    Case("10 files/s, an overwrite every 2 s", 10, overwrite=20),
    Case("INSERT INTO", by_spark=True),
    Case("INSERT INTO, each fifth OVERWRITE", by_spark=True, overwrite=5),
    Case("INSERT OVERWRITE", by_spark=True, overwrite=1),
]


class Writer(threading.Thread):
    """A thread that writes row after row.

    Attributes:
        times: end of each write, in seconds of the monotonic clock.
    """

    def __init__(self, write: Callable[[int], None], rate: int) -> None:
        super().__init__(daemon=True)
        self.write, self.rate = write, rate
        self.times: list[float] = []
        self.stopped = threading.Event()

    def run(self) -> None:
        """Writes until the thread is told to stop."""
        start = time.monotonic()
        while not self.stopped.is_set():
            number = len(self.times) + 1
            self.write(number)
            self.times.append(time.monotonic())
            if self.rate:
                self.stopped.wait(max(0.0, start + number / self.rate - time.monotonic()))

    def lag(self, seen: int) -> float:
        """Returns the seconds since the first write that is not seen."""
        return time.monotonic() - self.times[seen] if len(self.times) > seen else 0.0


def files(case: Case, folder: Path) -> Callable[[int], None]:
    """Returns a writer of files, of which the newest ones stay."""
    folder.mkdir(parents=True)
    (folder / "0.csv").write_text("0\n")

    def write(number: int) -> None:
        old = sorted(folder.glob("*.csv"), key=lambda path: int(path.stem))
        away = folder.with_name("away")
        away.write_text(f"{number}\n")
        away.rename(folder / f"{number}.csv")
        if case.overwrite and number % case.overwrite == 0:
            gone = old
        elif case.removal and number % case.removal == 0 and number > case.rate:
            gone = old[:1]
        else:
            gone = []
        for path in gone:
            path.unlink()
        if case.marks:
            (folder / "_SUCCESS").touch()

    return write


def jobs(case: Case, spark: SparkSession) -> Callable[[int], None]:
    """Returns a writer by Spark jobs."""
    spark.sql("INSERT INTO source VALUES (0)")

    def write(number: int) -> None:
        into = "OVERWRITE" if case.overwrite and number % case.overwrite == 0 else "INTO"
        spark.sql(f"INSERT {into} source VALUES ({number})")

    return write


def run(spark: SparkSession, case: Case, seconds: float) -> dict[str, Any]:
    """Measures again and again the lag that a query finds."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    spark.sql("DROP TABLE IF EXISTS source")
    form = "parquet" if case.by_spark else "csv"
    spark.sql(f"CREATE TABLE source (k BIGINT) USING {form} LOCATION '{FOLDER}/source'")
    write = jobs(case, spark) if case.by_spark else files(case, FOLDER / "source")
    every = f"REFRESH EVERY {int(INTERVAL * 1000)} MILLISECONDS"
    spark.sql(f"CREATE GLOBAL TABLE g {every} AS SELECT k FROM source")
    writer = Writer(write, case.rate)
    writer.start()
    lags: list[float] = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        lags.append(writer.lag(spark.sql("SELECT max(k) AS k FROM g").collect()[0].k))
        time.sleep(0.05)
    by_hand = [timed(lambda: spark.sql("REFRESH GLOBAL TABLE g")) for _ in range(3)]
    writer.stopped.set()
    writer.join()
    quiet = [timed(lambda: spark.sql("REFRESH GLOBAL TABLE g")) for _ in range(3)]
    facts = dict(spark.sql("DESCRIBE GLOBAL TABLE g").collect())
    spark.sql("DROP GLOBAL TABLE g")
    row = {
        "writer": case.title,
        "writes": len(writer.times),
        "versions": int(facts["refreshes"]),
        "failures": int(facts["failures"]),
        "lag s": round(median(lags), 2),
        "most": round(max(lags), 2),
        "refresh s": round(median(quiet), 2),
        "by hand s": round(median(by_hand), 2),
    }
    bound = 2 * INTERVAL + median(quiet)
    return {**row, "aim": "held" if max(lags) <= bound else f"MISSED: {bound:.2f}"}


def timed(body: Callable[[], object]) -> float:
    """Returns the seconds that `body` takes."""
    start = time.monotonic()
    body()
    return time.monotonic() - start


def main() -> None:
    """Runs every writer and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=10, help="of each writer")
    arguments = parser.parse_args()
    spark = session()
    rows = [run(spark, case, arguments.seconds) for case in CASES]
    report("globaltable_lag", f"Lag of a table with REFRESH EVERY {INTERVAL:g} s", rows, [])
    spark.stop()
    shutil.rmtree(FOLDER, ignore_errors=True)


if __name__ == "__main__":
    main()
