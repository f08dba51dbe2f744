"""What `eddyline.why` tells of a frame, and what becomes of a verdict when files change."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from eddyline import Claim, why

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

GROUPS = "SELECT k, count(*) AS n FROM t ASSUME PARTITIONED BY (k) GROUP BY k"


def test_why(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "sales")
    spark.range(30).selectExpr("id AS item", "id % 3 AS day").write.partitionBy("day").json(path)
    spark.read.json(path).createOrReplaceTempView("sales")
    frame = spark.sql(
        "SELECT day, item, row_number() OVER (PARTITION BY day ORDER BY item) AS r "
        "FROM sales ASSUME PARTITIONED BY (day)"
    )
    relation = f"file:{path}"
    claim = Claim("day", relation, "structural", 3, "CANCELLED", "day", "Window", None, None)
    assert why(frame) == [claim]
    assert frame.count() == 30
    deduplicated = frame.dropDuplicates(["day"])
    assert sorted(row.day for row in deduplicated.collect()) == [0, 1, 2]
    assert [claim.outcome for claim in why(deduplicated)] == ["CANCELLED", "CANCELLED"]
    assert why(spark.range(3)) == []


def files(spark: SparkSession, path: Path, *keys: list[int]) -> None:
    """A relation t with one JSON file for each list of keys."""
    path.mkdir()
    for number, values in enumerate(keys):
        lines = "".join(f'{{"k": {value}}}\n' for value in values)
        (path / f"{number}.json").write_text(lines)
    listed(spark, path)


def listed(spark: SparkSession, path: Path) -> None:
    spark.read.schema("k INT").json(str(path)).createOrReplaceTempView("t")


def run(spark: SparkSession) -> tuple[DataFrame, dict[int, int], int]:
    """The frame of GROUPS, its rows and how many jobs it ran."""
    context = spark.sparkContext
    group = f"assume-{os.urandom(8).hex()}"
    context.setJobGroup(group, group)
    frame = spark.sql(GROUPS)
    rows = frame.collect()
    assert len({row.k for row in rows}) == len(rows)
    return (
        frame,
        {row.k: row.n for row in rows},
        len(context.statusTracker().getJobIdsForGroup(group)),
    )


def verdict(frame: DataFrame) -> str | None:
    (claim,) = why(frame)
    assert (claim.proof, claim.outcome) == ("checked", "CANCELLED")
    return claim.verdict


def test_a_verdict_is_kept(spark: SparkSession, tmp_path: Path) -> None:
    files(spark, tmp_path / "t", [1, 1, 2], [3, 4, 3])
    assert verdict(spark.sql(GROUPS)) is None
    frame, rows, jobs = run(spark)
    assert (verdict(frame), rows) == ("holds", {1: 2, 2: 1, 3: 2, 4: 1})
    assert run(spark)[1:] == (rows, jobs - 1)
    spark.sql(f"{GROUPS} HAVING n > 1").collect()  # another query, the same keys and files


def test_files_that_come_and_change(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "t"
    files(spark, path, [1, 1, 2], [3, 4, 3])
    assert verdict(run(spark)[0]) == "holds"

    (path / "1.json").write_text((path / "1.json").read_text().replace("4", "2"))
    os.utime(path / "1.json", (1_700_000_000, 1_700_000_000))  # the listing is older than the file
    frame, rows, _ = run(spark)
    assert (verdict(frame), rows) == ("false, (2) is in two units", {1: 2, 2: 2, 3: 2})

    listed(spark, path)
    frame, rows, jobs = run(spark)
    assert (verdict(frame), rows) == ("false, (2) is in two units", {1: 2, 2: 2, 3: 2})
    assert run(spark)[1:] == (rows, jobs - 2)  # the check and the search for the key

    (path / "0.json").write_text('{"k": 7}\n')
    (path / "2.json").write_text('{"k": 8}\n')
    listed(spark, path)
    frame, rows, _ = run(spark)
    assert (verdict(frame), rows) == ("holds", {2: 1, 3: 2, 7: 1, 8: 1})

    (path / "3.json").write_text('{"k": 8}\n')
    listed(spark, path)
    frame, rows, _ = run(spark)
    assert (verdict(frame), rows) == ("false, (8) is in two units", {2: 1, 3: 2, 7: 1, 8: 2})


def test_one_file_needs_no_check(spark: SparkSession, tmp_path: Path) -> None:
    files(spark, tmp_path / "t", [1, 1, 2])
    frame, rows, _ = run(spark)
    assert (verdict(frame), rows) == ("holds", {1: 2, 2: 1})


def test_a_path_that_is_read_twice(spark: SparkSession, tmp_path: Path) -> None:
    files(spark, tmp_path / "t", [1, 1, 2], [3])
    spark.conf.set("spark.sql.files.maxPartitionBytes", "10")
    twice = [str(tmp_path / "t")] * 2
    spark.read.schema("k INT").json(twice).createOrReplaceTempView("t")
    plain = {
        row.k: row.n for row in spark.sql("SELECT k, count(*) AS n FROM t GROUP BY k").collect()
    }
    assert run(spark)[1] == plain


def test_check_assumption(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "t"
    files(spark, path, [1, 1, 2, 5], [3, 2, 3, 5], [2, 4])
    found = spark.sql("CHECK ASSUMPTION ON t PARTITIONED BY (k)").collect()
    names = [[str(unit).rpartition("/")[2] for unit in row.units] for row in found]
    assert [tuple(row)[:3] for row in found] == [("(2)", 3, 3), ("(5)", 2, 2)]
    assert names == [["0.json", "1.json", "2.json"], ["0.json", "1.json"]]
    assert len(spark.sql("CHECK ASSUMPTION ON t PARTITIONED BY (k) LIMIT 1").collect()) == 1
    assert run(spark)[1] == {1: 2, 2: 3, 3: 2, 4: 1, 5: 2}


def test_a_check_keeps_its_verdict(spark: SparkSession, tmp_path: Path) -> None:
    files(spark, tmp_path / "one", [1, 2], [3, 4])
    jobs = run(spark)[2]
    files(spark, tmp_path / "two", [1, 2], [3, 4])
    assert spark.sql("CHECK ASSUMPTION ON t PARTITIONED BY (k)").collect() == []
    assert run(spark)[2] == jobs - 1
