"""The wheels and the source archives of the integrations that pip installs."""

from __future__ import annotations

import tarfile
import zipfile
from configparser import ConfigParser
from pathlib import Path

import pytest

from distribution.environments import build
from eddyline.versions import eddyline_version
from tiers import ROOT

FOLDER = ROOT / "integrations"
LICENSES = ("LICENSE", "NOTICE")


def in_wheel(name: str, to: Path) -> dict[str, bytes]:
    """Returns the files of the wheel of a folder, by their paths."""
    wheel = build(FOLDER / name, "wheel", to)
    assert wheel.name == f"eddyline_{name}-{eddyline_version()}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as packed:
        return {path: packed.read(path) for path in packed.namelist()}


@pytest.mark.parametrize("name", ["jupyterlab", "sqlfluff"])
def test_the_source_archive_builds_the_same_wheel(name: str, tmp_path: Path) -> None:
    wheel = build(FOLDER / name, "wheel", tmp_path / "first")
    source = build(FOLDER / name, "sdist", tmp_path)
    with tarfile.open(source) as archive:
        archive.extractall(tmp_path, filter="data")
    unpacked = tmp_path / source.name.removesuffix(".tar.gz")
    assert not (unpacked / "tests").exists()
    assert build(unpacked, "wheel", tmp_path / "second").read_bytes() == wheel.read_bytes()


@pytest.mark.parametrize("name", ["jupyterlab", "sqlfluff"])
def test_the_licenses_are_those_of_eddyline(name: str, tmp_path: Path) -> None:
    files = in_wheel(name, tmp_path)
    for each in LICENSES:
        (packed,) = [content for path, content in files.items() if path.endswith(f"/{each}")]
        assert packed == (ROOT / each).read_bytes()


def test_the_wheel_of_sqlfluff_brings_the_plug_in(tmp_path: Path) -> None:
    files = in_wheel("sqlfluff", tmp_path)
    package = FOLDER / "sqlfluff/eddyline_sqlfluff"
    modules = {path.relative_to(package.parent).as_posix() for path in package.rglob("*.py")}
    assert {path for path in files if ".dist-info/" not in path} == modules
    (declared,) = [path for path in files if path.endswith("/entry_points.txt")]
    entry_points = ConfigParser()
    entry_points.read_string(files[declared].decode())
    assert dict(entry_points["sqlfluff"]) == {"eddyline": "eddyline_sqlfluff"}


def test_the_wheel_of_jupyterlab_brings_the_extension(tmp_path: Path) -> None:
    folder = ".data/data/share/jupyter/labextensions/eddyline/"
    files = in_wheel("jupyterlab", tmp_path).items()
    packed = {path.partition(folder)[2]: content for path, content in files if folder in path}
    extension = FOLDER / "jupyterlab/extension"
    assert packed == {path.name: path.read_bytes() for path in extension.iterdir()}
