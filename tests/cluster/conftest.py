"""The suite's session, whose executors are processes of a standalone cluster."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from suite import suite_settings

from .standalone import WORKER_CORES, WORKER_MEMORY, Cluster, cluster

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def two_workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Yields a cluster of two workers."""
    with cluster(tmp_path_factory.mktemp("cluster"), workers=2) as running:
        yield running


@pytest.fixture(scope="session")
def spark_session(
    two_workers: Cluster, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SparkSession]:
    """Yields a session with the settings of the suite, and an executor on each worker."""
    from pyspark.sql import SparkSession

    conf = suite_settings(tmp_path_factory.mktemp("spark"))
    conf |= {
        "spark.master": two_workers.url,
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.executor.cores": str(WORKER_CORES),
        "spark.executor.memory": WORKER_MEMORY,
        "spark.executor.extraJavaOptions": conf["spark.driver.extraJavaOptions"],
        # the jar of the tests; eddyline's own comes by spark.jars, as a user's does
        "spark.executor.extraClassPath": conf["spark.driver.extraClassPath"],
        "spark.scheduler.minRegisteredResourcesRatio": "1.0",
        "spark.locality.wait": "0s",
    }
    session = SparkSession.builder.config(map=conf).getOrCreate()
    yield session
    session.stop()
