"""The tree of files follows its own rules."""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections.abc import Iterable
from pathlib import Path

from eddyline.versions import eddyline_version, spark_lines

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
CODE = [path for path in FILES if path.suffix in (".py", ".scala", ".java", ".js", ".mjs")]


def listed(offenders: Iterable[object]) -> str:
    """Returns the offenders, one a line, for the message of an assertion."""
    return "\n".join(map(str, offenders))


def lines(path: Path) -> list[str]:
    return (ROOT / path).read_text().splitlines()


def test_no_file_is_longer_than_400_lines() -> None:
    assert not listed(path for path in CODE if len(lines(path)) > 400)


def test_the_build_of_sbt_stays_short() -> None:
    """What the wheel's jar is built from is told by jvm-shim/build.py alone."""
    assert len(lines(Path("build.sbt"))) < 100


def test_no_scala_line_is_longer_than_100_columns() -> None:
    assert not listed(
        f"{path}:{number}"
        for path in CODE
        if path.suffix == ".scala"
        for number, line in enumerate(lines(path), start=1)
        if len(line) > 100
    )


def test_no_case_of_a_text_depends_on_the_locale() -> None:
    """With a Turkish locale `ID` in lower case is not `id`, unless Locale.ROOT is given."""
    change = re.compile(r"\.to(Lower|Upper)Case\b(?!\((java\.util\.)?Locale\.ROOT\))")
    assert not listed(
        f"{path}:{number}"
        for path in CODE
        if path.suffix in (".scala", ".java")
        for number, line in enumerate(lines(path), 1)
        if change.search(line)
    )


def test_no_utils() -> None:
    assert not listed(path for path in FILES if "util" in path.name.lower())


def test_only_forced_code_lies_in_sparks_packages() -> None:
    inside = [path for path in CODE if "org/apache/spark" in str(path)]
    assert not listed(path for path in inside if path.parent.name != "eddyline")


def test_no_registry_and_no_machine_path() -> None:
    pattern = re.compile(
        r"(https?://(?!(?:www|cwiki)\.apache\.org|127\.0\.0\.1|github\.com/eddyline/"
        r"|www\.w3\.org/2000/svg\b)|/root/|/work/|file:///)"
    )
    suffixes = (".py", ".scala", ".js", ".mjs", ".toml", ".txt", ".md", ".sql", ".sbt", ".yml", "")
    assert not listed(
        path
        for path in FILES
        if path.suffix in suffixes and path.name not in ("LICENSE", "test_layout.py")
        if (ROOT / path).is_file() and pattern.search((ROOT / path).read_text(errors="replace"))
    )


def test_nothing_that_a_run_leaves_is_committed() -> None:
    left = {".class", ".crc", ".jar", ".log", ".parquet", ".part", ".whl"}
    assert not listed(path for path in FILES if path.suffix in left)


def test_versions_are_said_once() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert "version" in project["dynamic"]
    newest = spark_lines()[-1]
    assert f"pyspark=={newest.pyspark}" in (ROOT / "constraints.txt").read_text()
    assert f"## {eddyline_version()}" in (ROOT / "CHANGELOG.md").read_text()
    assert f'version: "{eddyline_version()}"' in (ROOT / "sql/dbt/dbt_project.yml").read_text()
    artifact = f'"eddyline-spark-{newest.minor}" % "{eddyline_version()}"'
    assert artifact in (ROOT / "docs/launch.md").read_text()
