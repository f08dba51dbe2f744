"""pip installs each archive where there is neither an index nor a Java."""

from __future__ import annotations

from pathlib import Path

import pytest

from distribution.environments import REQUIRED, new_environment
from eddyline.versions import eddyline_version, spark_lines

BUILD = ("hatchling", "hatch-fancy-pypi-readme")


@pytest.mark.parametrize("archive", ["wheel", "source_archive"])
def test_install(archive: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    environment = new_environment(tmp_path / "venv")
    environment.fetch(*REQUIRED, *BUILD)
    environment.install(request.getfixturevalue(archive), "--no-build-isolation")
    versions = environment.python("import eddyline; print(eddyline.__version__, eddyline.__file__)")
    version, file = versions.split()
    assert version == eddyline_version()
    jars = sorted(path.name for path in (Path(file).parent / "jars").iterdir())
    assert jars == [f"eddyline-spark-{line.minor}.jar" for line in spark_lines()]
