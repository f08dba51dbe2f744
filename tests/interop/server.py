"""A Thrift or a Connect server that lives as long as a fixture."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from interop.launch import accepts, confs, free_port, launcher, process
from waiting import eventually

Kind = Literal["thrift", "connect"]
_LOG_SHOWN = 4_000  # characters


@dataclass(frozen=True)
class Server:
    """A server that accepts connections.

    Attributes:
        port: its port on 127.0.0.1.
        scratch: the folder it writes to, with its tables in `warehouse`.
        group: the process group of the server and its sidecar.
    """

    port: int
    scratch: Path
    group: int

    @property
    def log(self) -> Path:
        """The file with the server's stdout and stderr."""
        return self.scratch / "server.log"


@contextmanager
def running(
    kind: Kind, scratch: Path, more: Mapping[str, str] | None = None, port: int | None = None
) -> Iterator[Server]:
    """Starts a server with an in-memory catalog, waits until it accepts, stops it afterwards.

    Args:
        kind: which of Spark's servers to start.
        scratch: a folder for everything it writes.
        more: more settings of Spark.
        port: where it listens; a free port without it.

    Raises:
        RuntimeError: if it ended or hangs; with the end of its log.
    """
    port = port or free_port()
    given = {**confs(scratch), "spark.sql.catalogImplementation": "in-memory", **(more or {})}
    with (
        (scratch / "server.log").open("ab") as log,
        process(_command(kind, port, given), scratch, log.fileno(), log.fileno()) as started,
    ):
        server = Server(port, scratch, started.pid)
        _wait(kind, started, server)
        yield server


def _command(kind: Kind, port: int, given: dict[str, str]) -> list[str]:
    if kind == "connect":
        binding = "spark.connect.grpc.binding"
        given = {**given, f"{binding}.address": "127.0.0.1", f"{binding}.port": str(port)}
        main = "org.apache.spark.sql.connect.service.SparkConnectServer"
        return launcher("spark-submit", given, "--class", main, "spark-internal")
    main = "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2"
    hive = {
        "hive.server2.thrift.bind.host": "127.0.0.1",
        "hive.server2.thrift.port": str(port),
        "hive.server2.authentication": "NONE",
    }
    hiveconf = [word for key, value in hive.items() for word in ("--hiveconf", f"{key}={value}")]
    return launcher("spark-submit", given, "--class", main, "spark-internal", *hiveconf)


def _wait(kind: Kind, started: subprocess.Popen[str], server: Server) -> None:
    try:
        eventually(lambda: started.poll() is not None or accepts(server.port))
        assert started.poll() is None, f"it ended with {started.poll()}"
    except AssertionError as error:
        tail = server.log.read_text("utf-8", "replace")[-_LOG_SHOWN:]
        message = f"the {kind} server is not ready: {error}; its log ends with\n{tail}"
        raise RuntimeError(message) from error
