"""A global table keeps the settings of the session that made it, whoever refreshes it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NEW_YORK = "America/New_York"
MIDNIGHT_IN_NEW_YORK = 1704085200
FORMS = {
    "table": "CREATE GLOBAL TABLE g (k INT, t TIMESTAMP) USING csv LOCATION '{folder}'",
    "query": "CREATE GLOBAL TABLE g AS SELECT * FROM plain",
}


def described(spark: SparkSession, name: str) -> str:
    rows = spark.sql("DESCRIBE GLOBAL TABLE g").collect()
    return str({row.info_name: row.info_value for row in rows}.get(name))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.csv").write_text("1,2024-01-01 00:00:00\n")
    return tmp_path


@pytest.mark.parametrize("form", FORMS)
def test_another_session_refreshes(spark: SparkSession, folder: Path, form: str) -> None:
    maker = spark.newSession()
    maker.conf.set("spark.sql.session.timeZone", NEW_YORK)
    maker.sql(f"CREATE TABLE plain (k INT, t TIMESTAMP) USING csv LOCATION '{folder}'")
    maker.sql(FORMS[form].format(folder=folder) + " REFRESH MANUAL" * (form == "table"))
    (folder / "b.csv").write_text("2,2024-01-01 00:00:00\n")
    spark.sql("REFRESH GLOBAL TABLE g")
    for reader in (spark, maker):
        scanned = reader.sql("SELECT unix_timestamp(t) FROM g").collect()
        looked_up = reader.sql(
            "SELECT unix_timestamp(t) FROM VALUES (1), (2) AS f(k) JOIN g ON f.k = g.k"
        )
        assert [row[0] for row in scanned] == [MIDNIGHT_IN_NEW_YORK] * 2
        assert [row[0] for row in looked_up.collect()] == [MIDNIGHT_IN_NEW_YORK] * 2


@pytest.mark.parametrize("form", FORMS)
def test_settings_are_shown_and_stay(spark: SparkSession, folder: Path, form: str) -> None:
    maker = spark.newSession()
    maker.conf.set("spark.sql.session.timeZone", NEW_YORK)
    maker.conf.set("spark.sql.ansi.enabled", "false")
    maker.sql(f"CREATE TABLE plain (k INT, t TIMESTAMP) USING csv LOCATION '{folder}'")
    maker.sql(FORMS[form].format(folder=folder))
    shown = described(spark, "settings")
    assert f"spark.sql.session.timeZone={NEW_YORK}" in shown
    assert "spark.sql.ansi.enabled=false" in shown
    assert "checkpointLocation" not in shown, "no row depends on it"
    (here,) = spark.sql("SHOW CREATE GLOBAL TABLE g").head()
    assert here.startswith(
        "-- SET spark.sql.ansi.enabled=false\n"
        f"-- SET spark.sql.session.timeZone={NEW_YORK}\nCREATE GLOBAL TABLE"
    )
    (there,) = maker.sql("SHOW CREATE GLOBAL TABLE g").head()
    assert there.startswith("CREATE GLOBAL TABLE"), "it has these settings"
    spark.sql("ALTER GLOBAL TABLE g SET MAX ROWS 10")
    assert described(spark, "settings") == shown
    spark.sql("DROP GLOBAL TABLE g")
    spark.sql(here)
    assert NEW_YORK not in described(spark, "settings"), "the comment sets nothing"


def test_a_table_without_settings(spark: SparkSession, folder: Path) -> None:
    """A table without stored settings, as of an older eddyline, uses those of the application."""
    spark.conf.set("spark.sql.session.timeZone", NEW_YORK)
    spark.sql(f"CREATE TABLE g (k INT, t TIMESTAMP) USING csv LOCATION '{folder}'")
    spark.sql("ALTER TABLE g SET TBLPROPERTIES ('eddyline.global' = 'true')")
    (read,) = spark.sql("SELECT unix_timestamp(t) FROM g").collect()
    assert read[0] == MIDNIGHT_IN_NEW_YORK - 5 * 3600
    assert described(spark, "settings") == "None"


def test_what_a_query_computes_is_of_its_session(spark: SparkSession) -> None:
    """The settings of the session hold even for what is computed once, for a replica."""
    spark.sql("CREATE GLOBAL TABLE g REFRESH MANUAL AS SELECT 1 AS k, '2024-1-1' AS d")
    query = (
        "SELECT year(g.t) AS y FROM VALUES (1) AS f(k) LEFT JOIN "
        "(SELECT k, to_date(d, 'yyyy-MM-dd') AS t, count(*) FROM g GROUP BY k, d) AS g USING (k)"
    )
    spark.conf.set("spark.sql.ansi.enabled", "false")
    lenient = spark.newSession()
    lenient.conf.set("spark.sql.ansi.enabled", "false")
    for policy, session, year in (("CORRECTED", spark, None), ("LEGACY", lenient, 2024)):
        session.conf.set("spark.sql.legacy.timeParserPolicy", policy)
        assert [row.y for row in session.sql(query).collect()] == [year]


def test_a_snapshot_loses_nothing(spark: SparkSession) -> None:
    """A snapshot loses nothing, whatever formats the maker's session writes."""
    spark.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MILLIS")
    moment = "TIMESTAMP'2024-01-01 00:00:00.000001'"
    spark.sql(f"CREATE GLOBAL TABLE g REFRESH MANUAL AS SELECT {moment} AS t")
    assert spark.sql(f"SELECT t = {moment} FROM g").collect() == [(True,)]
