"""Each tier of the suite is one target of `make`, and `.ci/run` runs all but the longest."""

from __future__ import annotations

import re

from tiers import PATHS, ROOT, TIERS

LONGEST = ("sbt", "cluster", "packaging", "slow")
TARGETS = {name: re.findall(r"\((make [\w-]+)\)", meaning) for name, meaning in TIERS.items()}


def test_each_tier_is_run_by_its_target_alone() -> None:
    makefile = (ROOT / "Makefile").read_text()
    rule = re.compile(r"^([\w-]+):.*\n((?:(?:\t|ifdef|else|endif).*\n)+)", re.MULTILINE)
    for name, targets in TARGETS.items():
        running = re.compile(rf" -m {name}\b")
        found = [f"make {rule[1]}" for rule in rule.finditer(makefile) if running.search(rule[2])]
        assert found == targets


def test_the_build_runs_every_tier_but_the_longest() -> None:
    script = (ROOT / ".ci/run").read_text().splitlines()
    expected = [target for name, (target,) in TARGETS.items() if name not in LONGEST]
    assert [line for line in script if line.startswith("make ")] == expected


def test_the_paths_of_the_tiers_exist() -> None:
    assert [path for path in PATHS if not (ROOT / path).exists()] == []
    assert set(PATHS.values()) < set(TIERS)
