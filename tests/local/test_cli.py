"""The command line, where it needs no Spark session."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING, Any
from unittest.mock import Mock

import javaproperties
import pytest
from click.testing import CliRunner

from eddyline import EddylineError, configure
from eddyline.archive import ENABLED
from eddyline.cli.commands import eddyline
from eddyline.cli.options import NamedError, named_errors
from eddyline.cli.session import local_session, open_session, probe_server
from eddyline.doctor import examine, show_versions
from eddyline.java import find_java
from eddyline.session import jar_path, settings, spark_defaults
from eddyline.versions import eddyline_version, spark_lines
from waiting import PROCESS_HANGS

if TYPE_CHECKING:
    from pathlib import Path

OWN = "<path of the clone or wheel>"


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(eddyline, arguments)
    return result.exit_code, result.output


def test_lower() -> None:
    assert run("lower", "-e", "SELECT 1") == (0, "SELECT 1\n")
    code, output = run("lower", "-e", "COGROUP a BY k")
    assert code == 1
    assert "EDDYLINE_COGROUP.SYNTAX_ERROR" in output


@pytest.mark.parametrize(
    "arguments",
    [("sql", "-e", "SELECT 1"), ("conf",), ("jar",), ("kafka-jars", "out"), ("serve", "thrift")],
    ids=" ".join,
)
def test_a_stale_spark_home_is_named(
    arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SPARK_HOME", "/nonexistent")
    code, output = run(*arguments)
    assert code == 1
    (line,) = output.splitlines()
    assert line.startswith("[EDDYLINE_ENVIRONMENT.SPARK_MISSING] ")
    assert "SPARK_HOME is /nonexistent," in line


def test_python_and_the_doctor_name_a_stale_spark_home(monkeypatch: pytest.MonkeyPatch) -> None:
    from pyspark.sql import SparkSession

    monkeypatch.setenv("SPARK_HOME", "/nonexistent")
    with pytest.raises(EddylineError) as caught:
        configure(SparkSession.Builder())
    assert caught.value.condition == "EDDYLINE_ENVIRONMENT.SPARK_MISSING"
    *_, last = examine()
    assert (last.name, last.ok) == ("jar", False)
    assert last.text.startswith("[EDDYLINE_ENVIRONMENT.SPARK_MISSING]")
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "1")  # by spark-submit, on another machine
    assert spark_defaults() == {}


def test_dbt_path_is_that_of_a_package() -> None:
    from pathlib import Path

    code, output = run("dbt", "path")
    assert code == 0
    assert "name: eddyline" in Path(output.strip(), "dbt_project.yml").read_text("utf-8")


def test_lower_says_where_a_clause_is_wrong(tmp_path: Path) -> None:
    """The place is that in the file, as in the errors of a session."""
    (tmp_path / "q.sql").write_text(
        "SELECT 1;\n\n-- ☕\n\tCOGROUP a ON k, b BY k AGGREGATE n;\nSELECT 2"
    )
    code, output = run("lower", "-f", str(tmp_path / "q.sql"))
    assert code == 1
    assert output.splitlines()[1:] == [
        "== SQL (line 4, position 12) ==",
        "\tCOGROUP a ON k, b BY k AGGREGATE n;",
        "\t          ^^",
    ]


def test_lower_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "q.sql").write_text("COGROUP a BY k, b BY k AGGREGATE n")
    code, output = run("lower", "-f", str(tmp_path / "q.sql"))
    assert code == 0
    assert output.startswith("FROM __eddyline_cogroup(")


def test_give_text_or_file() -> None:
    assert run("lower")[0] == 2
    assert run("sql", "-e", "SELECT 1", "-f", __file__)[0] == 2


def test_version() -> None:
    assert eddyline_version() in run("--version")[1]


def test_show_versions(capsys: pytest.CaptureFixture[str]) -> None:
    show_versions()
    output = capsys.readouterr().out
    assert f"eddyline  {eddyline_version()}" in output
    assert "sqlglot" in output


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        (None, "has no bin/java"),
        ("echo 'openjdk version \"11.0.2\" 2019' >&2", "is Java 11.0.2"),
        ("echo nonsense >&2", "of an unknown version"),
    ],
)
def test_java_missing_or_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str | None, reason: str
) -> None:
    if script is not None:
        (tmp_path / "bin").mkdir()
        (tmp_path / "bin/java").write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "bin/java").chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(EddylineError, match=reason) as caught:
        find_java()
    assert caught.value.condition == "EDDYLINE_ENVIRONMENT.JAVA_MISSING"
    findings = list(examine())
    assert [(finding.name, finding.ok) for finding in findings] == [
        ("Python", True),
        ("pyspark", True),
        ("Java", False),
    ]


def test_doctor_without_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    code, output = run("doctor", "--json")
    assert code == 1
    report = json.loads(output)
    assert report["versions"]["eddyline"] == eddyline_version()
    assert "JAVA_MISSING" in report["findings"][-1]["detail"]


@pytest.mark.parametrize("package", ["click", "rich"])
def test_doctor_needs_no_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    doctor = main_without(package, "doctor")
    assert doctor.stdout.startswith("ok  Python   ")
    assert "no  Java     [EDDYLINE_ENVIRONMENT.JAVA_MISSING]" in doctor.stdout
    assert doctor.returncode == 1
    other = main_without(package, "lower", "-e", "SELECT 1")
    assert other.stderr == f"eddyline: {package} is missing: pip install '{OWN}[cli]'\n"
    assert other.returncode == 1


def test_doctor_without_click_heeds_its_options() -> None:
    done = main_without("click", "doctor", "--json", "--remote", "sc://127.0.0.1:1")
    assert [finding["name"] for finding in json.loads(done.stdout)["findings"]] == ["server"]
    assert done.returncode == 1
    done = main_without("click", "doctor", "--jdbc", "jdbc:hive2://h", "--as-is")
    assert "--conf and --as-is are about a session of its own" in done.stderr
    assert done.returncode == 2
    shown = main_without("click", "doctor", "--help").stdout
    assert shown == run("doctor", "--help")[1]
    assert "--as-is" in shown


def test_sql_names_a_missing_pyspark() -> None:
    done = main_without("pyspark", "sql", "-e", "SELECT 1")
    assert done.stderr == f"eddyline: pyspark is missing: pip install '{OWN}[spark]'\n"


def main_without(package: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    program = f"import sys; sys.modules[{package!r}] = None; from eddyline.cli import main; main()"
    program = f"__file__ = ''; {program}"  # pyspark takes a program without it for its doctests
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=PROCESS_HANGS, check=False
    )


def test_doctor_names_the_python_that_pyspark_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eddyline.doctor.installation.python_version", lambda: "99.0")
    finding = next(examine())
    assert not finding.ok
    assert finding.detail.endswith("; pyspark needs 99.0 or newer")


def test_sql_without_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    code, output = run("sql", "-e", "SELECT 1")
    assert code == 1
    assert output.startswith("[EDDYLINE_ENVIRONMENT.JAVA_MISSING]")


@pytest.mark.parametrize("setting", ["foo", "=foo"])
def test_a_setting_is_a_key_and_a_value(setting: str) -> None:
    code, output = run("sql", "--conf", setting, "-e", "SELECT 1")
    assert code == 2
    assert f"{setting!r} is not KEY=VALUE." in output


def test_a_setting_may_be_called_master(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is none of Spark's, which ignores it."""
    configured = Mock()
    monkeypatch.setattr("eddyline.cli.session.configure", configured)
    local_session("local[1]", **{"master": "mine"})
    options = configured.call_args.args[0]._options
    assert (options["spark.master"], options["master"]) == ("local[1]", "mine")


