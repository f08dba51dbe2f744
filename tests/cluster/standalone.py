"""A standalone cluster of Spark's own jars, whose master and workers are processes of 127.0.0.1."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from interop.launch import SPARK_HOME, accepts, free_port, process
from waiting import eventually

CORES = 2  # that each worker offers
EXECUTOR_CORES = 1
WORKER_MEMORY = "1g"


class Cluster:
    """A running cluster.

    Args:
        folder: where its processes write.
        stack: what ends them.
    """

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder = folder
        self._stack = stack
        self._port, self._page = free_port(), free_port()
        self._workers: list[subprocess.Popen[str]] = []
        of_master = ["--port", str(self._port), "--webui-port", str(self._page)]
        self._start("master.Master", "master", *of_master)
        eventually(self._is_ready)

    @property
    def url(self) -> str:
        """The master URL of an application."""
        return f"spark://127.0.0.1:{self._port}"

    @property
    def state(self) -> dict[str, Any]:
        """What the master says of itself, as Spark's JsonProtocol writes it."""
        with urlopen(f"http://127.0.0.1:{self._page}/json/") as page:
            return dict(json.load(page))

    def add_worker(self) -> None:
        """Starts one more worker, and waits until the master knows it."""
        before = self._alive()
        name = f"worker-{len(self._workers)}"
        cores = ["--cores", str(CORES), "--memory", WORKER_MEMORY]
        more = ["--webui-port", "0", "--work-dir", str(self.folder / name)]
        self._workers.append(self._start("worker.Worker", name, *cores, *more, self.url))
        eventually(lambda: self._alive() > before)

    def kill_worker(self) -> None:
        """Kills the oldest worker and its executors, as if its machine were gone."""
        worker = self._workers.pop(0)
        os.killpg(worker.pid, signal.SIGKILL)
        worker.wait()

    def _is_ready(self) -> bool:
        try:
            return accepts(self._port) and self.state["status"] == "ALIVE"
        except (OSError, ValueError):  # the page does not answer, or not yet with JSON
            return False

    def _alive(self) -> int:
        return int(self.state["aliveworkers"])

    def _start(self, name: str, log: str, *arguments: str) -> subprocess.Popen[str]:
        command = [str(SPARK_HOME / "bin/spark-class"), f"org.apache.spark.deploy.{name}"]
        self.folder.mkdir(exist_ok=True)
        with (self.folder / f"{log}.log").open("ab") as out:
            running = process(
                [*command, "--host", "127.0.0.1", *arguments],
                self.folder,
                out.fileno(),
                out.fileno(),
                SPARK_DAEMON_MEMORY="256m",
            )
            return self._stack.enter_context(running)


def executors(application: str) -> set[int]:
    """Returns the process ids of an application's executors."""
    command = ["pgrep", "-f", f"executor.CoarseGrainedExecutorBackend.*{application}"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    return {int(line) for line in found.stdout.split()}


@contextmanager
def cluster(folder: Path, workers: int) -> Iterator[Cluster]:
    """Starts a cluster, and ends all its processes afterwards."""
    with ExitStack() as stack:
        started = Cluster(folder, stack)
        for _ in range(workers):
            started.add_worker()
        yield started
