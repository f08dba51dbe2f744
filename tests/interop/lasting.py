"""Servers whose tables, global tables and persistent streaming queries outlive them."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from interop.server import Kind, Server, running


@contextmanager
def serving(kind: Kind, scratch: Path, port: int | None = None) -> Iterator[Server]:
    """Runs a server whose catalog is in `scratch`, and which starts what was running there."""
    database = f"jdbc:derby:;databaseName={scratch}/metastore;create=true"
    lasting = {
        "spark.sql.catalogImplementation": "hive",
        "spark.hadoop.javax.jdo.option.ConnectionURL": database,
        "spark.eddyline.streamingQuery.autoStart": "true",
        "spark.eddyline.streamingQuery.leaseDuration": "5s",
    }
    with running(kind, scratch, lasting, port) as server:
        yield server


def end(server: Server, number: signal.Signals) -> None:
    """Ends a server by a signal."""
    os.killpg(server.group, number)
