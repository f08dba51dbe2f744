"""COGROUP in batch by rows, keys, branches and executors, beside a UNION ALL that is aggregated."""

from __future__ import annotations

from scaling.meter import PLANNING, RUN, Meter, Sample, meter
from scaling.points import Point, Series

BRANCHES = 3
KEYS = 100_000
SCHEMA = "k BIGINT, v BIGINT"


def by_rows(*, toy: bool) -> list[Point]:
    """Measures more and more rows of the same keys."""
    series = Series("COGROUP by rows", "row", RUN)
    keys = 1_000 if toy else KEYS
    points = []
    with meter() as of:
        for rows in (10_000, 100_000) if toy else (1_000_000, 10_000_000, 100_000_000):
            found = measured(of, BRANCHES, rows, keys)
            points.append(series.point(rows, found, rows))
    return points


def by_keys(*, toy: bool) -> list[Point]:
    """Measures more and more keys of the same number of rows."""
    series = Series("COGROUP by keys", "row", RUN)
    rows = 40_000 if toy else 20_000_000
    points = []
    with meter() as of:
        for keys in (100, 20_000) if toy else (10_000, 100_000, 1_000_000, 10_000_000):
            found = measured(of, BRANCHES, rows, keys)
            points.append(series.point(keys, found, rows))
    return points


def by_branches(*, toy: bool) -> list[Point]:
    """Measures more and more branches, which together have the same rows."""
    planning = Series("COGROUP by branches, planning", "query", PLANNING)
    run = Series("COGROUP by branches, run", "row", RUN)
    rows, keys = (12_000, 1_000) if toy else (6_000_000, KEYS)
    points = []
    with meter() as of:
        measured(of, 2, rows, keys)  # so that the planner is compiled
        for branches in (2, 5) if toy else (2, 5, 15, 60):
            found = measured(of, branches, rows, keys)
            points.append(planning.point(branches, found, 1))
            points.append(run.point(branches, found, rows))
    return points


def by_executors(*, toy: bool) -> list[Point]:
    """Measures one executor and two, of one core each."""
    series = Series("COGROUP by executors", "row", RUN, cost="wall")
    rows, keys = (12_000, 1_000) if toy else (10_000_000, KEYS)
    points = []
    for executors in (1, 2):
        with meter(**{"spark.master": f"local-cluster[{executors},1,1024]"}) as of:
            found = measured(of, BRANCHES, rows, keys)
            points.append(series.point(executors, found, rows))
    return points


def measured(of: Meter, branches: int, rows: int, keys: int) -> dict[str, Sample]:
    """Returns what a sum of each branch takes; the branches are files."""
    for i in range(branches):
        folder = str(of.folder / f"b{i}")
        frame = of.spark.range(0, rows // branches, 1, 2).selectExpr(
            f"pmod(xxhash64(id, {i}), {keys}) AS k", f"pmod(xxhash64(id, {i}, 7), 1000) AS v"
        )
        frame.write.mode("overwrite").parquet(folder)
        of.spark.read.schema(SCHEMA).parquet(folder).createOrReplaceTempView(f"b{i}")
    return of.compare(cogroup(branches), union(branches))


def cogroup(branches: int) -> str:
    """Returns the COGROUP."""
    inputs = ", ".join(f"b{i} BY k" for i in range(branches))
    sums = ", ".join(f"sum(b{i}.v) AS s{i}" for i in range(branches))
    return f"COGROUP {inputs} AGGREGATE {sums}"


def union(branches: int) -> str:
    """Returns the same in Spark's own SQL."""
    numbers = range(branches)
    padded = (
        f"SELECT k, {', '.join(f'v AS v{i}' if i == j else f'NULL AS v{i}' for i in numbers)} "
        f"FROM b{j} WHERE k IS NOT NULL"
        for j in numbers
    )
    sums = ", ".join(f"sum(v{i}) AS s{i}" for i in numbers)
    return f"SELECT k, {sums} FROM ({' UNION ALL '.join(padded)}) GROUP BY k"
