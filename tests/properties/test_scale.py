"""The series of `benchmarks/scale.py` at small sizes: their queries, streams and executors."""

from __future__ import annotations

import re

import pytest

from benchmarked import printed
from tiers import ROOT

PROGRAM = ROOT / "benchmarks/scale.py"
SERIES = re.findall(r'^    "(\w+)": \w+\.by_\w+,$', PROGRAM.read_text(), re.MULTILINE)
OFTEN = {"dimension", "state"}  # one of batch and one of streams; each has a JVM of its own


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name in OFTEN else pytest.mark.slow) for name in SERIES],
)
def test_a_series_ends_with_its_table(name: str) -> None:
    found = printed("scale", "--toy", "--only", name)
    assert f"{name}: " in found
    assert "exponent" in found
