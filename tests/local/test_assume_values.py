"""Units by the typed values of partition columns, however folders spell them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eddyline import why
from eddyline.versions import is_older

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

NULL = "__HIVE_DEFAULT_PARTITION__"


@pytest.fixture(autouse=True)
def settings(spark: SparkSession) -> None:
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")


def folders(spark: SparkSession, path: Path, schema: str, *names: str) -> None:
    """Creates a view, named after its folder, of one JSON file with one row in each partition."""
    for number, name in enumerate(names):
        (path / name).mkdir(parents=True)
        (path / name / "0.json").write_text(f'{{"n": {number}}}\n')
    spark.read.schema(schema).json(str(path)).createOrReplaceTempView(path.name)


def claimed(spark: SparkSession, query: str) -> set[tuple[str, int | None, str]]:
    """Returns the outcomes of a query's claims, after checking its rows against those without."""
    frame = spark.sql(query)
    plain = spark.sql(query.replace("ASSUME PARTITIONED BY (d)", ""))
    found = [str(row) for row in frame.collect()]
    assert len(found) > 0
    assert sorted(found) == sorted(str(row) for row in plain.collect())
    return {(claim.keys, claim.units, claim.outcome) for claim in why(frame).claims}


@pytest.mark.usefixtures("adaptive")
def test_two_spellings_of_a_value(spark: SparkSession, tmp_path: Path) -> None:
    folders(spark, tmp_path / "t", "n INT, d INT", "d=1", "d=01", f"d={NULL}")
    query = "SELECT d, count(*) AS n, sum(n) AS s FROM t ASSUME PARTITIONED BY (d) GROUP BY d"
    assert claimed(spark, query) == {("d", 2, "USED")}
    assert {tuple(row) for row in spark.sql(query).collect()} == {(1, 2, 1), (None, 1, 2)}

    spark.read.schema("n INT, d STRING").json(str(tmp_path / "t")).createOrReplaceTempView("t")
    assert claimed(spark, query) == {("d", 3, "USED")}
    assert {row.d for row in spark.sql(query).collect()} == {"1", "01", None}


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("DATE", ["2024-01-31", "2024-02-29"]),
        ("TIMESTAMP", ["2024-01-31 00%3A00%3A00", "2024-01-31 12%3A30%3A00.5"]),
        ("TIMESTAMP_NTZ", ["2024-01-31 00%3A00%3A00", "2024-01-31 12%3A30%3A00.5"]),
        ("DECIMAL(20,2)", ["-1.50", "12345678901234567.89"]),
        ("BOOLEAN", ["true", "false"]),
        ("BIGINT", ["-1", "9007199254740993"]),
    ],
)
def test_types(spark: SparkSession, tmp_path: Path, kind: str, names: list[str]) -> None:
    names = [f"d={name}" for name in [*names, NULL]]
    folders(spark, tmp_path / "t", f"n INT, d {kind}", *names)
    folders(spark, tmp_path / "u", f"n INT, d {kind}", *names[1:])
    assert claimed(spark, "SELECT d, sum(n) AS n FROM t ASSUME PARTITIONED BY (d) GROUP BY d") == {
        ("d", 3, "USED")
    }
    joined = "NOT_USED" if is_older(spark.version, "4.2") else "USED"
    assert claimed(
        spark,
        "SELECT t.d, u.d AS e, t.n, u.n AS m FROM t ASSUME PARTITIONED BY (d) "
        "FULL JOIN u ASSUME PARTITIONED BY (d) ON t.d = u.d",
    ) == {("d", 3, joined), ("d", 2, joined)}


@pytest.mark.parametrize("join", ["JOIN", "FULL JOIN", "LEFT ANTI JOIN"])
def test_a_join_of_two_types(spark: SparkSession, tmp_path: Path, join: str) -> None:
    """The cast of one side is no partition column, so both sides are shuffled."""
    folders(spark, tmp_path / "t", "n INT, d INT", "d=1", "d=01", "d=10", "d=2", f"d={NULL}")
    folders(spark, tmp_path / "u", "n INT, d BIGINT", "d=10", "d=1", "d=3", f"d={NULL}")
    columns = "t.d" if "ANTI" in join else "t.d, u.d AS e, u.n AS m"
    found = claimed(
        spark,
        f"SELECT {columns}, t.n FROM t ASSUME PARTITIONED BY (d) "
        f"{join} u ASSUME PARTITIONED BY (d) ON t.d = u.d",
    )
    assert {outcome for _, _, outcome in found} == {"NOT_USED"}


@pytest.mark.usefixtures("adaptive")
def test_values_under_a_collation(spark: SparkSession, tmp_path: Path) -> None:
    """Folders differ by bytes, so values that are equal under a collation are in several."""
    folders(spark, tmp_path / "t", "n INT, d STRING", "d=a", "d=A", "d=b", f"d={NULL}")
    spelled = "SELECT lower(d) AS d, m FROM ({}) AS x"
    above = (
        "SELECT c AS d, count(*) AS m FROM "
        "(SELECT d COLLATE UTF8_LCASE AS c FROM t ASSUME PARTITIONED BY (d)) GROUP BY c"
    )
    assert claimed(spark, spelled.format(above)) == {("d", 4, "NOT_USED")}
    below = (
        "SELECT d, count(*) AS m FROM "
        "(SELECT d COLLATE UTF8_LCASE AS d FROM t) AS s ASSUME PARTITIONED BY (d) GROUP BY d"
    )
    found = spark.sql(spelled.format(below))
    assert {row.d: row.m for row in found.collect()} == {"a": 2, "b": 1, None: 1}
    (claim,) = why(found).claims
    assert (claim.proof, claim.units) == ("checked", 4)
    assert str(claim.verdict).startswith("false, (")
