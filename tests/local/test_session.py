"""`configure` and `settings`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest
from pyspark.sql import SparkSession

import eddyline
from eddyline.kafka import connector
from eddyline.session import (
    BUFFER_WAIT,
    EXPLAIN,
    EXTENSIONS,
    has_buffer_wait,
    settings,
    spark_defaults,
)
from eddyline.versions import SparkLine, spark_lines
from waiting import PROCESS_HANGS


def jar() -> str:
    return str(eddyline.jar_path())


def test_settings_append() -> None:
    found = settings(
        {
            "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
            "spark.driver.extraClassPath": "/opt/a.jar",
            "spark.jars": "/opt/a.jar,/opt/b.jar",
            "spark.eddyline.python": "/opt/python",
        },
        spark="4.3.0",
    )
    assert found == {
        "spark.sql.extensions": f"io.delta.sql.DeltaSparkSessionExtension,{EXTENSIONS}",
        "spark.sql.extendedExplainProviders": EXPLAIN,
        "spark.driver.extraClassPath": f"/opt/a.jar{os.pathsep}{jar()}",
        "spark.jars": f"/opt/a.jar,/opt/b.jar,{jar()}",
        "spark.eddyline.python": "/opt/python",
        BUFFER_WAIT: "2",
    }


def test_settings_of_nothing_and_twice() -> None:
    once = settings({})
    assert once["spark.sql.extensions"] == EXTENSIONS
    assert once["spark.eddyline.python"] == sys.executable
    assert settings(once) == once


def test_the_buffers_of_real_time_mode() -> None:
    assert settings({BUFFER_WAIT: "7"}, spark="4.3.0")[BUFFER_WAIT] == "7"
    assert BUFFER_WAIT not in settings({}, spark="4.2.1")
    configured = eddyline.configure(SparkSession.Builder())._options
    assert configured.get(BUFFER_WAIT) == settings({}).get(BUFFER_WAIT)


def test_configure_keeps_what_spark_submit_sets(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import eddyline\nfrom pyspark.sql import SparkSession\n"
        "found = eddyline.configure(SparkSession.builder)._options\n"
        f"print(found['spark.eddyline.python'], found.get('{BUFFER_WAIT}', 7))\n"
        "print(found['spark.sql.extensions'], found['spark.jars'])\n"
    )
    submit = Path(pyspark.__file__).parent / "bin/spark-submit"
    (tmp_path / "a.jar").write_bytes(b"PK\x05\x06" + bytes(18))
    settings = ("spark.eddyline.python=/opt/python", f"{BUFFER_WAIT}=7")
    extension = "spark.sql.extensions=org.x.Ext"
    given = [word for each in (*settings, extension) for word in ("--conf", each)]
    given += ["--jars", str(tmp_path / "a.jar")]
    done = subprocess.run(
        [str(submit), *given, str(program)],
        env={**os.environ, "PYSPARK_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        timeout=PROCESS_HANGS,
        check=False,
    )
    first, extensions, jars = done.stdout.split("\n")[0], *done.stdout.split("\n")[1].split()
    assert first == "/opt/python 7", done.stderr
    assert extensions == f"org.x.Ext,{EXTENSIONS}"
    assert "/a.jar," in jars


def test_configure_keeps_spark_defaults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "spark-defaults.conf").write_text(
        "# a comment\n\nspark.jars /opt/c.jar\nspark.sql.extensions=org.x.Ext\n"
    )
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    builder = eddyline.configure(SparkSession.Builder().config("spark.jars", "/opt/d.jar"))
    options = builder._options
    assert options["spark.jars"] == f"/opt/d.jar,{jar()}"
    assert options["spark.sql.extensions"] == f"org.x.Ext,{EXTENSIONS}"


def test_spark_defaults_are_java_properties(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Continuation lines, `key: value` and a `=` inside a value are read as in Spark."""
    (tmp_path / "spark-defaults.conf").write_text(
        "spark.sql.extensions com.acme.A,\\\n  com.acme.B  \n"
        "spark.driver.extraClassPath   /opt/conf=prod/lib\n"
        "spark.jars: /opt/c.jar\n"
    )
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    options = eddyline.configure(SparkSession.Builder())._options
    assert options["spark.sql.extensions"] == f"com.acme.A,com.acme.B,{EXTENSIONS}"
    assert options["spark.driver.extraClassPath"] == f"/opt/conf=prod/lib{os.pathsep}{jar()}"
    assert options["spark.jars"] == f"/opt/c.jar,{jar()}"


