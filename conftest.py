"""The Spark session of the suite, or of each worker, by pytest-spark; and the tiers."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pyspark
import pytest

from eddyline.versions import is_newest, is_older
from sessions import new_session
from suite import ARCHIVES, suite_settings
from tiers import TIERS, drawn_part, other_configurations, parts, seed, tier

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytest_plugins = ["sites"]

# Memory of one worker: its JVM, its Python, and the JVM that a test starts beside them.
WORKER_BYTES = 6 << 30


def pytest_configure(config: pytest.Config) -> None:
    for name, meaning in TIERS.items():
        config.addinivalue_line("markers", f"{name}: {meaning}")
    config.addinivalue_line(
        "markers", "each_part: reads all golden statements, so it is in each part"
    )
    config.addinivalue_line(
        "markers", "faults: deaths and races, which older Sparks run beside `test`"
    )
    config.addinivalue_line("markers", "since(minor): needs this Spark or a newer one")
    os.environ["PYSPARK_PYTHON"] = os.environ.get("PYSPARK_PYTHON") or sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ["EDDYLINE_ARCHIVES"] = str(ARCHIVES)
    os.environ["EDDYLINE_SEED"] = seed()  # of the workers, too


def pytest_report_header() -> str:
    return f"EDDYLINE_SEED={seed()} EDDYLINE_PARTS={parts()}"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(1, min(os.cpu_count() or 1, memory // WORKER_BYTES))


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Iterator[None]:
    """Gives each test the mark of its tier, and draws a part of those that are selected."""
    others = other_configurations(items)
    for item in items:
        marks = {mark.name for mark in item.iter_markers()} & set(TIERS)
        if not marks:
            name = tier(item.path, getattr(item, "fixturenames", []))
            item.add_marker("full" if name == "test" and item in others else name)
        elif len(marks) > 1:
            raise pytest.UsageError(f"{item.nodeid} is in the tiers {', '.join(sorted(marks))}")
        if item.path.parent.name == "faults":
            item.add_marker("faults")
    yield
    drawn = drawn_part(items)
    config.hook.pytest_deselected(items=[item for item in items if item not in drawn])
    items[:] = drawn


def pytest_collection_finish() -> None:
    gc.freeze()  # what there is by now stays, so that no collection looks through it


def pytest_unconfigure() -> None:
    gc.unfreeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    """Releases the threads that a failed test holds, and frees what a test has of the JVM.

    An object of py4j is a cycle, and keeps its Java object.
    """
    uses_jvm = "spark_session" in getattr(item, "fixturenames", [])
    if uses_jvm and pyspark.SparkContext._jvm is not None:  # over Connect it is another process
        pyspark.SparkContext._jvm.io.eddyline.spark.faults.FileFaults.mend()
    yield
    if uses_jvm:
        gc.collect()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skips a test of what the installed Spark is too old for."""
    for mark in item.iter_markers("since"):
        if is_older(pyspark.__version__, mark.args[0]):
            pytest.skip(f"since Spark {mark.args[0]}")


@pytest.fixture(scope="session")
def spark_settings(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Gives pytest-spark the settings of the suite's session."""
    from pytest_spark.config import SparkConfigBuilder

    conf = SparkConfigBuilder.get()
    for key, value in suite_settings(tmp_path_factory.mktemp("spark")).items():
        conf.set(key, value)


@pytest.fixture(scope="session")
def spark_session(spark_settings: None, spark_session: SparkSession) -> SparkSession:
    """Returns the session of pytest-spark, started with the settings above."""
    return spark_session


@pytest.fixture
def spark(spark_session: SparkSession) -> Iterator[SparkSession]:
    """Yields a new session for a test, over the suite's context."""
    with new_session(spark_session) as session:
        yield session


@pytest.fixture(scope="module")
def shared_spark(spark_session: SparkSession) -> Iterator[SparkSession]:
    """Yields a new session for the tests of a file."""
    with new_session(spark_session) as session:
        yield session


@pytest.fixture
def newest_spark(spark_session: SparkSession) -> None:
    """Skips a test of what the newest Spark prints with an older one."""
    if not is_newest(spark_session.version):
        pytest.skip("an older Spark prints it otherwise")
