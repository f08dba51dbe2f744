"""One server of each kind for the whole run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from interop.server import Server, running


@pytest.fixture(scope="session")
def thrift(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running("thrift", tmp_path_factory.mktemp("thrift")) as server:
        yield server


@pytest.fixture(scope="session")
def connect(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running("connect", tmp_path_factory.mktemp("connect")) as server:
        yield server
