"""Runs streams in another JVM: `python -m faults.child <plan as JSON>`.

The plan has `conf`, the settings of the session, `halt`, and `steps`, each with the arguments
of a Stream, `place` and `at`. With TWO_HOSTS set to a folder the session runs on a cluster that
works there. For each step it prints a line of JSON: `death`, what the query died of, and `waiting`,
whether the fault did not come. The last line says how many speculative copies won.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from own_jvm import settings_of, start_session

from .harness import Stream

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import SparkSession

TESTS = Path(__file__).resolve().parents[1]


def start(
    spark: SparkSession,
    steps: Sequence[tuple[Stream, str, int]],
    conf: Mapping[str, str],
    halt: bool = False,
) -> subprocess.Popen[str]:
    """Starts a JVM with the session's settings and `conf`, to run each (stream, place, pass)."""
    keys = ("folder", "store", "query", "seed", "place", "at")
    values = [
        (str(one.folder), one.store, one.query, one.seed, place, at) for one, place, at in steps
    ]
    plan: dict[str, Any] = {
        "conf": {**settings_of(spark), **conf},
        "halt": halt,
        "steps": [dict(zip(keys, step, strict=True)) for step in values],
    }
    return subprocess.Popen(
        [sys.executable, "-m", "faults.child", json.dumps(plan)],
        cwd=TESTS,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def main(plan: dict[str, Any]) -> None:
    """Runs the steps of the plan."""
    spark, jvm = start_session(plan["conf"])
    for step in plan["steps"]:
        stream = Stream(spark, Path(step["folder"]), step["store"], step["query"], step["seed"])
        stream.fault_point.arm(step["place"], step["at"], plan["halt"])
        death = stream.run()
        print(json.dumps({"death": death, "waiting": stream.fault_point.disarm()}), flush=True)
    print(jvm.io.eddyline.spark.faults.CountSpeculation.won(), flush=True)
    spark.stop()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
