"""The build: its requirements, its output, and that it gives the same bytes twice."""

from __future__ import annotations

import runpy
import shutil
import subprocess
import sys
import zipfile
from configparser import ConfigParser
from pathlib import Path

import pytest

from eddyline import jar_path
from eddyline.versions import spark_lines
from waiting import PROCESS_HANGS

ROOT = Path(__file__).resolve().parents[2]
BUILD = runpy.run_path(str(ROOT / "jvm-shim/build.py"))


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (None, "Java is missing"),
        ("echo 'openjdk version \"11.0.2\" 2019' >&2", "is Java 11"),
        ("exit 1", "of an unknown version"),
    ],
)
def test_java_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str | None, message: str
) -> None:
    if script:
        (tmp_path / "bin").mkdir()
        (tmp_path / "bin/java").write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "bin/java").chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(BUILD["BuildError"], match=message):
        BUILD["java"](17)


def test_the_jar_is_packed_the_same_twice(tmp_path: Path) -> None:
    with zipfile.ZipFile(jar_path()) as jar:
        jar.extractall(tmp_path / "classes")
        assert all(entry.date_time == (1980, 1, 1, 0, 0, 0) for entry in jar.infolist())
    extra = {"eddyline/keywords.txt": b"COGROUP\n"}
    for name in ("one.jar", "two.jar"):
        BUILD["pack"](tmp_path / name, tmp_path / "classes", extra)
    assert (tmp_path / "one.jar").read_bytes() == (tmp_path / "two.jar").read_bytes()


def test_a_folder_that_cannot_be_written_is_named_before_the_compilation(tmp_path: Path) -> None:
    (tmp_path / "jars").write_text("a file, and no folder")
    with pytest.raises(BUILD["BuildError"], match="cannot be written"):
        BUILD["make"](ROOT, tmp_path / "jars/one.jar", [], {}, [])


def test_nothing_is_compiled_when_nothing_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    assert BUILD["build_jar"](ROOT) == jar_path()


def test_a_wheel_takes_the_jars_of_these_sources(tmp_path: Path) -> None:
    left_out = shutil.ignore_patterns("jars", "__pycache__")
    for folder in ("jvm-shim", "python/eddyline"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=left_out)
    jars = {}
    for line in spark_lines():
        jar = jars[line.minor] = BUILD["jar_of"](tmp_path, line.minor)
        jar.parent.mkdir(exist_ok=True)
        jar.touch()
        built_from = (
            BUILD["sources"](tmp_path, line.minor),
            BUILD["resources"](tmp_path, line.pyspark),
        )
        jar.with_suffix(".sha256").write_text(BUILD["digest_of"](tmp_path, *built_from, []))
    assert BUILD["built_jars"](tmp_path) == jars
    newest = spark_lines()[-1].minor
    older = tmp_path / f"jvm-shim/src/main/scala-spark-before-{newest}"
    next(older.rglob("*.scala")).write_text("// changed")
    assert BUILD["built_jars"](tmp_path) == {newest: jars[newest]}


def test_the_wheel_holds_the_jar_and_the_language(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT,
        check=True,
        capture_output=True,
        timeout=PROCESS_HANGS,
    )
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
        (declared,) = [name for name in names if name.endswith("/entry_points.txt")]
        entry_points = ConfigParser()
        entry_points.read_string(packed.read(declared).decode())
    assert dict(entry_points["sqlglot.dialects"]) == {"eddyline": "eddyline.dialect:Eddyline"}
    assert dict(entry_points["pygments.lexers"]) == {"eddyline": "eddyline.lexer:EddylineLexer"}
    assert {name.partition("/")[0] for name in names} == {"eddyline", declared.partition("/")[0]}
    assert "eddyline/dialect/__init__.py" in names
    for needed in (
        f"eddyline/jars/{jar_path().name}",
        "eddyline/py.typed",
        "eddyline/versions.toml",
        "eddyline/sql/keywords.toml",
        "eddyline/sql/placeholders.toml",
        "eddyline/sql/errors/error-conditions.json",
        "eddyline/sql/examples/cogroup.sql",
        "eddyline/sql/dbt/dbt_project.yml",
        "eddyline/sql/dbt/macros/global_table/materialization.sql",
        "eddyline/demo/__init__.py",
        "eddyline/demo/airports.sql",
        "eddyline/cli/log4j2.properties",
        "eddyline/cli/log4j2-server.properties",
    ):
        assert needed in names
