"""The settings of eddyline as other launchers of Spark take them."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator

import javaproperties

from eddyline.session import settings

LAUNCHERS = ("spark-submit", "defaults", "python")


def lines(launcher: str) -> Iterator[str]:
    """Yields the settings as lines for one of LAUNCHERS.

    Raises:
        EddylineError: as from `eddyline.session.jar_path`.
    """
    found = settings({})
    if launcher == "defaults":
        for key, value in found.items():
            yield f"{key}  {javaproperties.escape(value)}"
    elif launcher == "python":
        yield "from pyspark.sql import SparkSession"
        yield ""
        yield "spark = ("
        yield "    SparkSession.builder"
        yield from (f"    .config({json.dumps(k)}, {json.dumps(v)})" for k, v in found.items())
        yield "    .getOrCreate()"
        yield ")"
    else:
        *options, last = (f"--conf {shlex.quote(f'{key}={value}')}" for key, value in found.items())
        yield from (f"{option} \\" for option in options)
        yield last
