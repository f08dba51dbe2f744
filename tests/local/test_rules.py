"""The list of rules, their switches, what they did in the last query, and the trace of a plan."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

import eddyline
from eddyline import EddylineError
from jobs import counted_jobs

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

EXCLUDED = "spark.eddyline.rules.excluded"
COGROUP = "COGROUP (SELECT 1 AS k) AS a BY k, (SELECT 1 AS k) AS b BY k AGGREGATE count(a.k) AS n"


@pytest.fixture
def claim(spark: SparkSession) -> str:
    """Returns a query whose claim two rules of the optimizer change."""
    spark.sql(
        "CREATE TABLE trips USING parquet PARTITIONED BY (day) "
        "AS SELECT id AS trip, id % 3 AS day FROM range(12)"
    )
    return (
        "SELECT day, count(*) AS n FROM trips ASSUME PARTITIONED BY (day, trip) "
        "WHERE trip > 3 GROUP BY day"
    )


def injected(spark: SparkSession) -> Iterator[tuple[str, str]]:
    """Yields what an extension registers with Spark: the method that builds it, and its name."""
    jvm: Any = spark._jvm
    extensions = jvm.org.apache.spark.sql.SparkSessionExtensions()
    jvm.io.eddyline.spark.EddylineExtensions().apply(extensions)
    session = spark._jsparkSession
    methods = {method.getName() for method in extensions.getClass().getMethods()}
    for name in sorted(methods):
        if name.startswith("build") and name != "buildParser":
            found = getattr(extensions, name)(session)
            for index in range(found.size()):
                yield name, str(found.apply(index).toString())


def test_the_rules_are_those_that_spark_holds(spark: SparkSession) -> None:
    phases = {
        "buildHintResolutionRules": "hints",
        "buildResolutionRules": "resolution",
        "buildPostHocResolutionRules": "post-hoc",
        "buildCheckRules": "check",
        "buildPlanNormalizationRules": "normalization",
        "buildOptimizerRules": "optimizer",
        "buildPreCBORules": "before CBO",
        "buildPlannerStrategies": "strategy",
        "buildQueryStagePrepRules": "query stages",
        "buildColumnarRules": "columnar",
    }
    held = [(phases[method], name) for method, name in injected(spark)]
    assert len(held) > 30
    assert sorted(held) == sorted((rule.phase, rule.name) for rule in eddyline.rules(spark))


def test_each_rule_is_described(spark: SparkSession) -> None:
    rules = eddyline.rules(spark)
    clauses = {"assume", "cogroup", "emit", "globaltable", "kafka", "parser", "realtime", "rules"}
    assert {rule.clause for rule in rules} == clauses | {"streamingquery"}
    for rule in rules:
        assert rule.description.endswith("."), rule
        assert rule.optional == (rule.reason is None), rule
        assert rule.enabled, rule
    assert {rule.name for rule in rules if rule.optional} == {
        "RewriteGlobalViews",
        "RewriteGlobalJoins",
        "NarrowAssume",
        "PushThroughAssume",
        "PruneThroughAssume",
        "HoistChecks",
    }


def test_the_rules_print_as_a_table(spark: SparkSession) -> None:
    rules = eddyline.rules(spark)
    assert re.search(r"\|name +\|phase +\|clause +\|optional\|enabled\|", repr(rules))
    assert len(repr(rules).splitlines()) == len(rules) + 4
    html = rules._repr_html_()
    assert html.count("<tr>") == len(rules) + 1
    assert "<td>ResolveCoGroup</td><td>resolution</td><td>cogroup</td>" in html
    assert rules["ResolveCoGroup"]._repr_html_().count("<tr>") == 2


def test_the_numbers_are_those_of_the_last_query(spark: SparkSession, claim: str) -> None:
    assert all(rule.applied == 0 for rule in eddyline.rules(spark.newSession()))
    spark.sql(claim).collect()
    narrow = eddyline.rules(spark)["NarrowAssume"]
    assert narrow.changed == 1
    assert narrow.applied > narrow.changed
    assert narrow.time_ms > 0
    spark.sql("SELECT count(*) FROM trips").collect()
    rules = eddyline.rules(spark)
    assert rules["NarrowAssume"].changed == 0
    assert rules["NarrowAssume"].applied > 0


@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_what_spark_does_not_count_is_counted(
    spark: SparkSession, claim: str, adaptive: str
) -> None:
    spark.conf.set("spark.sql.adaptive.enabled", adaptive)
    spark.sql(claim).collect()
    rules = eddyline.rules(spark)
    for name in ("CheckStreamClaims", "PlanEmit", "PlanAssume", "CheckStreamUses", "HoistChecks"):
        assert rules[name].applied > 0, name
    assert rules["PlanAssume"].changed == 1
    assert (rules["ReportClaims"].applied > 0) == (adaptive == "true")


def test_commands_and_their_rows_are_no_queries(spark: SparkSession, claim: str) -> None:
    spark.sql(claim).collect()
    before = {rule.name: rule.applied for rule in eddyline.rules(spark)}
    spark.sql("SHOW TABLES").collect()
    spark.sql("SHOW EDDYLINE RULES").select("name").limit(3).collect()
    spark.sql("SET spark.sql.shuffle.partitions=2").collect()
    assert {rule.name: rule.applied for rule in eddyline.rules(spark)} == before
    assert before["PlanAssume"] > 0


def test_a_rule_of_global_tables_is_counted(spark: SparkSession) -> None:
    spark.sql("CREATE GLOBAL TABLE ports REFRESH MANUAL AS SELECT id AS port FROM range(3)")
    spark.sql("SELECT * FROM range(5) JOIN ports ON id = port").collect()
    rules = eddyline.rules(spark)
    assert rules["PinGlobalTables"].changed == 1
    assert rules["RewriteGlobalJoins"].changed == 1
    assert rules["PlanGlobalJoins"].changed == 1


def test_disable_and_enable_act_at_once(spark: SparkSession, claim: str) -> None:
    def rows() -> list[Any]:
        return sorted(spark.sql(claim).collect())

    expected, rules = rows(), eddyline.rules(spark)
    rules["NarrowAssume"].disable()
    rules["HoistChecks"].disable()
    rules["HoistChecks"].disable()
    assert spark.conf.get(EXCLUDED) == "NarrowAssume,HoistChecks"
    assert rows() == expected
    narrow = eddyline.rules(spark)["NarrowAssume"]
    assert (narrow.enabled, narrow.applied, narrow.changed) == (False, 0, 0)
    rules["NarrowAssume"].enable()
    assert spark.conf.get(EXCLUDED) == "HoistChecks"
    assert rows() == expected
    assert eddyline.rules(spark)["NarrowAssume"].changed == 1
    rules["HoistChecks"].enable()
    assert all(rule.enabled for rule in eddyline.rules(spark))


def test_a_disabled_check_by_groups_leaves_the_check_of_its_own(
    spark: SparkSession, tmp_path: Any
) -> None:
    spark.range(4).repartition(2, "id").write.parquet(str(tmp_path / "files"))
    query = (
        f"SELECT k, max(n) FROM (SELECT id, id % 2 AS k, count(*) AS n FROM parquet.`{tmp_path}/"
        "files` ASSUME PARTITIONED BY (id) GROUP BY id) GROUP BY k"
    )
    spark.conf.set("spark.eddyline.assume.force", "true")
    spark.conf.set("spark.sql.adaptive.enabled", "false")
    rules = eddyline.rules(spark)
    spark.sql(query).collect()
    assert eddyline.rules(spark)["HoistChecks"].changed == 1
    assert "HoistChecks" in [change.rule for change in rules.trace(spark.sql(query))]
    rules["HoistChecks"].disable()
    assert "HoistChecks" not in [change.rule for change in rules.trace(spark.sql(query))]


def test_a_rule_that_is_needed_cannot_be_disabled(spark: SparkSession) -> None:
    for rule in eddyline.rules(spark):
        if not rule.optional:
            with pytest.raises(EddylineError) as refused:
                rule.disable()
            assert refused.value.condition == "EDDYLINE_RULES.REQUIRED"
            assert str(rule.reason) in str(refused.value)
    assert spark.conf.get(EXCLUDED, "") == ""


def test_an_unknown_rule_is_refused_with_the_names(spark: SparkSession) -> None:
    rules = eddyline.rules(spark)
    assert "PlanAssume" in rules
    assert "Missing" not in rules
    with pytest.raises(EddylineError, match=r"no rule Missing.*PruneThroughAssume") as refused:
        rules["Missing"]
    assert refused.value.condition == "EDDYLINE_RULES.NOT_FOUND"


def test_sessions_have_rules_of_their_own(spark: SparkSession) -> None:
    eddyline.rules(spark)["HoistChecks"].disable()
    assert eddyline.rules(spark.newSession())["HoistChecks"].enabled
    assert not eddyline.rules(spark)["HoistChecks"].enabled


def test_spark_can_exclude_a_rule_of_the_optimizer_by_its_class(
    spark: SparkSession, claim: str
) -> None:
    name = "io.eddyline.spark.assume.NarrowAssume"
    spark.conf.set("spark.sql.optimizer.excludedRules", name)
    spark.sql(claim).collect()
    assert eddyline.rules(spark)["NarrowAssume"].applied == 0


def steps(spark: SparkSession, frame: DataFrame) -> list[tuple[str, str]]:
    return [(change.rule, change.phase) for change in eddyline.rules(spark).trace(frame)]


def test_a_trace_has_the_plans_and_their_difference(spark: SparkSession, claim: str) -> None:
    trace = eddyline.rules(spark).trace(spark.sql(claim))
    assert [(change.step, change.rule, change.clause) for change in trace] == [
        (1, "NarrowAssume", "assume"),
        (2, "PushThroughAssume", "assume"),
        (3, "PlanAssume", "assume"),
    ]
    pushed = trace[1]
    assert pushed.before.index("Filter") < pushed.before.index("AssumePartitionedBy")
    assert pushed.after.index("Filter") > pushed.after.index("AssumePartitionedBy")
    assert str(pushed).splitlines() == [
        "2. PushThroughAssume (optimizer)",
        " Aggregate [day], [day, count(1) AS n]",
        " +- Project [day]",
        "-   +- Filter (trip > 3)",
        "       +- AssumePartitionedBy [day]",
        "+      +- Filter (trip > 3)",
        "          +- Relation spark_catalog.default.trips[trip,day] parquet",
    ]
    assert str(trace).count("\n\n") == len(trace) - 1
    html = trace._repr_html_()
    assert html.count("<table>") == len(trace)
    assert "<del>-   +- Filter (trip &gt; 3)</del>" in html
    assert "<ins>+      +- Filter (trip &gt; 3)</ins>" in html


def test_a_trace_runs_nothing_and_counts_as_no_query(spark: SparkSession, claim: str) -> None:
    frame = spark.sql(claim)
    with counted_jobs(spark) as jobs:
        eddyline.rules(spark).trace(frame)
        # the rows of the trace are no job either, since they are local
        assert jobs() == 0
        spark.sql("SELECT count(*) FROM trips").collect()
        assert jobs() > 0
    assert eddyline.rules(spark)["NarrowAssume"].changed == 0


def test_a_trace_has_the_rules_of_the_analyzer(spark: SparkSession) -> None:
    assert ("ResolveCoGroup", "resolution") in steps(spark, spark.sql(COGROUP))
    assert ("RewriteCoGroup", "post-hoc") in steps(spark, spark.sql(COGROUP))


def test_a_trace_without_changes_says_so(spark: SparkSession) -> None:
    trace = eddyline.rules(spark).trace(spark.range(3))
    assert len(trace) == 0
    assert str(trace) == "No rule changes the plan."
    assert trace._repr_html_() == "<p>No rule changes the plan.</p>"


def test_a_stream_is_traced(spark: SparkSession) -> None:
    spark.sql("CREATE TABLE heights (place STRING, metres INT) USING parquet")
    sql = "SELECT place, max(metres) AS top FROM STREAM heights GROUP BY place EMIT ON CHANGE"
    expected = [("PlanEmit", "strategy"), ("InsertEmit", "columnar")]
    assert steps(spark, spark.sql(sql)) == expected
    rows = spark.sql(f"EXPLAIN EDDYLINE {sql}").collect()
    assert [(row.rule, row.phase) for row in rows] == expected


def test_the_statement_has_the_rows_of_the_trace(spark: SparkSession, claim: str) -> None:
    found = spark.sql(f"EXPLAIN EDDYLINE {claim}")
    assert found.columns == ["step", "phase", "rule", "clause", "before", "after", "diff"]
    trace = eddyline.rules(spark).trace(spark.sql(claim))
    assert [row.rule for row in found.collect()] == [change.rule for change in trace]
    diff = found.collect()[0].diff.splitlines()
    assert diff[:2] == ["--- before", "+++ after"]


def test_a_trace_shows_no_secrets(spark: SparkSession, tmp_path: Any) -> None:
    spark.range(3).write.parquet(str(tmp_path / "rows"))
    frame = spark.sql(
        f"SELECT id, 'x' AS c FROM parquet.`{tmp_path}/rows` ASSUME PARTITIONED BY (id) "
        "WHERE concat('password=', id) <> 'password=hunter2'"
    )
    text = "".join(
        change.before + change.after + change.diff for change in eddyline.rules(spark).trace(frame)
    )
    assert "password=" in text
    assert "hunter2" not in text
