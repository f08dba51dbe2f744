"""A cluster, and for each file an application, whose executors are processes of the cluster."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from eddyline import EddylineError
from kafka import broker as brokers
from kafka.conftest import broker  # noqa: F401 - a fixture
from suite import suite_settings
from waiting import CONDITION_HANGS

from .queries import TABLES
from .standalone import EXECUTOR_CORES, WORKER_MEMORY, Cluster, cluster

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def two_workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Yields a cluster of two workers."""
    with cluster(tmp_path_factory.mktemp("cluster"), workers=2) as running:
        yield running


@pytest.fixture(scope="session")
def connector_jars() -> list[Path]:
    """Returns the jars of Spark's Kafka connector, or none where Maven cannot fetch them."""
    try:
        return brokers.connector_jars()
    except EddylineError:
        return []


@pytest.fixture
def connector(connector_jars: list[Path]) -> None:
    """Skips the tests where Maven cannot fetch the connector."""
    if not connector_jars:
        pytest.skip("NO TEST OF KAFKA RUNS: there is no connector")


@pytest.fixture(scope="session")
def settings_of_jvm(
    two_workers: Cluster, connector_jars: list[Path], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str]:
    """Starts the JVM; returns the settings that all its applications have."""
    from pyspark import SparkConf, SparkContext

    conf = suite_settings(tmp_path_factory.mktemp("spark"))
    # the jar of the tests; eddyline's own comes by spark.jars, as a user's does
    path = os.pathsep.join([conf["spark.driver.extraClassPath"], *map(str, connector_jars)])
    conf |= {
        "spark.master": two_workers.url,
        "spark.driver.memory": "1g",
        "spark.driver.extraClassPath": path,
        "spark.executor.cores": str(EXECUTOR_CORES),
        "spark.executor.memory": WORKER_MEMORY,
        "spark.executor.extraJavaOptions": conf["spark.driver.extraJavaOptions"],
        "spark.executor.extraClassPath": path,
        "spark.locality.wait": "0s",
        # a stage says at once how many tasks it has: losses.py waits for that
        "spark.ui.liveUpdate.period": "0",
    }
    SparkContext._ensure_initialized(conf=SparkConf().setAll(list(conf.items())))
    return conf


@pytest.fixture(scope="module")
def settings() -> dict[str, str]:
    """Returns the settings of a file's application, which waits for two executors."""
    return {
        "spark.cores.max": str(2 * EXECUTOR_CORES),
        "spark.scheduler.minRegisteredResourcesRatio": "1.0",
        "spark.scheduler.maxRegisteredResourcesWaitingTime": f"{CONDITION_HANGS:.0f}s",
    }


@pytest.fixture(scope="module")
def spark_session(
    settings_of_jvm: dict[str, str], settings: dict[str, str]
) -> Iterator[SparkSession]:
    """Yields a session with the settings of the suite, and an executor on each worker."""
    from pyspark.sql import SparkSession

    session = SparkSession.builder.config(map=settings_of_jvm | settings).getOrCreate()
    yield session
    session.stop()


@pytest.fixture
def tables(spark: SparkSession) -> None:
    """Makes the tables of `queries.py`."""
    for statement in TABLES:
        spark.sql(statement)
