"""The number of runs of a golden file."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from goldenfiles import read_golden

if TYPE_CHECKING:
    from pathlib import Path

LINES = ("a=1,2", "b=x,y", "c=p,q,r", "d=0")


def runs(path: Path, *lines: str) -> list[tuple[str, ...]]:
    path.write_text("".join(f"-- conf {line}\n" for line in lines))
    return [tuple(run.values()) for run in read_golden(path).confs()]


def test_every_two_values_meet(tmp_path: Path) -> None:
    path = tmp_path / "golden.sql"
    assert runs(path) == [()]
    assert runs(path, "d=0") == [("0",)]
    assert runs(path, "a=1,2", "d=0") == [("1", "0"), ("2", "0")]
    assert len(runs(path, "a=1,2", "b=x,y")) == 4
    assert len(runs(path, "a=1,2", "b=x,y", "e=t,f")) == 4
    found = runs(path, *LINES)
    assert len(found) < 12
    values = [line.partition("=")[2].split(",") for line in LINES]
    for one, two in itertools.combinations(range(len(values)), 2):
        meetings = {(run[one], run[two]) for run in found}
        assert meetings == set(itertools.product(values[one], values[two]))
