"""The registration of the extension in a session: once, and switched by its conf."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException, ParseException, PySparkException

import eddyline
from eddyline.jvm import sidecar_pid, stop_sidecar

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CLAUSE = "COGROUP range(2) AS a BY id, range(3) AS b BY id AGGREGATE count(*) AS n"


def test_rules_are_there_once(spark: SparkSession) -> None:
    """ServiceLoader and spark.sql.extensions both load the extension in this suite."""
    analyzer = spark._jsparkSession.sessionState().analyzer()
    rules = str(analyzer.extendedResolutionRules().mkString("\n"))
    assert rules.count("ResolveCoGroup") == 1
    post_hoc = str(analyzer.postHocResolutionRules().mkString("\n"))
    assert post_hoc.count("RewriteCoGroup") == 1


def test_the_session_passes_its_check(spark: SparkSession) -> None:
    eddyline.check(spark)


def test_switched_off(spark: SparkSession) -> None:
    spark.sql(f"CREATE VIEW stored AS {CLAUSE}")
    spark.sql("SET spark.eddyline.enabled=false")
    with pytest.raises(ParseException) as caught:
        spark.sql(CLAUSE)
    assert caught.value.getCondition() == "PARSE_SYNTAX_ERROR"
    with pytest.raises(eddyline.EddylineError, match=r"spark\.eddyline\.enabled is false"):
        eddyline.check(spark)
    assert spark.sql("SELECT sum(n) FROM stored").first()[0] == 5


def test_static_keys_stay(spark: SparkSession) -> None:
    with pytest.raises(AnalysisException) as caught:
        spark.sql("SET spark.eddyline.python=/tmp/evil")
    assert caught.value.getCondition() == "CANNOT_MODIFY_STATIC_CONFIG"


def test_ordinary_statements_start_no_sidecar(spark: SparkSession) -> None:
    stop_sidecar(spark)
    spark.sql("SELECT 1 AS cogroup, every(true) AS emit -- COGROUP a BY k").collect()
    with pytest.raises(ParseException):
        spark.sql("SELEC 1")
    assert sidecar_pid(spark) is None


def test_recent_texts_are_remembered(spark: SparkSession) -> None:
    """Spark Connect parses each text twice; the second time costs no round trip."""
    import os
    import signal

    spark.sql(CLAUSE)
    pid = sidecar_pid(spark)
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    try:
        assert spark.sql(CLAUSE).count() == 3
    finally:
        os.kill(pid, signal.SIGCONT)


def test_a_view_read_in_another_session(spark: SparkSession, spark_session: SparkSession) -> None:
    spark.sql(f"CREATE VIEW shared_view AS {CLAUSE} HAVING EVERY BRANCH")
    spark.sql("CREATE VIEW view_on_view AS SELECT max(id) AS top FROM shared_view")
    stop_sidecar(spark)
    other = spark_session.newSession()
    assert other.sql("SELECT * FROM view_on_view").collect() == [(1,)]
    assert sidecar_pid(other) is None, "a stored view needs no Python"


def test_a_view_shows_what_was_typed(spark: SparkSession) -> None:
    """The catalog keeps the lowered text, and after it the typed one as a comment."""

    def shown() -> tuple[str, str]:
        created = spark.sql("SHOW CREATE TABLE typed").head()[0]  # type: ignore[index]
        rows = spark.sql("DESCRIBE EXTENDED typed").collect()
        (text,) = [row.data_type for row in rows if row.col_name == "View Text"]
        return created.partition("\nAS ")[2].rstrip(), text

    several = f"{CLAUSE} HAVING\r  n > 0 -- more '*/\r\n\n  AND '🌊' > 'x\\\\' -- n\\"
    for clause in (CLAUSE, several):
        for statement in ("CREATE VIEW", "CREATE OR REPLACE VIEW", "ALTER VIEW"):
            spark.sql(f"{statement} typed AS {clause}")
            lines = clause.removesuffix(" -- n\\").splitlines()
            created, stored = shown()
            assert created.splitlines() == lines
            assert stored.startswith("FROM __eddyline_cogroup(")
            assert stored.splitlines()[-len(lines) :] == [f"-- {line}" for line in lines]
            assert spark.table("typed").collect() == spark.sql(clause).collect()
        spark.sql("ALTER VIEW typed AS SELECT 2 AS y")
        assert shown() == ("SELECT 2 AS y", "SELECT 2 AS y")
        spark.sql("DROP VIEW typed")


def test_what_a_temporary_view_shows(spark: SparkSession) -> None:
    spark.sql(f"CREATE TEMPORARY VIEW typed AS {CLAUSE}")
    shown = spark.sql("DESCRIBE EXTENDED typed AS JSON").head()[0]  # type: ignore[index]
    assert json.loads(shown)["view_text"].endswith(f"\n-- {CLAUSE}\n")


def test_the_place_of_an_error_in_a_view(spark: SparkSession) -> None:
    """A view keeps the lowered text; the place in it is that of the expression as typed."""
    spark.sql(
        "CREATE VIEW failing AS\nCOGROUP range(2) AS a BY id, range(3) AS b BY id\n"
        "AGGREGATE sum(a.id / 0) AS n"
    )
    with pytest.raises(PySparkException) as caught:
        spark.sql("SELECT n FROM failing").collect()
    assert caught.value.getCondition() == "DIVIDE_BY_ZERO"
    context = caught.value.getQueryContext()[0]
    assert (context.objectType(), context.fragment()) == ("VIEW", "a.id / 0")
    assert context.objectName().endswith("failing")


def test_a_view_with_a_clause_that_is_gone(spark: SparkSession) -> None:
    """A view of an earlier version stores what the lowering wrote for ENFORCED SAMPLE."""
    spark.sql("CREATE TABLE t (k INT) USING parquet")
    spark.sql("CREATE VIEW sampled AS SELECT k FROM t ASSUME PARTITIONED BY (k) ENFORCED")
    catalog = spark._jsparkSession.sharedState().externalCatalog()
    view = catalog.getTable("default", "sampled")
    fields = {
        view.productElementName(i): getattr(view, f"copy$default${i + 1}")()
        for i in range(view.productArity())
    }
    text = view.viewText().get().replace("'full'", "'sample'")
    fields["viewText"] = spark._jvm.scala.Some(text)
    catalog.alterTable(view.copy(*fields.values()))
    with pytest.raises(AnalysisException) as caught:
        spark.sql("SELECT k FROM sampled")
    assert caught.value.getCondition() == "EDDYLINE_SYNTAX.FEATURE_REMOVED"
    context = caught.value.getQueryContext()[0]
    assert (context.objectType(), context.fragment()) == ("VIEW", "'sample'")
