"""Which files of a source Spark leaves out by their names, which it can be told since Spark 4.3."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.since("4.3")

OPTION = "ignoredPathSegmentRegex"
SETTING = f"spark.sql.files.{OPTION}"
# of which the second part names the files of snapshots
RULE = "^x|^part-"


def rows(spark: SparkSession) -> list[tuple[int, str]]:
    """Returns the rows that a scan and a lookup find, in which both agree."""
    scanned = sorted(tuple(row) for row in spark.sql("SELECT k, name FROM g").collect())
    found = spark.sql("SELECT g.k, name FROM range(9) JOIN g ON id = g.k").collect()
    assert sorted(tuple(row) for row in found) == scanned
    return scanned


@pytest.mark.parametrize("how", ["option", "setting"])
def test_a_source_has_the_files_that_its_reader_lists(
    spark: SparkSession, tmp_path: Path, how: str
) -> None:
    """No other test has a rule of its own for the listing, nor a session with one."""
    for name, line in {"_a": "1,a", "x": "2,x", ".b": "3,b", "_SUCCESS": "4,s"}.items():
        (tmp_path / name).write_text(f"{line}\n")
    maker = spark.newSession()
    options = ""
    if how == "option":
        options = f"OPTIONS ({OPTION} '{RULE}')"
    else:
        maker.conf.set(SETTING, RULE)
    maker.sql(
        f"CREATE GLOBAL TABLE g (k INT, name STRING, PRIMARY KEY (k)) USING csv {options} "
        f"LOCATION '{tmp_path}' REFRESH MANUAL"
    )
    assert rows(spark) == rows(maker) == [(1, "a"), (3, "b")]
    (tmp_path / "_c").write_text("4,c\n")
    (tmp_path / "x2").write_text("5,x\n")
    spark.sql("REFRESH GLOBAL TABLE g")
    assert rows(spark) == rows(maker) == [(1, "a"), (3, "b"), (4, "c")]
    (tmp_path / "_d").write_text("1,d\n")
    with pytest.raises(AnalysisException, match=r"\(1\) 2 times") as caught:
        spark.sql("REFRESH GLOBAL TABLE g")
    assert caught.value.getCondition() == "EDDYLINE_GLOBAL_TABLE.DUPLICATE_KEY"


def test_a_folder_has_two_readers(spark: SparkSession, tmp_path: Path) -> None:
    """No other query reads a folder twice and leaves out other files each time."""
    (tmp_path / "a").write_text("1\n")
    (tmp_path / "_b").write_text("2\n")
    table = f"USING csv OPTIONS ({OPTION} '{{}}') LOCATION '{tmp_path}'"
    spark.sql(f"CREATE TABLE visible (k INT) {table.format('^_')}")
    spark.sql(f"CREATE TABLE hidden (k INT) {table.format('^a')}")
    spark.sql(
        "CREATE GLOBAL TABLE g REFRESH MANUAL AS "
        "SELECT k, 'v' AS name FROM visible UNION ALL SELECT k, 'h' FROM hidden"
    )
    assert rows(spark) == [(1, "v"), (2, "h")]
