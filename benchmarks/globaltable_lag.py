"""How old what a global table shows is, while others write its source all the time.

    python benchmarks/globaltable_lag.py [--seconds 10]

Each writer puts numbered rows into a source: files that come to their names by a rename, so many a
second, with or without a new `_SUCCESS` after each one, and Spark jobs every two seconds. Some
overwrite all files. The lag is how long ago the first row was written that the table does not show.
The aim is three intervals.
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
from pyspark.errors import AnalysisException

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FOLDER = DATA / "globaltable_lag"
INTERVAL = 1.0


@dataclass(frozen=True)
class Case:
    """A writer.

    Attributes:
        title: in the report.
        rate: writes a second.
        by_spark: whether Spark jobs write, else files are renamed.
        marks: whether files are followed by a `_SUCCESS`.
        overwrite: each so-many-th write puts its row in the place of all others; 0: none.
    """

    title: str
    rate: float = 0.5
    by_spark: bool = False
    marks: bool = False
    overwrite: int = 0


CASES = [
    Case("1 file/s", 1),
    Case("10 files/s", 10),
    Case("50 files/s", 50),
    Case("50 files/s, marked", 50, marks=True),
    Case("an overwrite every 2 s", overwrite=1),
    Case("an overwrite every 2 s, marked", marks=True, overwrite=1),
    Case("INSERT INTO every 2 s", by_spark=True),
    Case("INSERT INTO every 2 s, each fifth OVERWRITE", by_spark=True, overwrite=5),
    Case("INSERT OVERWRITE every 2 s", by_spark=True, overwrite=1),
]


class Writer(threading.Thread):
    """Writes row after row.

    Attributes:
        times: of the end of each write.
    """

    def __init__(self, write: Callable[[int], None], rate: float) -> None:
        super().__init__(daemon=True)
        self.write, self.rate = write, rate
        self.times: list[float] = []
        self.stopped = threading.Event()

    def run(self) -> None:
        """Write until it is told to stop."""
        start = time.monotonic()
        while not self.stopped.is_set():
            number = len(self.times) + 1
            self.write(number)
            self.times.append(time.monotonic())
            self.stopped.wait(max(0.0, start + number / self.rate - time.monotonic()))

    def lag(self, seen: int) -> float:
        """Returns the seconds since the first write that is not visible."""
        return time.monotonic() - self.times[seen] if len(self.times) > seen else 0.0


def files(case: Case, folder: Path) -> Callable[[int], None]:
    """A writer of files, of which the newest ones stay."""
    folder.mkdir(parents=True)
    (folder / "0.csv").write_text("0\n")

    def write(number: int) -> None:
        old = sorted(folder.glob("*.csv"), key=lambda path: int(path.stem))
        away = folder.with_name("away")
        away.write_text(f"{number}\n")
        away.rename(folder / f"{number}.csv")
        if case.overwrite and number % case.overwrite == 0:
            for path in old:
                path.unlink()
        if case.marks:
            (folder / "_SUCCESS").touch()

    return write


def jobs(case: Case, spark: SparkSession) -> Callable[[int], None]:
    """A writer of Spark jobs."""
    spark.sql("INSERT INTO source VALUES (0)")

    def write(number: int) -> None:
        into = "OVERWRITE" if case.overwrite and number % case.overwrite == 0 else "INTO"
        spark.sql(f"INSERT {into} source VALUES ({number})")

    return write


def run(spark: SparkSession, case: Case, seconds: float) -> dict[str, Any]:
    """The lag that a query finds, again and again."""
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
    by_hand = refresh(spark)
    writer.stopped.set()
    writer.join()
    quiet = median(refresh(spark) or 0 for _ in range(3))
    facts: dict[str, str] = dict(spark.sql("DESCRIBE GLOBAL TABLE g").collect())
    spark.sql("DROP GLOBAL TABLE g")
    row = {
        "writer": case.title,
        "writes": len(writer.times),
        "versions": int(facts["refreshes"]),
        "failures": int(facts["failures"]),
        "lag s": round(median(lags), 2),
        "most": round(max(lags), 2),
        "refresh s": round(quiet, 2),
        "by hand s": "refused" if by_hand is None else f"{by_hand:.2f}",
    }
    bound = 3 * INTERVAL
    return {**row, "aim": "held" if max(lags) <= bound else f"MISSED: {bound:.2f}"}


def refresh(spark: SparkSession) -> float | None:
    """Returns how long REFRESH takes, in seconds; None if it found no moment between two writes."""
    start = time.monotonic()
    try:
        spark.sql("REFRESH GLOBAL TABLE g")
    except AnalysisException as error:
        if error.getCondition() != "EDDYLINE_GLOBAL_TABLE.NOT_COMMITTED":
            raise
        return None
    return time.monotonic() - start


def main() -> None:
    """Run every writer and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=10, help="of each writer")
    arguments = parser.parse_args()
    spark = session(**{"spark.sql.warehouse.dir": str(FOLDER / "warehouse")})
    rows = [run(spark, case, arguments.seconds) for case in CASES]
    report("globaltable_lag", f"Lag of a table with REFRESH EVERY {INTERVAL:g} s", rows, [])
    spark.stop()
    shutil.rmtree(FOLDER, ignore_errors=True)


if __name__ == "__main__":
    main()
