"""Each tier of the suite is one target of `make`, and `.ci/run` runs it, or a part of it."""

from __future__ import annotations

import re
from typing import Any
from unittest.mock import Mock

import pytest

from durations import budgets
from eddyline.versions import spark_lines
from tiers import PATHS, ROOT, TIERS, drawn_part

# Those that a change may break unseen; they come before a release.
NOT_IN_BUILD = {"packaging", "slow"}
# What runs tests of other targets again, with an older Spark or another Java.
AGAIN = [*(f"make test-spark-{line.minor}" for line in spark_lines()[:-1]), "make test-java"]
TARGETS = {name: re.findall(r"\((make [\w-]+)\)", meaning) for name, meaning in TIERS.items()}


def test_each_tier_is_run_by_its_target_alone() -> None:
    makefile = (ROOT / "Makefile").read_text()
    rule = re.compile(r"^([\w-]+):.*\n((?:(?:\t|ifdef|else|endif).*\n)+)", re.MULTILINE)
    for name, targets in TARGETS.items():
        running = re.compile(rf" -m {name}\b")
        found = [f"make {rule[1]}" for rule in rule.finditer(makefile) if running.search(rule[2])]
        assert [target for target in found if target not in AGAIN] == targets


def test_the_build_runs_every_tier_or_a_part_of_it() -> None:
    run = in_build()
    tiers = [target for name, (target,) in TARGETS.items() if name not in NOT_IN_BUILD]
    assert sorted(run) == sorted([*tiers, *AGAIN])
    assert [target for target, options in run.items() if not options] == ["make check", "make test"]


def test_the_workflow_runs_every_tier_whole() -> None:
    workflow = (ROOT / ".github/workflows/ci.yml").read_text()
    run = re.findall(r"^ {10}- (\S+)$", workflow, re.MULTILINE)
    tiers = [target for (target,) in TARGETS.values()]
    assert sorted(f"make {target}" for target in run) == sorted([*tiers, *AGAIN])


def test_each_target_has_a_budget() -> None:
    tiers = [target for (target,) in TARGETS.values()]
    assert sorted(f"make {target}" for target in budgets()) == sorted([*tiers, *AGAIN])


def in_build() -> dict[str, str]:
    """Returns the targets that `.ci/run` makes, with their options."""
    script = (ROOT / ".ci/run").read_text()
    first = script.replace("make -j2 environments check", "make check")
    run = dict(re.findall(r"^ *(make [\w.-]+)(.*)$", first, re.MULTILINE))
    del run["make durations"]
    return run


def test_a_part_has_golden_files_of_each_clause(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("EDDYLINE_PARTS", "5")
    tests = [golden(f"{stem}/{i}.sql") for stem in ("assume", "cogroup", "emit") for i in range(7)]
    drawn = drawn_part(tests)
    found = [test.callspec.params["golden"].path.parent.name for test in drawn]
    assert found == ["assume"] * 2 + ["cogroup"] * 2 + ["emit"] * 2


def golden(path: str) -> Any:
    """Returns what stands for a test of a golden file."""
    return a_test("tests/test_golden.py", golden=Mock(path=ROOT / "tests/golden" / path))


def test_a_test_for_each_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDDYLINE_PARTS", "100")
    tests = [a_test("tests/test_docs.py") for _ in "abc"]
    for test in tests[1:]:
        test.get_closest_marker.return_value = pytest.mark.each_part.mark
    assert drawn_part(tests)[-2:] == tests[1:]


def a_test(path: str, **parameters: Any) -> Any:
    """Returns what stands for a test of a file, without marks."""
    marks = Mock(return_value=None)
    return Mock(path=ROOT / path, callspec=Mock(params=parameters), get_closest_marker=marks)


def test_the_paths_of_the_tiers_exist() -> None:
    assert [path for path in PATHS if not (ROOT / path).exists()] == []
    assert set(PATHS.values()) < set(TIERS)
