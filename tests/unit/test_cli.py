"""The command line, where it needs no Spark session."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from eddyline import EddylineError
from eddyline.cli.commands import eddyline
from eddyline.doctor import examine, show_versions
from eddyline.java import find_java
from eddyline.versions import eddyline_version

if TYPE_CHECKING:
    from pathlib import Path


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(eddyline, arguments)
    return result.exit_code, result.output


def test_lower() -> None:
    assert run("lower", "-e", "SELECT 1") == (0, "SELECT 1\n")
    code, output = run("lower", "-e", "COGROUP a BY k")
    assert code == 1
    assert "EDDYLINE_COGROUP.SYNTAX_ERROR" in output


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
        ("Java", False),
    ]


def test_doctor_without_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    code, output = run("doctor", "--json")
    assert code == 1
    report = json.loads(output)
    assert report["versions"]["eddyline"] == eddyline_version()
    assert "JAVA_MISSING" in report["findings"][-1]["detail"]
