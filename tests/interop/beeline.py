"""Spark's beeline, which keeps its history in a folder of the test."""

from __future__ import annotations

import subprocess
from pathlib import Path

from interop.launch import launcher, run


def beeline(url: str, scratch: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Runs beeline with options such as `-e statement` to its end."""
    return run(
        [*launcher("beeline", {}), "-u", url, "-n", "interop", "--silent=true", *options],
        scratch,
        SPARK_BEELINE_OPTS=f"-Duser.home={scratch}",
    )
