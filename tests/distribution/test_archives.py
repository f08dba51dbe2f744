"""The wheel and the source archive: what is in them, and what their bytes depend on."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pyspark
import pytest

from distribution.environments import build
from eddyline.session import jar_path
from eddyline.versions import spark_lines
from waiting import PROCESS_HANGS

JARS = [f"eddyline-spark-{line.minor}.jar" for line in spark_lines()]


@pytest.fixture(scope="module")
def elsewhere(source_archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the unpacked source archive, whose files have other times and modes."""
    folder = tmp_path_factory.mktemp("elsewhere")
    with tarfile.open(source_archive) as archive:
        archive.extractall(folder, filter="data")
    for path in folder.rglob("*"):
        path.chmod(path.stat().st_mode & 0o700)  # as with another umask
        os.utime(path, (1_000_000_000, 1_000_000_000))
    (root,) = folder.iterdir()
    return root


def without_java(elsewhere: Path) -> dict[str, str]:
    """Returns variables with which nothing can be compiled."""
    return {"PATH": "/nowhere", "JAVA_HOME": str(elsewhere), "SPARK_HOME": str(elsewhere)}


def test_each_has_the_jars_of_all_sparks(wheel: Path, source_archive: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        names = [Path(name) for name in packed.namelist()]
    assert sorted(name.name for name in names if name.parent.name == "jars") == JARS
    with tarfile.open(source_archive) as archive:
        names = [Path(name) for name in archive.getnames()]
    assert sorted(name.name for name in names if name.suffix == ".jar") == JARS


@pytest.mark.parametrize("target", ["wheel", "sdist"])
def test_another_tree_builds_the_same_bytes(
    elsewhere: Path, tmp_path: Path, request: pytest.FixtureRequest, target: str
) -> None:
    """A wheel of the source archive is that of the checkout, and needs neither Java nor Spark."""
    built = build(elsewhere, target, tmp_path, TZ="Asia/Tokyo", **without_java(elsewhere))
    first: Path = request.getfixturevalue("wheel" if target == "wheel" else "source_archive")
    assert built.name == first.name
    assert built.read_bytes() == first.read_bytes()


def test_the_time_of_the_sources_is_that_of_the_files(elsewhere: Path, tmp_path: Path) -> None:
    built = build(elsewhere, "wheel", tmp_path, SOURCE_DATE_EPOCH="1700000000")
    with zipfile.ZipFile(built) as packed:
        assert {entry.date_time[:3] for entry in packed.infolist()} == {(2023, 11, 14)}


def test_changed_sources_are_compiled(elsewhere: Path, tmp_path: Path) -> None:
    """What lies in the folder of the jars is packed only if it was built from these sources."""
    root = tmp_path / "changed"
    shutil.copytree(elsewhere, root)
    jars = root / "python/eddyline/jars"
    for name in (*JARS, "eddyline-spark-3.5.jar"):
        (jars / name).write_text("another jar")
        (jars / name).with_suffix(".sha256").write_text("of other sources")
    pip = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation"]
    subprocess.run(
        [*pip, "-w", str(tmp_path), str(root)],
        check=True,
        capture_output=True,
        timeout=PROCESS_HANGS,
        env={**os.environ, "SPARK_HOME": str(Path(pyspark.__file__).parent)},
    )
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        packed_jars = [name for name in packed.namelist() if name.endswith(".jar")]
        assert packed_jars == [f"eddyline/jars/{jar_path().name}"]
        assert packed.read(packed_jars[0]) == jar_path().read_bytes()


@pytest.fixture
def incomplete(elsewhere: Path, tmp_path: Path) -> Path:
    """Returns the tree without the jar of the oldest Spark."""
    return shutil.copytree(
        elsewhere, tmp_path / "incomplete", ignore=shutil.ignore_patterns(JARS[0])
    )


def test_a_source_archive_is_not_built_without_a_jar(incomplete: Path, tmp_path: Path) -> None:
    missing = f"The jars for Spark {spark_lines()[0].minor} are not built"
    with pytest.raises(AssertionError, match=re.escape(missing)):
        build(incomplete, "sdist", tmp_path)


def test_a_build_fetches_spark_only_to_compile(elsewhere: Path, incomplete: Path) -> None:
    assert requirements(elsewhere, "wheel") == []
    assert requirements(incomplete, "sdist") == []
    (pyspark_range,) = requirements(incomplete, "wheel")
    assert pyspark_range.startswith("pyspark")
    assert requirements(incomplete, "wheel", SPARK_HOME="/opt/spark") == []


def requirements(root: Path, target: str, **variables: str) -> list[str]:
    """Returns what pip fetches to build a tree, beside what pyproject.toml requires."""
    code = f"import hatchling.build as b; print(*b.get_requires_for_build_{target}(), sep='\\n')"
    environment = {key: value for key, value in os.environ.items() if key != "SPARK_HOME"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=root,
        env={**environment, **variables},
        check=True,
        capture_output=True,
        text=True,
        timeout=PROCESS_HANGS,
    )
    return done.stdout.split()


def test_the_links_of_the_readme_are_absolute(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        (metadata,) = [name for name in packed.namelist() if name.endswith("/METADATA")]
        readme = packed.read(metadata).decode().partition("\n\n")[2]
    links = re.findall(r"\]\(([^)]+)\)", readme)
    assert links
    assert [link for link in links if not link.startswith("https:")] == []
