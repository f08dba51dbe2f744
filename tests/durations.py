"""How long the tests took when they last ran, from the reports in `build/reports`.

Nothing fails because a run was slow: a machine may be slower than another, or busy.
"""

from __future__ import annotations

import math
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from javas import homes

ROOT = Path(__file__).resolve().parents[1]
REPORTS = ROOT / "build/reports"
LONGEST = 30
# Starting the JVMs of a part takes as long as starting those of the whole.
START = 1  # minutes
# A target without a budget: it runs what is in several tiers.
_OF_SEVERAL_TIERS = "test-integrations"

_NAME = re.compile(r"(?P<run>.+?)(?:-part(?P<parts>\d+))?(?P<some>-some)?")
_BUDGET = re.compile(r"^\| `make ([\w.-]+)` \|.*?\| (\d+) \|", re.MULTILINE)


@dataclass(frozen=True)
class Test:
    """A test of a report.

    Attributes:
        name: its module and name.
        seconds: how long it took, with its fixtures.
        outcome: passed, failed or skipped.
    """

    name: str
    seconds: float
    outcome: str


@dataclass(frozen=True)
class Report:
    """The report of one run of pytest.

    Attributes:
        run: the target of `make`, and what else tells its runs apart.
        parts: of how many parts of the target one was run.
        is_whole: whether the run left out only other parts.
        minutes: from the first test to the last.
        tests: its tests.
    """

    run: str
    parts: int
    is_whole: bool
    minutes: float
    tests: tuple[Test, ...]

    def count(self, outcome: str) -> int:
        """Returns how many tests have this outcome."""
        return sum(test.outcome == outcome for test in self.tests)


def read_report(path: Path) -> Report:
    """Returns the report of a file."""
    name = _NAME.fullmatch(path.stem)
    assert name is not None
    suite = ElementTree.parse(path).getroot().find("testsuite")
    assert suite is not None
    tests = tuple(
        Test(f"{case.get('classname')}.{case.get('name')}", float(case.get("time", 0)), outcome)
        for case in suite.iter("testcase")
        for outcome in [_outcome({child.tag for child in case})]
    )
    minutes = float(suite.get("time", 0)) / 60
    return Report(name["run"], int(name["parts"] or 1), not name["some"], minutes, tests)


def reports() -> list[Report]:
    """Returns the reports of the runs that left out no test but other parts."""
    return [each for path in sorted(REPORTS.glob("*.xml")) if (each := read_report(path)).is_whole]


def budgets() -> dict[str, int]:
    """Returns the minutes that each target may take, from the table of tests/README.md."""
    found = _BUDGET.findall((ROOT / "tests/README.md").read_text("utf-8"))
    return {target: int(minutes) for target, minutes in found}


def over_budget() -> Iterator[str]:
    """Yields a line for each target whose last run took longer than its budget."""
    given = budgets()
    spent: dict[tuple[str, int], float] = defaultdict(float)
    for report in reports():
        targets = [name for name in (*given, _OF_SEVERAL_TIERS) if report.run.startswith(name)]
        target = max(targets, key=len, default="")
        spent[target, report.parts] += report.minutes
    for (target, parts), minutes in spent.items():
        budget = given.get(target, math.inf) / parts + (START if parts > 1 else 0)
        if minutes > budget:
            part = f", one of {parts} parts," if parts > 1 else ""
            yield f"make {target}{part} last took {minutes:.1f} minutes of {budget:.1f} (2 cores)"


def table() -> Iterator[str]:
    """Yields a line for each run: its tests by outcome, and its minutes."""
    yield f"{'run':30} {'passed':>7} {'failed':>7} {'skipped':>7} {'minutes':>8}"
    for each in reports():
        run = each.run + (f" 1/{each.parts}" if each.parts > 1 else "")
        counts = " ".join(f"{each.count(outcome):7}" for outcome in ("passed", "failed", "skipped"))
        yield f"{run:30} {counts} {each.minutes:8.1f}"
    for java, home in homes().items():
        if home is None:
            yield f"{f'test-java-{java}':30} not run, since there is no Java {java}"


def longest() -> Iterator[str]:
    """Yields the longest tests, and the sum of each folder in each run."""
    tests = [(test.seconds, report.run, test.name) for report in reports() for test in report.tests]
    for seconds, run, name in sorted(tests, reverse=True)[:LONGEST]:
        yield f"{seconds:8.1f} s  {run}: {name}"
    folders: dict[tuple[str, str], float] = defaultdict(float)
    for seconds, run, name in tests:
        folder = ".".join(name.partition("[")[0].split(".")[:2])
        folders[run, folder] += seconds
    yield ""
    for (run, folder), seconds in sorted(folders.items(), key=lambda each: -each[1]):
        yield f"{seconds / 60:8.1f} min  {run}: {folder}"


def _outcome(tags: set[str]) -> str:
    if tags & {"failure", "error"}:
        return "failed"
    return "skipped" if "skipped" in tags else "passed"


if __name__ == "__main__":
    printed = {"over-budget": over_budget, "table": table, "longest": longest}[sys.argv[1]]
    print("\n".join(printed()), end="\n" if sys.argv[1] != "over-budget" else "")