def test_limits_are_of_streams_that_are_followed() -> None:
    for option in (["--limit", "1"], ["--available-now"]):
        assert "need --follow" in run("sql", *option, "-e", "SELECT 1")[1]


def test_text_on_standard_input() -> None:
    for arguments in (["lower"], ["lower", "-f", "-"]):
        assert CliRunner().invoke(eddyline, arguments, input="SELECT 2").output == "SELECT 2\n"


@pytest.mark.parametrize("command", [["sql", "-e", "SELECT 1"], ["watch", "q"]])
def test_a_server_needs_the_packages_of_connect(
    monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.setitem(sys.modules, "grpc", None)
    # pyspark ends a program without a file, which it takes for its doctests; a worker has none
    monkeypatch.setattr(sys.modules["__main__"], "__file__", __file__, raising=False)
    code, output = run(*command, "--remote", "sc://127.0.0.1:1")
    assert code == 1
    assert output.startswith("[EDDYLINE_ENVIRONMENT.CONNECT_MISSING]")
    assert "pip install '<path of the clone or wheel>[connect]'" in output


@pytest.mark.parametrize("address", ["sc://127.0.0.1:1", "127.0.0.1", "sc://127.0.0.1:x"])
def test_no_server_at_the_address(address: str) -> None:
    with pytest.raises(EddylineError, match=address) as caught:
        probe_server(address)
    assert caught.value.condition == "EDDYLINE_ENVIRONMENT.SERVER_UNREACHABLE"


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("sc://127.0.0.1:1/;token=geheim", "Connection refused"),
        ("sc://127.0.0.1:1;token=geheim", "a slash is missing before the first semicolon"),
        ("sc://127.0.0.1:1/;token=geheim==", "a parameter is not key=value, where %3D stands"),
    ],
)
def test_no_error_shows_a_token(address: str, reason: str) -> None:
    with pytest.raises(EddylineError) as caught:
        probe_server(address)
    assert reason in str(caught.value)
    assert "geheim" not in str(caught.value)


