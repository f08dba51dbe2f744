"""The reports of `eddyline.why` about a frame, and the stored verdicts of checks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException

from eddyline import why
from local.assume_files import GROUPS, checked, files, files_read, forget, listed, run, verdict

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


def test_why(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "sales")
    spark.range(30).selectExpr("id AS item", "id % 3 AS day").write.partitionBy("day").json(path)
    spark.read.json(path).createOrReplaceTempView("sales")
    frame = spark.sql(
        "SELECT day, item, row_number() OVER (PARTITION BY day ORDER BY item) AS r "
        "FROM sales ASSUME PARTITIONED BY (day)"
    )
    relation = f"file:{path}"
    (claim,) = why(frame).claims
    assert (claim.subject, claim.outcome, claim.reason) == (f"{relation} (day)", "USED", None)
    assert claim.facts() == {
        "proof": "structural",
        "units": 3,
        "exchange": "day",
        "exchange_avoided": True,
        "operator": "Window",
    }
    assert frame.count() == 30
    deduplicated = frame.dropDuplicates(["day"])
    assert sorted(row.day for row in deduplicated.collect()) == [0, 1, 2]
    assert [claim.outcome for claim in why(deduplicated).claims] == ["USED", "USED"]
    assert why(spark.range(3)).claims == []


def test_a_verdict_is_kept(spark: SparkSession, tmp_path: Path) -> None:
    files(spark, tmp_path / "t", [1, 1, 2], [3, 4, 3])
    assert verdict(spark.sql(GROUPS)) is None
    frame, rows, jobs = run(spark)
    assert (verdict(frame), rows) == ("holds", {1: 2, 2: 1, 3: 2, 4: 1})
    assert run(spark)[1:] == (rows, jobs - 1)
    spark.sql(f"{GROUPS} HAVING n > 1").collect()  # another query, the same keys and files


@pytest.mark.parametrize(
    ("relation", "key"),
    [
        ("`2x`", "`my key`"),
        ("`2x`", "s.`x y`"),
        ("t", "k"),
        ("(SELECT k % 7 AS m FROM t) AS s", "m"),
    ],
)
def test_the_statement_of_an_error(
    spark: SparkSession, tmp_path: Path, relation: str, key: str
) -> None:
    """The statement runs as it stands, and its first row is the key that the error names."""
    files(spark, tmp_path / "t", [7, 1], [7, 2])
    spark.sql("CREATE TABLE `2x` (`my key` INT, s STRUCT<`x y`: INT>) USING parquet")
    spark.sql(
        "INSERT INTO `2x` SELECT /*+ REPARTITION(2, id) */ 7, named_struct('x', 7) FROM range(9)"
    )
    claim = f"{relation} ASSUME PARTITIONED BY ({key}) ENFORCED ON VIOLATION FAIL"
    with pytest.raises(AnalysisException) as error:
        spark.sql(f"SELECT count(*) FROM {claim} GROUP BY {key}").collect()
    found = error.value.getMessageParameters()
    assert found["statement"] in str(error.value)
    (row,) = spark.sql(found["statement"]).collect()
    assert row.key == found["key"]
    units = {unit.rpartition("/")[2] for unit in row.units}
    assert units == {found["unit1"], found["unit2"]}


def test_the_statement_of_an_error_about_numbered_units(spark: SparkSession) -> None:
    """A key may lie in two files of one unit, as after an append."""
    many = "SELECT /*+ REPARTITION(4, k) */ id % 20 AS k, id AS v FROM range(200)"
    spark.sql(f"CREATE TABLE numbered USING parquet AS {many}")
    spark.sql(f"INSERT INTO numbered {many}")
    spark.sql("INSERT INTO numbered SELECT /*+ COALESCE(1) */ explode(array(3, 4, 5, 6)), 1")
    claim = "numbered ASSUME PARTITIONED BY (k) INTO 4 PARTITIONS ENFORCED ON VIOLATION FAIL"
    with pytest.raises(AnalysisException) as error:
        spark.sql(f"SELECT k, count(*) FROM {claim} GROUP BY k").collect()
    found = error.value.getMessageParameters()
    keys = {row.k for row in spark.sql(found["statement"]).collect()}
    assert int(found["key"].strip("()")) in keys
    assert keys < {3, 4, 5, 6}, "those that hash to 0 lie in one unit"


def test_one_file_needs_no_check(spark: SparkSession, tmp_path: Path) -> None:
    files(spark, tmp_path / "t", [1, 1, 2])
    frame, rows, _ = run(spark)
    assert (verdict(frame), rows) == ("holds", {1: 2, 2: 1})


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


def test_a_check_keeps_that_it_is_false(spark: SparkSession, tmp_path: Path) -> None:
    files(spark, tmp_path / "t", [1, 2], [2, 4])
    (row,) = spark.sql(
        "CHECK ASSUMPTION ON (SELECT * FROM t WHERE k < 3) PARTITIONED BY (k)"
    ).collect()
    assert row.key == "(2)"
    frame, rows, _ = run(spark)
    assert (verdict(frame), rows) == ("false, (2) is in two units", {1: 1, 2: 2, 4: 1})
    assert (checked(frame, "filesChecked"), checked(frame, "fellBack")) == (0, 1)


def stored(spark: SparkSession, folder: Path) -> list[Path]:
    """Makes the session use the folder for verdicts; returns the verdicts there."""
    spark.conf.set("spark.eddyline.assume.verdictLocation", str(folder))
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
    spark.conf.unset("spark.eddyline.assume.verdictLocation")
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
    assert files_read(spark, {1: 1, 2: 1, 3: 1, 4: 1}) == 3  # the check gathers no hashes


@pytest.mark.parametrize("damage", ["cut", "foreign", "newer", "empty"])
def test_a_verdict_that_cannot_be_read(spark: SparkSession, tmp_path: Path, damage: str) -> None:
    files(spark, tmp_path / "t", [1, 2], [2])
    verdicts = tmp_path / "verdicts"
    stored(spark, verdicts)
    groups, false = {1: 1, 2: 2}, "false, (2) is in two units"
    assert files_read(spark, groups, false) == 2
    (file,) = stored(spark, verdicts)
    content = {
        "cut": file.read_bytes()[:-20],
        "foreign": b"not a verdict, though it has the name of one",
        "newer": b'{"verdict": "in another form"}',
        "empty": b"",
    }[damage]
    (file.parent / f".{file.name}.crc").unlink()  # else Hadoop finds the change
    file.write_bytes(content)
    forget(spark)
    assert files_read(spark, groups, false) == 2
    forget(spark)
    assert files_read(spark, groups, false) == 0  # the verdict was written again


def test_a_folder_that_cannot_be_written(spark: SparkSession, tmp_path: Path) -> None:
    files(spark, tmp_path / "t", [1, 2], [3])
    (tmp_path / "verdicts").write_text("a file")
    stored(spark, tmp_path / "verdicts")
    assert files_read(spark, {1: 1, 2: 1, 3: 1}) == 2
    assert files_read(spark, {1: 1, 2: 1, 3: 1}) == 0


PHASES = [
    ("PREPARATION", "true"),
    ("COLUMNAR", "true"),
    ("COLUMNAR", "false"),
    ("VECTORS", "true"),
    ("VECTORS", "false"),
]


OTHERS = pytest.mark.parametrize(("others", "adaptive"), PHASES, indirect=True)


@pytest.fixture
def others(request: pytest.FixtureRequest, spark: SparkSession, adaptive: None) -> None:
    """Lets another extension read files, in a phase of planning."""
    spark.conf.set("spark.eddyline.tests.otherScans", request.param)


@pytest.fixture(params=["false", "true"], ids=["known", "late"])
def late(request: pytest.FixtureRequest, spark: SparkSession) -> None:
    """Lets a claim be dropped when it is planned, or when its scan has been replaced."""
    spark.conf.set("spark.eddyline.assume.force", request.param)


@OTHERS
@pytest.mark.usefixtures("others", "late")
def test_another_extension_reads_the_files(spark: SparkSession, tmp_path: Path) -> None:
    """The extension knows no units, so the rows are shuffled after all."""
    files(spark, tmp_path / "t", [1, 1, 2], [3, 2, 3])
    days = spark.range(30).selectExpr("id AS item", "id % 3 AS day")
    days.write.partitionBy("day").parquet(str(tmp_path / "days"))
    spark.read.parquet(str(tmp_path / "days")).createOrReplaceTempView("days")
    spark.conf.set("spark.sql.files.maxPartitionBytes", "400")  # more partitions than units
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
    reason = "OtherScan reads the files, and knows of no units"
    day = "days ASSUME PARTITIONED BY (day)"
    expected: dict[str, list[tuple[object, ...]]] = {
        GROUPS: [(1, 2), (2, 2), (3, 2)],
        GROUPS.replace("(k) GROUP", "(k) NOT ENFORCED GROUP"): [(1, 2), (2, 2), (3, 2)],
        f"SELECT day, count(*) FROM {day} GROUP BY day": [(0, 10), (1, 10), (2, 10)],
        f"SELECT item % 2, count(*) FROM {day} GROUP BY item % 2": [(0, 15), (1, 15)],
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
        assert {(claim.outcome, claim.reason) for claim in why(frame).claims} == {
            ("DROPPED", reason)
        }


@OTHERS
@pytest.mark.usefixtures("others")
def test_another_extension_reads_no_files(spark: SparkSession) -> None:
    spark.conf.set("spark.eddyline.assume.force", "true")
    spark.sql("CREATE TABLE days (item INT, day INT) USING parquet PARTITIONED BY (day)")
    spark.sql("CREATE TABLE items (item INT, day INT) USING parquet")
    for table in ("days", "items"):
        one = f"{table} AS {{}} ASSUME PARTITIONED BY (day)"
        assert spark.sql(f"SELECT day FROM {one.format('a')} GROUP BY day").collect() == []
        join = f"{one.format('a')} JOIN {one.format('b')} USING (day)"
        assert spark.sql(f"SELECT a.item FROM {join}").collect() == []


@OTHERS
@pytest.mark.usefixtures("others")
def test_another_extension_reads_rows_whose_keys_fail(spark: SparkSession) -> None:
    """A filter removes them before Spark computes the keys, and the late shuffle is below it."""
    spark.conf.set("spark.eddyline.assume.force", "true")
    spark.sql(
        "CREATE TABLE texts USING parquet AS SELECT /*+ REPARTITION(3, id) */ id % 2 AS kind, "
        "if(id % 2 = 0, 'x', string(id)) AS s FROM range(40)"
    )
    inner = "SELECT CAST(s AS INT) AS k FROM texts WHERE kind = 1"
    query = f"SELECT k, count(*) AS n FROM ({inner}) AS q ASSUME PARTITIONED BY (k) GROUP BY k"
    assert len(spark.sql(query).collect()) == 20


@OTHERS
@pytest.mark.usefixtures("others")
def test_another_extension_reads_a_layout(spark: SparkSession) -> None:
    """It is dropped when it is planned, since no shuffle can produce it."""
    spark.sql(
        "CREATE TABLE good USING parquet AS "
        "SELECT /*+ REPARTITION(4, k) */ id % 20 AS k, id AS v FROM range(200)"
    )
    one = "good AS {} ASSUME PARTITIONED BY (k) LAYOUT hash INTO 4 PARTITIONS{}"
    for hashed in ("", " USING HASH SPARK"):
        join = f"{one.format('a', hashed)} JOIN {one.format('b', hashed)} USING (k)"
        frame = spark.sql(f"SELECT k, count(*) AS n FROM {join} GROUP BY k")
        assert {row.n for row in frame.collect()} == {100}
        assert {claim.outcome for claim in why(frame).claims} == {"DROPPED"}
    assert spark.sql("CHECK ASSUMPTION ON good PARTITIONED BY (k)").collect() == []


def test_the_code_of_a_stage_goes_through_the_check(spark: SparkSession, tmp_path: Path) -> None:
    """The generated code has the check, so that a known verdict costs nothing for each row."""
    files(spark, tmp_path / "t", [1, 1, 2], [3, 4])
    frame, _, _ = run(spark)
    plan = str(frame._jdf.queryExecution().executedPlan())
    final = plan.partition("Initial Plan")[0]
    assert "*(1) HashAggregate" in final
    assert "*(1) CheckAssumption" in final