def test_spark_defaults_in_latin_1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Spark reads U+FFFD where a byte is not UTF-8."""
    (tmp_path / "spark-defaults.conf").write_text("spark.app.name Müller\n", "latin-1")
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    assert spark_defaults() == {"spark.app.name": "M\ufffdller"}


def test_blanks_in_lists() -> None:
    """Spark ignores them, so Comet is found and no jar is added twice."""
    given = {
        "spark.sql.extensions": "a.A, org.apache.comet.CometSparkSessionExtensions",
        "spark.jars": f"a.jar, {jar()}",
        "spark.driver.extraClassPath": f"/a b{os.pathsep} /c",
    }
    found = settings(given)
    assert found["spark.sql.extensions"].split(",") == [
        "a.A",
        EXTENSIONS,
        "org.apache.comet.CometSparkSessionExtensions",
    ]
    assert found["spark.jars"] == f"a.jar,{jar()}"
    assert found["spark.driver.extraClassPath"] == f"/a b{os.pathsep} /c{os.pathsep}{jar()}"


def test_a_remote_builder_is_left_alone() -> None:
    builder = SparkSession.Builder().config("spark.remote", "sc://127.0.0.1:1")
    assert eddyline.configure(builder)._options == {"spark.remote": "sc://127.0.0.1:1"}


@pytest.mark.parametrize("line", spark_lines(), ids=lambda line: line.minor)
def test_settings_are_for_the_spark_that_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: SparkLine
) -> None:
    (tmp_path / "jars").mkdir()
    (tmp_path / f"jars/spark-core_2.13-{line.pyspark}.jar").touch()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/spark-submit").touch()
    jar = tmp_path / f"jars/eddyline-spark-{line.minor}.jar"
    jar.touch()
    monkeypatch.setattr("eddyline.session.files", lambda _: tmp_path)
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    monkeypatch.setitem(sys.modules, "pyspark", None)
    found = settings({})
    assert found["spark.jars"] == found["spark.driver.extraClassPath"] == str(jar)
    assert (BUFFER_WAIT in found) == has_buffer_wait(line.minor)
    assert connector() == line.kafka


def test_jar_of_an_unsupported_spark() -> None:
    with pytest.raises(eddyline.EddylineError, match="Spark") as caught:
        eddyline.jar_path("3.5")
    assert caught.value.condition == "EDDYLINE_UNSUPPORTED_SPARK_VERSION"
    assert caught.value.sqlstate == "56038"


def test_jar_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eddyline.session.files", lambda _: tmp_path)
    with pytest.raises(eddyline.EddylineError) as caught:
        eddyline.jar_path("4.3")
    assert caught.value.condition == "EDDYLINE_ENVIRONMENT.JAR_MISSING"
    assert str(tmp_path) in str(caught.value)


def test_pyspark_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(eddyline.EddylineError) as caught:
        eddyline.jar_path()
    assert caught.value.condition == "EDDYLINE_ENVIRONMENT.PYSPARK_MISSING"
    assert "pip install" in str(caught.value)


def test_a_client_without_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eddyline.session.find_spec", lambda _: None)
    with pytest.raises(eddyline.EddylineError) as caught:
        eddyline.configure(SparkSession.Builder())
    assert caught.value.condition == "EDDYLINE_ENVIRONMENT.CLIENT_ALONE"
    remote = SparkSession.Builder().config("spark.remote", "sc://127.0.0.1:1")
    assert eddyline.configure(remote) is remote


def test_a_session_without_the_jar() -> None:
    """Spark starts without the jar and only warns; `check` raises a named error."""
    program = """
import eddyline
from pyspark.sql import SparkSession
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
try:
    eddyline.check(spark)
except eddyline.EddylineError as error:
    print(error.condition, error.sqlstate)
try:
    spark.sql("CREATE TEMPORARY VIEW v AS FROM __eddyline_cogroup(a => TABLE(SELECT 1 AS id) "
              "PARTITION BY id) SELECT count(*) GROUP BY __eddyline_keys")
except Exception as error:
    print(error.getCondition())
"""
    command = [sys.executable, "-c", program]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=PROCESS_HANGS, check=True
    )
    assert done.stdout.splitlines() == [
        "EDDYLINE_ENVIRONMENT.JAR_NOT_LOADED 56038",
        "UNRESOLVABLE_TABLE_VALUED_FUNCTION",
    ]
