"""A relation t of files with one column k, the query GROUPS over it, and its check."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from eddyline import why
from jobs import counted_jobs

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

GROUPS = "SELECT k, count(*) AS n FROM t ASSUME PARTITIONED BY (k) GROUP BY k"


def files(spark: SparkSession, path: Path, *keys: list[int]) -> None:
    """Creates a relation t with one JSON file for each list of keys."""
    path.mkdir()
    for number, values in enumerate(keys):
        lines = "".join(f'{{"k": {value}}}\n' for value in values)
        (path / f"{number}.json").write_text(lines)
    listed(spark, path)


def listed(spark: SparkSession, path: Path) -> None:
    spark.read.schema("k INT").json(str(path)).createOrReplaceTempView("t")


def run(spark: SparkSession) -> tuple[DataFrame, dict[int, int], int]:
    """Runs GROUPS; returns its frame, its rows and the number of jobs it ran."""
    with counted_jobs(spark) as jobs:
        frame = spark.sql(GROUPS)
        rows = frame.collect()
        assert len({row.k for row in rows}) == len(rows)
        return frame, {row.k: row.n for row in rows}, jobs()


def verdict(frame: DataFrame) -> str | None:
    (claim,) = why(frame).claims
    assert (claim.proof, claim.outcome) == ("checked", "USED")
    return claim.verdict


def checked(frame: DataFrame, metric: str) -> int:
    """Returns what the check of a frame that has run counted."""
    checks = frame.sparkSession._jvm.io.eddyline.spark.assume.Checks
    return int(checks.metric(frame._jdf, metric))


def forget(spark: SparkSession) -> None:
    """Makes the driver forget all verdicts in memory, as a restart does."""
    spark._jvm.io.eddyline.spark.assume.Checks.forget()


def files_read(spark: SparkSession, expected: dict[int, int], found: str = "holds") -> int:
    """Runs GROUPS; returns the number of files of which the check has read the keys."""
    frame, rows, _ = run(spark)
    assert (verdict(frame), rows) == (found, expected)
    assert (checked(frame, "keysChecked") > 0) == (checked(frame, "filesChecked") > 0)
    return checked(frame, "filesChecked")


def rewrite(file: Path, old: str, new: str) -> None:
    """Replaces text in a file, whose length must not change."""
    file.write_text(file.read_text().replace(old, new))
    os.utime(file, (1_700_000_000, 1_700_000_000))
