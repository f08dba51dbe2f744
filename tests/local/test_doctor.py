"""Each fault that the doctor finds, made on purpose."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pyspark
import pytest

import eddyline.session
from doctors import doctor
from eddyline.doctor import Finding, examine, report_as_text
from eddyline.doctor.probes import examine_session
from eddyline.doctor.settings import examine_class_path, examine_conflicts, why_inactive
from eddyline.jvm import stop_sidecar
from eddyline.session import BUFFER_WAIT, EXPLAIN, EXTENSIONS, jar_path

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

JAR = "/opt/eddyline-spark-4.3.jar"
PATH = "spark.driver.extraClassPath"
PYTHON = "spark.eddyline.python"


def found(spark: SparkSession) -> list[Finding]:
    """Returns what the doctor finds in the session of the tests."""
    return list(examine_session(lambda sql: [tuple(row) for row in spark.sql(sql).collect()]))


def test_nothing_is_wrong(spark: SparkSession) -> None:
    (only,) = found(spark)
    assert (only.name, only.mark) == ("session", "ok")
    assert f"Spark {pyspark.__version__} reads COGROUP" in only.text


@pytest.mark.parametrize(
    ("conf", "texts"),
    [
        ({PATH: JAR, "spark.jars": JAR}, []),
        ({PATH: f"/a/x.jar{os.pathsep}{JAR}", "spark.jars": f"file:{JAR}, file://{JAR}"}, []),
        (
            {PATH: "/opt/eddyline-spark-4.2.jar"},
            [
                "/opt/eddyline-spark-4.2.jar is for Spark 4.2, but this is Spark 4.3.0. "
                "Use eddyline-spark-4.3.jar; `eddyline jar` prints where it is."
            ],
        ),
        (
            {PATH: JAR, "spark.jars": "/b.jar,/tmp/eddyline-spark-4.3.jar"},
            [
                f"Several jars of eddyline are set: {JAR}, /tmp/eddyline-spark-4.3.jar. "
                f"Keep one, and set the same path in spark.jars and {PATH}."
            ],
        ),
        (
            {"spark.jars": f"{JAR},/b.jar"},
            [
                f"spark.jars (--jars) has the jar, but {PATH} does not: a server drops the class "
                "loader of spark.jars with its first session. "
                f"Set {PATH} (--driver-class-path) to {JAR} too."
            ],
        ),
    ],
)
def test_the_class_path(conf: dict[str, str], texts: list[str]) -> None:
    findings = list(examine_class_path(conf.get, "4.3.0"))
    assert [finding.text for finding in findings] == texts
    assert all(finding.mark == "no" for finding in findings)


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("spark.sql.requireAllClusterKeysForDistribution", "true", "saves no shuffle"),
        ("spark.sql.files.ignoreMissingFiles", "true", "a refresh of a global table fails"),
        ("spark.sql.files.ignoreCorruptFiles", "TRUE", "a refresh of a global table fails"),
        ("spark.sql.streaming.noDataMicroBatches.enabled", "false", "EMIT ON WINDOW CLOSE"),
        ("spark.sql.adaptive.enabled", "false", "however small they are"),
        (
            "spark.sql.optimizer.excludedRules",
            "org.apache.spark.X,io.eddyline.spark.assume.NarrowAssume",
            "Name them in spark.eddyline.rules.excluded.",
        ),
        ("spark.sql.extendedExplainProviders", "", f"to {EXPLAIN}."),
        ("spark.eddyline.rules.excluded", "NarrowAssume", "leaves out NarrowAssume."),
    ],
)
def test_settings_that_take_an_effect_away(
    spark: SparkSession, key: str, value: str, text: str
) -> None:
    spark.conf.set(key, value)
    session, warning = found(spark)
    assert (session.mark, warning.mark) == ("ok", "!")
    assert text in warning.text
    assert warning.advice is not None
    assert report_as_text([warning]).startswith(f"!   {warning.name}  {warning.detail}")


def test_records_in_real_time_mode_wait_for_a_buffer() -> None:
    explains = {"spark.sql.extendedExplainProviders": EXPLAIN}
    (warning,) = examine_conflicts(explains.get, "4.3.0")
    assert warning == Finding(
        "real time",
        True,
        f"{BUFFER_WAIT} is not set, so in real-time mode each record waits some 25 ms before a "
        "shuffle.",
        "Set it to 2 before the application starts.",
    )
    assert list(examine_conflicts({**explains, BUFFER_WAIT: "50"}.get, "4.3.0")) == []
    assert list(examine_conflicts(explains.get, "4.2.1")) == []


def test_comet_is_loaded() -> None:
    loaded = {
        "spark.sql.extendedExplainProviders": EXPLAIN,
        "spark.sql.extensions": f"org.apache.comet.CometSparkSessionExtensions, {EXTENSIONS}",
    }
    claims = "Comet reads files by itself, so a claim ASSUME PARTITIONED BY saves no shuffle."
    memory = "Comet runs no operator without off-heap memory."
    version = "eddyline is tested with Comet and Spark 4.1, but this is Spark 4.2.1."

    def texts(spark: str, **more: str) -> list[str]:
        settings = loaded | {key.replace("_", "."): value for key, value in more.items()}
        return [finding.detail for finding in examine_conflicts(settings.get, spark)]

    module = {"spark_memory_offHeap_enabled": "true", "spark_jars": "eddyline-comet-spark-4.1.jar"}
    last = "Comet is loaded before eddyline, so a claim ASSUME PARTITIONED BY saves no shuffle."
    assert texts("4.1.4", spark_memory_offHeap_enabled="true") == [claims]
    assert texts("4.1.4", **module) == [last]
    reversed_list = ",".join(reversed(loaded["spark.sql.extensions"].split(",")))
    assert texts("4.1.4", **module, spark_sql_extensions=reversed_list) == []
    assert texts("4.1.4") == [memory, claims]
    assert texts("4.2.1", spark_comet_enabled="false") == [version, memory]


def test_clauses_are_disabled(spark: SparkSession) -> None:
    spark.conf.set("spark.eddyline.enabled", "false")
    (only,) = found(spark)
    assert only == Finding(
        "extension", False, "spark.eddyline.enabled is false.", "Set it to true."
    )


@pytest.mark.parametrize(
    ("extensions", "detail", "advice"),
    [
        (
            None,
            "The extension is not active: spark.sql.extensions does not name it.",
            f"Add {EXTENSIONS} to spark.sql.extensions before the application starts.",
        ),
        (
            f"a.B,{EXTENSIONS}",
            f"The extension is not active: Spark could not load {EXTENSIONS}.",
            f"Set {PATH} to the jar before the application starts.",
        ),
    ],
)
def test_an_inactive_extension(extensions: str | None, detail: str, advice: str) -> None:
    finding = why_inactive({"spark.sql.extensions": extensions}.get)
    assert (finding.detail, finding.advice) == (detail, advice)


@pytest.fixture
def python(spark: SparkSession) -> Iterator[Callable[[str], None]]:
    """A function that sets the Python of the sidecar."""
    conf = spark._jsparkSession.sparkContext().conf()
    before = conf.get(PYTHON)

    def run(path: str) -> None:
        stop_sidecar(spark)
        conf.set(PYTHON, path)

    yield run
    run(before)


def test_no_python_for_the_sidecar(spark: SparkSession, python: Callable[[str], None]) -> None:
    python("/nowhere/python")
    (only,) = found(spark)
    assert not only.ok
    assert only.detail.startswith("[EDDYLINE_SIDECAR.NOT_STARTED]")
    assert "Set spark.eddyline.python to a Python" in only.detail


def test_a_sidecar_of_another_version(
    spark: SparkSession, python: Callable[[str], None], tmp_path: Path
) -> None:
    other = tmp_path / "python"
    other.write_text("#!/bin/sh\nprintf '\\000\\000\\000\\0050.0.1'\nexec sleep 60\n")
    other.chmod(0o755)
    python(str(other))
    (only,) = found(spark)
    assert not only.ok
    assert only.detail.startswith("[EDDYLINE_SIDECAR.VERSION_MISMATCH]")
    assert "Install the same version on both sides" in only.detail


def test_no_jar(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(eddyline.session, "files", lambda _: tmp_path)
    *_, last = examine()
    assert (last.name, last.ok) == ("jar", False)
    assert "[EDDYLINE_ENVIRONMENT.JAR_MISSING]" in last.detail


@pytest.mark.full
def test_an_extension_that_spark_cannot_load(tmp_path: Path) -> None:
    status, findings = doctor(tmp_path, {"spark.sql.extensions": EXTENSIONS}, "--as-is")
    assert status == 1
    assert findings[-1]["detail"] == (
        f"The extension is not active: Spark could not load {EXTENSIONS}."
    )
    assert findings[-1]["advice"] == f"Set {PATH} to the jar before the application starts."


@pytest.mark.full
def test_a_jar_for_another_spark_and_two_versions(tmp_path: Path) -> None:
    """The properties of a build for another Spark are found before those of the jar."""
    (tmp_path / "other/eddyline").mkdir(parents=True)
    (tmp_path / "other/eddyline/build.properties").write_text("version=0.0.9\nspark=9.8.7\n")
    shutil.copy(jar_path(), tmp_path / "other/eddyline-spark-4.3.jar")
    status, findings = doctor(tmp_path, {PATH: str(tmp_path / "other")})
    wrong = [finding["detail"] for finding in findings if not finding["ok"]]
    assert status == 1
    assert wrong[0].startswith("Spark finds more than one eddyline: ")
    assert str(tmp_path / "other") in wrong[0]
    assert "[EDDYLINE_UNSUPPORTED_SPARK_VERSION]" in wrong[1]
