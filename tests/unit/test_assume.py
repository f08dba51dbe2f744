"""What `eddyline.why` tells of a frame, and what becomes of a verdict when files change."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

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
    assert run(spark)[1:] == (rows, jobs - 3)  # the check and the two searches for the key

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


def checked(frame: DataFrame, metric: str) -> int:
    """What the check of a frame that has run counted."""
    checks = frame.sparkSession._jvm.io.eddyline.spark.assume.Checks
    return int(checks.metric(frame._jdf, metric))


def forget(spark: SparkSession) -> None:
    """What the driver has in memory, as a restart would."""
    spark._jvm.io.eddyline.spark.assume.Checks.forget()


def files_read(spark: SparkSession, expected: dict[int, int], found: str = "holds") -> int:
    """Run GROUPS, and say of how many files the check has read the keys."""
    frame, rows, _ = run(spark)
    assert (verdict(frame), rows) == (found, expected)
    assert (checked(frame, "keysChecked") > 0) == (checked(frame, "filesChecked") > 0)
    return checked(frame, "filesChecked")


def test_an_append_checks_the_new_files(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "t"
    files(spark, path, [1, 1, 2], [3, 4, 3])
    assert files_read(spark, {1: 2, 2: 1, 3: 2, 4: 1}) == 2

    (path / "2.json").write_text('{"k": 5}\n{"k": 6}\n{"k": 5}\n')
    listed(spark, path)
    frame, rows, _ = run(spark)
    assert rows == {1: 2, 2: 1, 3: 2, 4: 1, 5: 2, 6: 1}
    assert (checked(frame, "filesChecked"), checked(frame, "keysChecked")) == (1, 2)

    (path / "0.json").unlink()  # fewer files, then one more that has a key of a file read long ago
    listed(spark, path)
    assert files_read(spark, {3: 2, 4: 1, 5: 2, 6: 1}) == 0
    (path / "3.json").write_text('{"k": 4}\n')
    listed(spark, path)
    assert files_read(spark, {3: 2, 4: 2, 5: 2, 6: 1}, "false, (4) is in two units") == 1

    (path / "4.json").write_text('{"k": 9}\n')  # false of some files, so of more
    listed(spark, path)
    assert files_read(spark, {3: 2, 4: 2, 5: 2, 6: 1, 9: 1}, "false, (4) is in two units") == 0

    (path / "3.json").unlink()
    listed(spark, path)
    assert files_read(spark, {3: 2, 4: 1, 5: 2, 6: 1, 9: 1}) == 1


def test_a_rewritten_file_is_checked_anew(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "t"
    files(spark, path, [1, 2], [3, 4], [5])
    assert files_read(spark, {1: 1, 2: 1, 3: 1, 4: 1, 5: 1}) == 3
    (path / "1.json").write_text('{"k": 3}\n{"k": 2}\n')  # of the same length
    os.utime(path / "1.json", (1_700_000_000, 1_700_000_000))
    listed(spark, path)
    assert files_read(spark, {1: 1, 2: 2, 3: 1, 5: 1}, "false, (2) is in two units") == 1


def test_hashes_that_are_given_up(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "t"
    spark.conf.set("spark.eddyline.assume.check.maxKeys", "3")
    files(spark, path, [1, 2], [3])
    assert files_read(spark, {1: 1, 2: 1, 3: 1}) == 2
    files(spark, tmp_path / "u", [1, 2], [3])
    spark.read.schema("k LONG").json(str(tmp_path / "u")).createOrReplaceTempView("t")
    assert files_read(spark, {1: 1, 2: 1, 3: 1}) == 2
    spark.conf.unset("spark.eddyline.assume.check.maxKeys")
    (path / "2.json").write_text('{"k": 4}\n')
    listed(spark, path)
    assert files_read(spark, {1: 1, 2: 1, 3: 1, 4: 1}) == 3


def stored(spark: SparkSession, folder: Path) -> list[Path]:
    """Use the folder for verdicts; what is there."""
    spark.conf.set("spark.eddyline.assume.verdicts", str(folder))
    return sorted(folder.rglob("*.verdict"))


def test_a_verdict_outlives_the_driver(spark: SparkSession, tmp_path: Path) -> None:
    path, verdicts = tmp_path / "t", tmp_path / "verdicts"
    assert stored(spark, verdicts) == []
    files(spark, path, [1, 1, 2], [3, 4, 3])
    rows = {1: 2, 2: 1, 3: 2, 4: 1}
    assert files_read(spark, rows) == 2
    forget(spark)
    assert files_read(spark, rows) == 0

    (path / "2.json").write_text('{"k": 5}\n')
    listed(spark, path)
    forget(spark)
    assert files_read(spark, {**rows, 5: 1}) == 1  # the hashes of the others were stored
    assert len(stored(spark, verdicts)) == 1  # which the new verdict implies

    (path / "3.json").write_text('{"k": 2}\n')
    listed(spark, path)
    false = "false, (2) is in two units"
    assert files_read(spark, {**rows, 2: 2, 5: 1}, false) == 1
    forget(spark)
    assert files_read(spark, {**rows, 2: 2, 5: 1}, false) == 0

    (path / "3.json").write_text('{"k": 6}\n')
    listed(spark, path)
    forget(spark)
    assert files_read(spark, {**rows, 5: 1, 6: 1}) == 1
    forget(spark)
    spark.conf.unset("spark.eddyline.assume.verdicts")
    assert files_read(spark, {**rows, 5: 1, 6: 1}) == 4


def test_check_assumption_stores_its_verdict(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "t"
    files(spark, path, [1, 2], [3])
    assert stored(spark, tmp_path / "verdicts") == []
    assert spark.sql("CHECK ASSUMPTION ON t PARTITIONED BY (k)").collect() == []
    forget(spark)
    assert files_read(spark, {1: 1, 2: 1, 3: 1}) == 0
    (path / "2.json").write_text('{"k": 4}\n')
    listed(spark, path)
    assert files_read(spark, {1: 1, 2: 1, 3: 1, 4: 1}) == 3  # it gathers no hashes


@pytest.mark.parametrize("damage", ["cut", "flipped", "foreign", "newer", "empty", "huge"])
def test_a_verdict_that_cannot_be_read(spark: SparkSession, tmp_path: Path, damage: str) -> None:
    files(spark, tmp_path / "t", [1, 2], [2])
    verdicts = tmp_path / "verdicts"
    stored(spark, verdicts)
    groups, false = {1: 1, 2: 2}, "false, (2) is in two units"
    assert files_read(spark, groups, false) == 2
    (file,) = stored(spark, verdicts)
    content = bytearray(file.read_bytes())
    if damage == "cut":
        content = content[:-20]
    elif damage == "flipped":
        content[-30] ^= 1
    elif damage == "foreign":
        content = bytearray(b"not a verdict, though it has the name of one")
    elif damage == "newer":
        content[7] += 1
    elif damage == "huge":
        content[8:12] = b"\x7f\xff\xff\xff"
    else:
        content.clear()
    (file.parent / f".{file.name}.crc").unlink()  # else Hadoop finds out
    file.write_bytes(content)
    forget(spark)
    assert files_read(spark, groups, false) == 2
    forget(spark)
    assert files_read(spark, groups, false) == 0  # it was written again


def test_a_folder_that_cannot_be_written(spark: SparkSession, tmp_path: Path) -> None:
    files(spark, tmp_path / "t", [1, 2], [3])
    (tmp_path / "verdicts").write_text("a file")
    stored(spark, tmp_path / "verdicts")
    assert files_read(spark, {1: 1, 2: 1, 3: 1}) == 2
    assert files_read(spark, {1: 1, 2: 1, 3: 1}) == 0


@pytest.mark.parametrize(
    ("phase", "adaptive"), [("PREPARATION", "true"), ("COLUMNAR", "true"), ("COLUMNAR", "false")]
)
def test_another_extension_reads_the_files(
    spark: SparkSession, tmp_path: Path, phase: str, adaptive: str
) -> None:
    """It knows of no units, so the rows are shuffled after all."""
    files(spark, tmp_path / "t", [1, 1, 2], [3, 2, 3])
    days = spark.range(30).selectExpr("id AS item", "id % 3 AS day")
    days.write.partitionBy("day").parquet(str(tmp_path / "days"))
    spark.read.parquet(str(tmp_path / "days")).createOrReplaceTempView("days")
    spark.conf.set("spark.sql.adaptive.enabled", adaptive)
    spark.conf.set("spark.sql.files.maxPartitionBytes", "400")  # more partitions than units
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
    spark.conf.set("spark.eddyline.tests.otherScans", phase)
    reason = "OtherScan reads the files, and knows of no units"
    day = "days ASSUME PARTITIONED BY (day)"
    expected: dict[str, list[tuple[object, ...]]] = {
        GROUPS: [(1, 2), (2, 2), (3, 2)],
        GROUPS.replace("(k) GROUP", "(k) NOT ENFORCED GROUP"): [(1, 2), (2, 2), (3, 2)],
        f"SELECT day, count(*) FROM {day} GROUP BY day": [(0, 10), (1, 10), (2, 10)],
        f"SELECT x.day, count(*) FROM {day.replace(' ', ' AS x ', 1)} "
        f"JOIN {day.replace(' ', ' AS y ', 1)} USING (day) GROUP BY x.day": [
            (0, 100),
            (1, 100),
            (2, 100),
        ],
    }
    for query, rows in expected.items():
        frame = spark.sql(query)
        assert sorted(map(tuple, frame.collect())) == rows, query
        assert {(claim.outcome, claim.reason) for claim in why(frame)} == {("DROPPED", reason)}


def test_the_code_of_a_stage_goes_through_the_check(spark: SparkSession, tmp_path: Path) -> None:
    """So that a verdict that is known costs nothing a row."""
    files(spark, tmp_path / "t", [1, 1, 2], [3, 4])
    frame, _, _ = run(spark)
    plan = str(frame._jdf.queryExecution().executedPlan())
    final = plan.partition("Initial Plan")[0]
    assert "*(1) HashAggregate" in final
    assert "*(1) CheckAssumption" in final
