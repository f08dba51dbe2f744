"""Runs a tier of the suite again and again on a busy machine, to find tests that fail by chance.

Each run draws by another seed, and beside it processes keep every core and the disk busy. The files
of a job become visible one after another, with a pause between them. A failure stops nothing. At
the end stands a table of the tests that failed, with the runs in which they did.
"""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from durations import REPORTS, ROOT, read_report

COMMIT_PAUSE_MS = 700
TARGETS = {"check": "check", "test": "test"}
BLOCK = os.urandom(1 << 20)


def target(tier: str) -> str:
    """Returns the target of `make` that runs a tier.

    >>> target("full"), target("check")
    ('test-full', 'check')
    """
    return TARGETS.get(tier, f"test-{tier}")


@contextlib.contextmanager
def busy(folder: Path) -> Iterator[None]:
    """Keeps every core, and the disk below the folder, busy."""
    work = [
        multiprocessing.Process(target=_compute, daemon=True) for _ in range(os.cpu_count() or 1)
    ]
    work.append(multiprocessing.Process(target=_write, args=(folder,), daemon=True))
    for each in work:
        each.start()
    try:
        yield
    finally:
        for each in work:
            each.kill()
            each.join()


def _compute() -> None:
    while True:
        pass


def _write(folder: Path) -> None:
    with (folder / "busy").open("wb", buffering=0) as file:
        while True:
            file.seek(0)
            for _ in range(64):
                file.write(BLOCK)
            os.fsync(file.fileno())


def run(tier: str, file: str, seed: str, log: Path) -> list[str]:
    """Runs a tier once; returns the tests that failed, or the end of the log of a run without any.

    Args:
        tier: name of the tier.
        file: the tests of the tier to run, as for pytest; all if empty.
        seed: what the run draws by.
        log: file that gets what the run prints.
    """
    started = time.time()
    command = ["make", target(tier), *([f"FILE={file}"] if file else [])]
    environment = os.environ | {
        "EDDYLINE_SEED": seed,
        "EDDYLINE_COMMIT_PAUSE_MS": str(COMMIT_PAUSE_MS),
    }
    with log.open("w") as output:
        done = subprocess.run(
            command, cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT, check=False
        )
    written = [path for path in REPORTS.glob("*.xml") if path.stat().st_mtime > started]
    tests = [test for path in sorted(written) for test in read_report(path).tests]
    failed = [test.name for test in tests if test.outcome == "failed"]
    if done.returncode and not failed:
        return [f"(the run: {log.read_text().splitlines()[-1:]})"]
    return failed


def main() -> int:
    """Runs a tier as often as the command says; returns 1 if a test failed in any of the runs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--tier", default="test")
    parser.add_argument("--file", default="")
    given = parser.parse_args()
    logs = Path(tempfile.mkdtemp(prefix="eddyline-flaky-"))
    failures: dict[str, list[str]] = defaultdict(list)
    with busy(logs):
        for number in range(given.runs):
            seed = f"{random.getrandbits(32):08x}"
            log = logs / f"{seed}.log"
            failed = run(given.tier, given.file, seed, log)
            for name in failed:
                failures[name].append(seed)
            print(
                f"{number + 1}/{given.runs} EDDYLINE_SEED={seed}: {len(failed)} failed; {log}",
                flush=True,
            )
    print(f"\n{given.tier}: {given.runs} runs")
    for name, seeds in sorted(failures.items(), key=lambda each: -len(each[1])):
        print(f"{len(seeds):4} of {given.runs}  {name}  {' '.join(seeds)}")
    if not failures:
        print(f"   0 of {given.runs}  no test failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
