"""The servers of the tests, one of each kind for the whole run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from interop.hive import open_cursor
from interop.server import Server, running


@pytest.fixture(scope="session")
def thrift(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running("thrift", tmp_path_factory.mktemp("thrift")) as server:
        yield server


@pytest.fixture(scope="session")
def connect(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running("connect", tmp_path_factory.mktemp("connect")) as server:
        yield server


@pytest.fixture
def cursor(thrift: Server) -> Iterator[Any]:
    with open_cursor(thrift) as cursor:
        yield cursor