def test_jar() -> None:
    assert run("jar") == (0, f"{jar_path()}\n")


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for target in (tmp_path / "none" / "x.jar", tmp_path / "pipe"):
        code, printed = run("jar", "--standalone", str(target))
        assert code == 1
        assert f"[EDDYLINE_ENVIRONMENT.FILE_NOT_WRITTEN] {target} cannot be written" in (
            printed.replace("eddyline cannot work in this environment. ", "")
        )
    page = tmp_path / "none" / "x.svg"
    code, printed = run("why", "-e", "SELECT 1", "--svg", "-o", str(page))
    assert "FILE_NOT_WRITTEN" in printed, "before Spark starts"


def test_an_error_of_the_jvm_has_no_stack_trace() -> None:
    """Spark's Python converts only some classes of Java."""
    from py4j.protocol import Py4JJavaError

    class Thrown:
        _target_id, _gateway_client = "o1", None

        def getMessage(self) -> str:  # noqa: N802
            return "[FAILED_READ_FILE] a corrupt file"

    thrown = Py4JJavaError("An error occurred", Thrown())
    assert isinstance(thrown, named_errors())
    assert str(NamedError(thrown)) == "[FAILED_READ_FILE] a corrupt file"


def test_a_time_between_updates_is_positive() -> None:
    code, printed = run("watch", "q", "--remote", "sc://127.0.0.1:1", "--every", "-1")
    assert code == 2
    assert "--every" in printed


@pytest.mark.parametrize(("catalog", "is_temporary"), [("in-memory", True), ("hive", False)])
def test_tables_stay_where_their_catalog_stays(
    monkeypatch: pytest.MonkeyPatch, catalog: str, is_temporary: bool
) -> None:
    started = Mock()
    started().sparkContext.getConf().getAll.return_value = [(ENABLED, "false")]
    monkeypatch.setattr("eddyline.cli.session.local_session", started)
    with open_session("local[1]", None, {"spark.sql.catalogImplementation": catalog}):
        assert ("spark.sql.warehouse.dir" in started.call_args.kwargs) == is_temporary


@pytest.fixture
def defaults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Returns the settings in the `spark-defaults.conf` that Spark finds."""
    defaults = {
        "spark.sql.extensions": "a.A",
        "spark.jars": "a.jar",
        "spark.eddyline.python": "/opt/python",
    }
    (tmp_path / "spark-defaults.conf").write_text(javaproperties.dumps(defaults))
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    return defaults


def test_conf_for_each_launcher(defaults: dict[str, str]) -> None:
    """They keep what `spark-defaults.conf` sets, which each of them would replace."""
    expected = settings(defaults)
    words = shlex.split(run("conf")[1].replace("\\\n", ""))
    assert words[::2] == ["--conf"] * len(expected)
    assert dict(word.split("=", 1) for word in words[1::2]) == expected
    assert run("conf", "--spark-submit") == run("conf")
    assert javaproperties.loads(run("conf", "--defaults")[1]) == expected
    builder = run("conf", "--python")[1].replace(".getOrCreate()", "._options")
    found: dict[str, Any] = {}
    exec(builder.replace("SparkSession.builder", "SparkSession.Builder()"), found)
    assert found["spark"] == expected


@pytest.mark.usefixtures("defaults")
def test_conf_for_kubernetes(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is for the image, so it names nothing of this machine, and needs no jar here."""
    expected = settings({}, spark=spark_lines()[-1].minor)
    monkeypatch.setattr("eddyline.session.jar_path", lambda: pytest.fail("the jar is not needed"))
    code, output = run("conf", "--kubernetes")
    assert code == 0
    found = dict(re.findall(r"^    (\S+): \"(.*)\"$", output, re.MULTILINE))
    assert found == {
        **expected,
        "spark.driver.extraClassPath": "/opt/spark/eddyline.jar",
        "spark.jars": "local:///opt/spark/eddyline.jar",
        "spark.eddyline.python": "/usr/bin/python3",
    }
