"""The tiers of the suite, of which each test is in one, and each is a target of `make`."""

from __future__ import annotations

import math
import os
import random
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TypeVar

import pytest

T = TypeVar("T")

ROOT = Path(__file__).resolve().parents[1]
TIERS = {
    "check": "needs no Spark session (make check)",
    "test": "every clause, error and golden file once (make test)",
    "full": "the other configurations, properties, faults and processes (make test-full)",
    "connect": "the golden files and plans by Spark Connect (make test-connect)",
    "interop": "needs a server or another client (make test-interop)",
    "kafka": "needs a Kafka broker, whose jars Maven fetches (make test-kafka)",
    "tables": "needs Delta or Iceberg, whose jars Maven fetches (make test-tables)",
    "comet": "needs DataFusion Comet, whose jar Maven fetches (make test-comet)",
    "sbt": "what sbt publishes, after its own tests (make sbt-test)",
    "cluster": "needs a cluster of several processes (make test-cluster)",
    "packaging": "the wheel and the source archive in empty environments (make test-packaging)",
    "slow": "long random and fault tests (make test-slow)",
}
# The tiers of tests that have no mark of their own. A path that is not listed here is in `test`, as
# is a test that needs a Spark session where the others need none.
PATHS = {
    "integrations": "check",
    "integrations/jupyterlab/tests/test_notebooks.py": "interop",
    "integrations/sqlfluff/tests/test_command.py": "interop",
    "integrations/sqlfluff/tests/test_golden.py": "full",
    "integrations/vscode/tests/test_extension.py": "interop",
    "python/eddyline": "check",
    "tests/contributing": "full",
    "tests/meta": "check",
    "tests/unit": "check",
    "tests/faults": "full",
    "tests/globaltable/test_database_server.py": "full",
    "tests/globaltable/test_processes.py": "full",
    "tests/parser/test_extension_order.py": "full",
    "tests/parser/test_fuzz.py": "full",
    "tests/parser/test_load.py": "full",
    "tests/properties": "full",
    "tests/connect": "connect",
    "tests/interop": "interop",
    "tests/kafka": "kafka",
    "tests/table_formats": "tables",
    "tests/cluster": "cluster",
    "tests/comet": "comet",
    "tests/sbt": "sbt",
    "tests/distribution": "packaging",
}


# Parameters that set the configuration of a test. Of the runs that differ only in them, one is
# drawn for the tier `test`; the others are in `full`.
CONFIGURATIONS = frozenset({"adaptive", "preaggregate", "provider"})


def tier(path: Path, fixtures: list[str]) -> str:
    """Returns the tier of the tests of a file that use these fixtures."""
    inside = path.relative_to(ROOT)
    for part in (inside, *inside.parents):
        found = PATHS.get(part.as_posix(), "test")
        if found != "test":
            return "test" if found == "check" and "spark_session" in fixtures else found
    return "test"


def other_configurations(tests: Iterable[pytest.Item]) -> set[pytest.Item]:
    """Returns all but one drawn test of those that differ in their configuration only."""
    cases = defaultdict(list)
    for test in tests:
        parameters = test.callspec.params if hasattr(test, "callspec") else {}
        if CONFIGURATIONS & parameters.keys():
            # tests that share a value share one object
            others = [(k, id(v)) for k, v in parameters.items() if k not in CONFIGURATIONS]
            cases[test.nodeid.partition("[")[0], tuple(sorted(others))].append(test)
    drawn = {draw(same[0].nodeid, same) for same in cases.values()}
    return {test for same in cases.values() for test in same} - drawn


def drawn_part(tests: list[pytest.Item]) -> list[pytest.Item]:
    """Returns one of EDDYLINE_PARTS parts of the tests, in their order; all if it is not set.

    The part has some of each folder, of tests and of golden files, and all tests with the mark
    `each_part`. It depends on the seed.
    """
    folders = defaultdict(list)
    for test in tests:
        parameters = test.callspec.params if hasattr(test, "callspec") else {}
        given = [getattr(each, "path", each) for each in (test, *parameters.values())]
        folders[" ".join(each.parent.name for each in given if isinstance(each, Path))].append(test)
    drawn = {test for test in tests if test.get_closest_marker("each_part")}
    for folder, inside in folders.items():
        some = random.Random(f"{seed()} {folder}")
        drawn.update(some.sample(inside, math.ceil(len(inside) / parts())))
    return [test for test in tests if test in drawn]


def parts() -> int:
    """Returns in how many parts the tests are cut, of which one runs: EDDYLINE_PARTS, or 1."""
    return int(os.environ.get("EDDYLINE_PARTS") or 1)


def draw(what: str, choices: Sequence[T]) -> T:
    """Returns one of the choices, the same for a seed in each process."""
    return random.Random(f"{seed()} {what}").choice(choices)


@cache
def seed() -> str:
    """Returns the seed of all draws: EDDYLINE_SEED, or the commit.

    `make test` and `make test-full` of one commit draw the same, so that together they run all.
    """
    if given := os.environ.get("EDDYLINE_SEED"):
        return given
    command = ["git", "rev-parse", "--short=12", "HEAD"]
    return subprocess.check_output(command, cwd=ROOT, text=True).strip()
