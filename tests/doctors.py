"""`eddyline doctor` in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from waiting import PROCESS_HANGS

PROGRAM = "from eddyline.cli import main; main()"


def doctor(folder: Path, conf: Mapping[str, str], *options: str) -> tuple[int, list[Any]]:
    """Runs the doctor with settings in a process of its own; returns status and findings."""
    given = {"spark.driver.memory": "1g", "spark.driver.bindAddress": "127.0.0.1", **conf}
    pairs = [word for key, value in given.items() for word in ("--conf", f"{key}={value}")]
    command = [sys.executable, "-c", PROGRAM, "doctor", "--json", *options, *pairs]
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PYSPARK_", "SPARK_"))}
    done = subprocess.run(
        command,
        cwd=folder,
        env={**inherited, "SPARK_LOCAL_IP": "127.0.0.1"},
        capture_output=True,
        text=True,
        timeout=PROCESS_HANGS,
        check=False,
    )
    assert done.stdout.startswith("{"), done.stdout + done.stderr
    return done.returncode, json.loads(done.stdout)["findings"]
