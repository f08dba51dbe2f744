"""Runs of streams in a JVM of their own: `python -m tests.faults.child <plan as JSON>`.

The plan has `conf`, the settings of the session, `halt`, and `steps`, each with what a Stream
takes, `place` and `at`. With TWO_HOSTS set to a folder it runs on a cluster that works there. A
line of JSON a step is printed: `death`, what the query died of, and `waiting`, whether the fault
did not come. A last line tells how many speculative copies won.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark import SparkConf, SparkContext
from pyspark.sql import SparkSession

from .harness import Stream

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ROOT = Path(__file__).resolve().parents[2]
TWO_HOSTS = "spark.eddyline.tests.twoHosts"
_OF_THE_RUN = ("spark.app.", "spark.driver.host", "spark.driver.port", "spark.executor.id")


def start(
    spark: SparkSession,
    steps: Sequence[tuple[Stream, str, int]],
    conf: Mapping[str, str],
    halt: bool = False,
) -> subprocess.Popen[str]:
    """Start a JVM with the session's settings and `conf` that runs each (stream, place, pass)."""
    settings = {
        key: value
        for key, value in spark.sparkContext.getConf().getAll()
        if not key.startswith(_OF_THE_RUN)
    }
    keys = ("folder", "store", "query", "seed", "place", "at")
    values = [
        (str(one.folder), one.store, one.query, one.seed, place, at) for one, place, at in steps
    ]
    plan: dict[str, Any] = {
        "conf": {**settings, **conf},
        "halt": halt,
        "steps": [dict(zip(keys, step, strict=True)) for step in values],
    }
    return subprocess.Popen(
        [sys.executable, "-m", "tests.faults.child", json.dumps(plan)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def main(plan: dict[str, Any]) -> None:
    """Run the plan's steps."""
    settings = plan["conf"]
    SparkContext._ensure_initialized(conf=SparkConf().setAll(settings.items()))
    jvm = SparkContext._jvm
    assert jvm is not None
    if folder := settings.get(TWO_HOSTS):
        settings["spark.master"] = jvm.org.apache.spark.deploy.eddyline.TwoHosts.start(folder)
    spark = SparkSession.builder.config(map=settings).getOrCreate()
    for step in plan["steps"]:
        stream = Stream(spark, Path(step["folder"]), step["store"], step["query"], step["seed"])
        stream.fault_point.arm(step["place"], step["at"], plan["halt"])
        death = stream.run()
        print(json.dumps({"death": death, "waiting": stream.fault_point.disarm()}), flush=True)
    print(jvm.io.eddyline.spark.faults.CountSpeculation.won(), flush=True)
    spark.stop()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
