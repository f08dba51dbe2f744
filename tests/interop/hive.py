"""A client of the Thrift server, by PyHive."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

from interop.server import Server


@contextmanager
def open_cursor(server: Server, user: str = "interop") -> Iterator[Any]:
    """Yields a cursor in a new session, and closes both afterwards."""
    from pyhive import hive

    with (
        closing(hive.connect("127.0.0.1", server.port, username=user)) as connection,
        closing(connection.cursor()) as cursor,
    ):
        yield cursor
