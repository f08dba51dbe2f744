"""The tiers of the suite: each test is in exactly one, and each tier is one target of `make`."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TIERS = {
    "check": "needs no Spark session (make check)",
    "test": "every clause, error and golden file once (make test)",
    "full": "the other configurations, properties, faults and processes (make test-full)",
    "interop": "needs a server or another client (make test-interop)",
    "slow": "long random and fault tests (make test-slow)",
}
# The tier of a test that has no mark of its own. A path that stands nowhere here is of `test`, and
# so is a test that needs a Spark session where the others need none.
PATHS = {
    "python/eddyline": "check",
    "tests/meta": "check",
    "tests/unit/test_golden_confs.py": "check",
    "tests/unit/test_lowering.py": "check",
    "tests/faults": "full",
    "tests/globaltable/test_database_server.py": "full",
    "tests/globaltable/test_processes.py": "full",
    "tests/parser/test_fuzz.py": "full",
    "tests/properties": "full",
    "tests/interop": "interop",
}


def tier(path: Path, fixtures: list[str]) -> str:
    """The tier of the tests of a file that use these fixtures."""
    inside = path.relative_to(ROOT)
    for part in (inside, *inside.parents):
        found = PATHS.get(part.as_posix(), "test")
        if found != "test":
            return "test" if found == "check" and "spark_session" in fixtures else found
    return "test"


def seed() -> str:
    """What `make test` draws by: EDDYLINE_SEED, or the commit.

    `make test` and `make test-full` of one commit draw the same, so that together they run all.
    """
    if given := os.environ.get("EDDYLINE_SEED"):
        return given
    command = ["git", "rev-parse", "--short=12", "HEAD"]
    return subprocess.check_output(command, cwd=ROOT, text=True).strip()
