"""The tree follows its own rules."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from eddyline.versions import eddyline_version, spark_lines

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
FILES = [
    Path(name)
    for name in subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
]
CODE = [path for path in FILES if path.suffix in (".py", ".scala", ".java")]
STEMS = [path.stem for path in sorted((ROOT / "sql/grammar").glob("*.ebnf"))]


@pytest.mark.parametrize("path", CODE, ids=str)
def test_no_file_is_long(path: Path) -> None:
    assert len((ROOT / path).read_text().splitlines()) <= 400


@pytest.mark.parametrize("path", [path for path in CODE if path.suffix == ".scala"], ids=str)
def test_scala_lines_are_short(path: Path) -> None:
    assert [line for line in (ROOT / path).read_text().splitlines() if len(line) > 100] == []


def test_no_utils() -> None:
    assert not [path for path in FILES if "util" in path.name.lower()]


def test_only_forced_code_lies_in_sparks_packages() -> None:
    inside = [path for path in CODE if "org/apache/spark" in str(path)]
    assert all(path.parent.name == "eddyline" for path in inside)


@pytest.mark.parametrize("stem", STEMS)
def test_a_clause_lacks_none_of_its_parts(stem: str) -> None:
    for part in (
        f"sql/grammar/{stem}.ebnf",
        f"sql/examples/{stem}.sql",
        f"python/eddyline/lowering/{stem}.py",
        f"jvm-shim/src/main/scala/io/eddyline/spark/{stem}/package.scala",
        f"tests/golden/{stem}",
    ):
        assert (ROOT / part).exists(), part
    pages = {path.stem.replace("-", "") for path in (ROOT / "docs/sql").glob("*.md")}
    assert stem in pages


def test_no_registry_and_no_machine_path() -> None:
    ours = r"www\.apache\.org|127\.0\.0\.1|github\.com/eddyline/"
    pattern = re.compile(rf"(https?://(?!{ours})|/root/|/work/|file:///)")
    for path in FILES:
        if path.suffix in (".py", ".scala", ".toml", ".txt", ".md", ".sql", ".sbt", ".yml", ""):
            text = (ROOT / path).read_text(errors="replace") if (ROOT / path).is_file() else ""
            if path.name not in ("LICENSE", "test_layout.py"):
                assert not pattern.search(text), path


def test_versions_are_said_once() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert "version" in project["dynamic"]
    newest = spark_lines()[-1]
    assert f"pyspark=={newest.pyspark}" in (ROOT / "constraints.txt").read_text()
    assert f"## {eddyline_version()}" in (ROOT / "CHANGELOG.md").read_text()
    for line in spark_lines():
        assert f"| {line.minor} |" in (ROOT / "docs/compatibility.md").read_text()


def test_every_setting_is_documented() -> None:
    source = (ROOT / "jvm-shim/src/main/scala/io/eddyline/spark/EddylineConf.scala").read_text()
    keys = re.findall(r'build(?:Static)?Conf\("([^"]+)"\)', source)
    assert len(keys) >= 3
    documented = (ROOT / "docs/configuration.md").read_text()
    assert [key for key in keys if f"`{key}`" not in documented] == []


def test_every_command_is_documented() -> None:
    from eddyline.cli.commands import eddyline

    documented = (ROOT / "docs/cli.md").read_text()
    for name, command in eddyline.commands.items():
        assert f"## eddyline {name}\n" in documented
        for parameter in command.params:
            assert f"`{parameter.opts[-1]}" in documented, parameter.opts
