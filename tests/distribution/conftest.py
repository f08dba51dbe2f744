"""The archives that the tests install, built once for the run."""

from __future__ import annotations

from pathlib import Path

import pytest

from distribution.environments import build
from tiers import ROOT


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the wheel of this tree, in which `make` has built each jar."""
    return build(ROOT, "wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def source_archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the source archive of this tree."""
    return build(ROOT, "sdist", tmp_path_factory.mktemp("sdist"))
