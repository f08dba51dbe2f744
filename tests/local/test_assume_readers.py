"""Readers that find other keys by the other columns, or by settings of Spark and Hadoop."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from local.assume_files import GROUPS, checked

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

CLAIMS = ["", "INTO 2 PARTITIONS"]


def written(path: Path, *texts: str) -> str:
    path.mkdir()
    for number, text in enumerate(texts):
        (path / f"part-0000{number}-a.txt").write_text(text)
    return str(path)


def same(spark: SparkSession, query: str) -> None:
    """Checks that the rows with each claim are the rows without one."""
    plain = sorted(map(str, spark.sql(query.format("")).collect()))
    for claim in CLAIMS:
        claimed = spark.sql(query.format(f"ASSUME PARTITIONED BY (k) {claim}"))
        assert sorted(map(str, claimed.collect())) == plain, claim


TRUNCATED = {
    "STRUCT<a: INT>": '{"a":',
    "MAP<STRING, INT>": '{"a":',
    "STRING": '{"a":',
    "BINARY": '{"a":',
    "ARRAY<INT>": "[1,",
}


@pytest.mark.parametrize("kind", list(TRUNCATED))
def test_json_that_is_cut_short(spark: SparkSession, tmp_path: Path, kind: str) -> None:
    """The key of such a record is NULL if it is read alone."""
    path = written(tmp_path / "t", '{"k":2}\n{"k":1,"v":' + TRUNCATED[kind], '{"k":1}\n{"k":3}\n')
    spark.read.schema(f"k INT, v {kind}").json(path).createOrReplaceTempView("t")
    spark.sql(GROUPS).collect()  # the verdict on the keys alone differs
    same(spark, "SELECT k, count(*) AS n, count(v) AS m FROM t {} GROUP BY k")
    same(spark, "SELECT n, count(*) FROM (SELECT k, count(v) AS n FROM t {} GROUP BY k) GROUP BY n")


@pytest.mark.parametrize("partial", ["true", "false"])
def test_json_values_of_another_type(spark: SparkSession, tmp_path: Path, partial: str) -> None:
    spark.conf.set("spark.sql.json.enablePartialResults", partial)
    path = written(tmp_path / "t", '{"k":7,"v":{"a":"x","k":9}}\n', '{"k":7}\n{"k":9}\n')
    spark.read.schema("k INT, v STRUCT<a: INT>").json(path).createOrReplaceTempView("t")
    same(spark, "SELECT k, count(*) AS n, count(v.a) AS m FROM t {} GROUP BY k")


def test_json_that_fails_fast(spark: SparkSession, tmp_path: Path) -> None:
    """A record that the query's filter leaves out fails no check."""
    path = written(tmp_path / "t", '{"v":2,"k":"x"}\n{"v":1,"k":1}\n', '{"v":1,"k":1}\n')
    reader = spark.read.schema("v INT, k INT").option("mode", "failfast")
    reader.json(path).createOrReplaceTempView("t")
    same(spark, "SELECT k, count(*) AS n FROM t {} WHERE v = 1 GROUP BY k")


def test_xml_with_a_bad_value(spark: SparkSession, tmp_path: Path) -> None:
    rows = [f"<rows><row><v>{v}</v><k>{k}</k></row></rows>" for v, k in (("x", 1), ("y", 3))]
    path = written(tmp_path / "t", *rows)
    reader = spark.read.format("xml").schema("k INT, v INT").option("rowTag", "row")
    reader.load(path).createOrReplaceTempView("t")
    same(spark, "SELECT k, count(*) AS n, count(v) AS m FROM t {} GROUP BY k")


def test_settings_of_hadoop(spark: SparkSession, tmp_path: Path) -> None:
    """A verdict is about what a reader finds with the settings of the session and the driver."""
    path = written(tmp_path / "t", f'{{"k":1,"x":"{"x" * 60}"}}\n{{"k":2}}\n', '{"k":1}\n')
    spark.read.schema("k INT").json(path).createOrReplaceTempView("t")
    limit = "mapreduce.input.linerecordreader.line.maxlength"
    spark.conf.set(limit, "50")
    same(spark, "SELECT k, count(*) AS n FROM t {} GROUP BY k")
    spark.conf.unset(limit)
    same(spark, "SELECT k, count(*) AS n FROM t {} GROUP BY k")

    hadoop = spark.sparkContext._jsc.hadoopConfiguration()
    frames = [spark.sql(GROUPS) for _ in range(3)]
    read = []
    for frame, length in zip(frames, ["70", "70", None], strict=True):
        if length:
            hadoop.set(limit, length)
        else:
            hadoop.unset(limit)
        frame.collect()
        read.append(checked(frame, "filesChecked"))
    assert read == [2, 0, 0]


def test_orc_by_position(spark: SparkSession, tmp_path: Path) -> None:
    rows = spark.range(4).selectExpr("IF(id < 2, 5, id) AS v", "id AS k")
    rows.repartition(2, "k").write.orc(str(tmp_path / "t"))
    assert len(list((tmp_path / "t").glob("*.orc"))) == 2
    spark.read.schema("k LONG, v LONG").orc(str(tmp_path / "t")).createOrReplaceTempView("t")
    for positional in ("false", "true"):
        spark.conf.set("orc.force.positional.evolution", positional)
        same(spark, "SELECT k, count(*) AS n FROM t {} GROUP BY k")
