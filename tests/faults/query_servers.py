"""Servers, each a process of its own, that share the definitions and tables of a folder."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Mapping
from concurrent.futures import Future
from pathlib import Path
from threading import Lock, Thread
from typing import Any

from suite import suite_settings
from waiting import PROCESS_HANGS, eventually

TESTS = Path(__file__).resolve().parents[1]
LOST = "The lease of"  # what the log of a server says when its streams end without a statement


class QueryServer:
    """A process with several sessions; it can be killed and started again.

    Attributes:
        process: the id of its JVM; 0 while it is not ready.
        ended: the ids of the JVMs that were killed.
    """

    def __init__(
        self,
        folder: Path,
        name: str,
        first: list[str],
        sessions: int,
        *,
        jars: Iterable[Path] = (),
        conf: Mapping[str, str] | None = None,
    ) -> None:
        self.folder = folder
        self.name = name
        self.process = 0
        self.ended: set[int] = set()
        settings = suite_settings(folder)
        class_path = (settings["spark.driver.extraClassPath"], *map(str, jars))
        settings |= {
            "spark.driver.extraClassPath": os.pathsep.join(class_path),
            "spark.driver.memory": "1g",
            "spark.log.level": "WARN",
            "spark.sql.streaming.checkpointLocation": str(folder / "checkpoints"),
            "spark.eddyline.streamingQuery.location": str(folder / "definitions"),
            "spark.eddyline.streamingQuery.autoStart": "true",
            "spark.eddyline.streamingQuery.leaseDuration": "4s",
            "spark.eddyline.streamingQuery.maxRestarts": "1000",
            **(conf or {}),
        }
        self._plan = json.dumps({"conf": settings, "first": first, "sessions": sessions})
        self._lock = Lock()
        self._asked: dict[int, Future[dict[str, Any] | None]] = {}

    def start(self) -> None:
        """Starts the process; `process` says when it is ready."""
        with (self.folder / f"{self.name}.log").open("ab") as log:
            self._child = subprocess.Popen(
                [sys.executable, "-m", "faults.query_server", self._plan],
                cwd=TESTS,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                start_new_session=True,
            )
        self._reader = Thread(target=self._read, args=[self._child], daemon=True)
        self._reader.start()

    def wait(self) -> None:
        """Waits until it is ready."""
        eventually(lambda: self.process or self._child.poll() is not None)
        assert self.process, (self.folder / f"{self.name}.log").read_text()[-4000:]

    def ask(self, number: int, session: int, sql: str) -> dict[str, Any] | None:
        """Returns the answer to a statement; None if the process has ended before."""
        answer: Future[dict[str, Any] | None] = Future()
        request = {"number": number, "session": session, "sql": sql}
        with self._lock:
            if not self.process:
                return None
            self._asked[number] = answer
            assert self._child.stdin is not None
            try:
                self._child.stdin.write(json.dumps(request) + "\n")
                self._child.stdin.flush()
            except OSError:
                return None
        return answer.result(PROCESS_HANGS)

    def kill(self) -> None:
        """Ends it as kill -9 does, with its statements."""
        with self._lock:
            self.ended.add(self.process)
            self.process = 0
        os.killpg(self._child.pid, signal.SIGKILL)
        self._child.wait()
        self._reader.join()

    def close(self) -> None:
        if self._child.poll() is None:
            os.killpg(self._child.pid, signal.SIGKILL)
            self._child.wait()

    def has_lost_its_lease(self) -> bool:
        return LOST in (self.folder / f"{self.name}.log").read_text("utf-8", "replace")

    def _read(self, child: subprocess.Popen[str]) -> None:
        assert child.stdout is not None
        if first := child.stdout.readline():
            self.process = int(first)
        for line in child.stdout:
            found = json.loads(line)
            with self._lock:
                self._asked.pop(found["number"]).set_result(found)
        with self._lock:
            for answer in self._asked.values():
                answer.set_result(None)
            self._asked.clear()
