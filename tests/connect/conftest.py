"""The suite's session, as a client of Spark Connect has it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from interop.server import running
from suite import suite_settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def spark_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """Yields a session of a server that has the settings of the suite."""
    from pyspark.sql import SparkSession

    folder = tmp_path_factory.mktemp("connect")
    with (
        running("connect", folder, suite_settings(folder)) as server,
        pytest.MonkeyPatch.context() as environment,
    ):
        environment.setenv("SPARK_CONNECT_MODE_ENABLED", "1")
        session = SparkSession.builder.remote(f"sc://127.0.0.1:{server.port}").getOrCreate()
        yield session
        session.stop()
