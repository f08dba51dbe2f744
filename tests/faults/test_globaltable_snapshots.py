"""Snapshots of global tables: two drivers, full and read-only folders, and clean-up."""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING

import pytest

from streaming.globaltable_harness import (
    SOON,
    create,
    drivers,
    file_faults,
    folder_of,
    new_driver,
    overwrite,
    shown,
    snapshots,
    versions,
)
from streaming.harness import no_task_runs
from waiting import eventually

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession

QUERY = "SELECT g.v FROM VALUES (1) AS t(k) JOIN g ON g.k = t.k"


@pytest.fixture(autouse=True)
def mended(spark: SparkSession) -> Iterator[None]:
    yield
    file_faults(spark).mend()
    drivers(spark).restart(spark._jsparkSession, {})


def values(spark: SparkSession) -> list[str]:
    return [row.v for row in spark.sql(QUERY).collect()]


def refresh(spark: SparkSession, value: str) -> None:
    overwrite(spark, value)
    spark.sql("REFRESH GLOBAL TABLE g")


def rows_of_version(spark: SparkSession) -> Path:
    """Returns the file with the rows of the only version."""
    (version,) = versions(spark)
    (rows,) = (snapshots(spark) / f"v={version}").glob("*.parquet")
    return rows


def contents(spark: SparkSession) -> dict[str, list[str]]:
    """Returns the values in each version's snapshot."""
    return {
        name: [row.v for row in frame.distinct().collect()]
        for name in versions(spark)
        for frame in [spark.read.parquet(str(snapshots(spark) / f"v={name}")).select("v")]
    }


@pytest.mark.parametrize("count", [4, pytest.param(40, marks=pytest.mark.slow)])
def test_two_drivers_publish_into_one_folder(spark: SparkSession, count: int) -> None:
    """Each driver uses what the other has published; nothing is mixed or lost."""
    new_driver(spark, keepVersions="100")
    create(spark, "REFRESH EVERY 50 MILLISECONDS")
    drivers(spark).startAnother(spark._jsparkSession)
    assert values(spark) == ["v1"]
    for number in range(2, count + 1):
        overwrite(spark, f"v{number}")
        eventually(lambda now=number: values(spark) == [f"v{now}"])
        # the other one would publish what it has copied after what comes next
        eventually(lambda: [*drivers(spark).versionsBeside("default.g")] == [shown(spark).version])
    found = contents(spark)
    assert all(len(value) == 1 for value in found.values()), found
    assert {value for (value,) in found.values()} == {f"v{n}" for n in range(1, count + 1)}
    assert len({name.split("-")[1] for name in found}) == len(found), "each was copied once"
    eventually(lambda: list(snapshots(spark).glob("draft-*")) == [])


def test_old_versions_go_when_their_time_has_passed(spark: SparkSession) -> None:
    new_driver(spark, keepVersions="2", retention="0ms")
    create(spark)
    for number in range(2, 6):
        refresh(spark, f"v{number}")
        time.sleep(0.01)
    assert [number.split("-")[0] for number in versions(spark)] == ["4", "5"]


def test_young_versions_stay(spark: SparkSession) -> None:
    new_driver(spark, keepVersions="1", retention="1h")
    create(spark)
    for number in range(2, 5):
        refresh(spark, f"v{number}")
    assert len(versions(spark)) == 4


def test_a_version_is_as_old_as_its_successor(spark: SparkSession) -> None:
    """A version that was in use until now may be replayed, however old it is."""
    new_driver(spark, keepVersions="1", retention="1h")
    create(spark)
    (first,) = versions(spark)
    os.utime(snapshots(spark) / f"v={first}", (0, 0))
    refresh(spark, "v2")
    refresh(spark, "v3")
    assert len(versions(spark)) == 3
    (_, second, _) = versions(spark)
    os.utime(snapshots(spark) / f"v={second}", (0, 0))
    refresh(spark, "v4")
    assert first not in versions(spark)


def test_the_drafts_of_others_stay(spark: SparkSession) -> None:
    new_driver(spark, keepVersions="1", retention="0ms")
    create(spark)
    draft = snapshots(spark) / "draft-of-another-driver"
    draft.mkdir()
    time.sleep(0.01)
    refresh(spark, "v2")
    assert draft.exists()


@pytest.mark.parametrize(
    ("fault", "error"), [("readOnly", "Read-only file system"), ("full", "No space left on device")]
)
def test_a_folder_that_cannot_be_written(spark: SparkSession, fault: str, error: str) -> None:
    create(spark, SOON)
    getattr(file_faults(spark), fault)(str(snapshots(spark)))
    overwrite(spark, "v2")
    eventually(lambda: error in (shown(spark).last_error or ""))
    assert shown(spark).status == "FAILING"
    assert values(spark) == ["v1"]
    assert len(versions(spark)) == 1
    new_driver(spark)
    assert values(spark) == ["v1"], "a new driver reads what is there"
    assert error in shown(spark).last_error
    no_task_runs(spark)  # one of the driver before would write once it may
    file_faults(spark).mend()
    eventually(lambda: values(spark) == ["v2"])
    # a cancelled task may have made its folder again, which is removed a day later
    left = snapshots(spark).glob("draft-*/**/*")
    assert [path for path in left if path.is_file()] == []


def test_a_broken_snapshot_is_none(spark: SparkSession) -> None:
    create(spark, SOON)
    refresh(spark, "v2")
    (_, newest) = versions(spark)
    (snapshots(spark) / f"v={newest}" / "_eddyline.json").write_text("")
    for crc in (snapshots(spark) / f"v={newest}").glob("._eddyline.json.crc"):
        crc.unlink()
    new_driver(spark)
    assert values(spark) == ["v2"]


class InGroup(threading.Thread):
    """A thread that runs a query in its own job group."""

    def __init__(self, spark: SparkSession, group: str) -> None:
        super().__init__()
        self.spark, self.group = spark, group
        self.found: list[str] = []
        self.error: Exception | None = None

    def run(self) -> None:
        self.spark.sparkContext.setJobGroup(self.group, self.group, interruptOnCancel=True)
        try:
            self.found = values(self.spark)
        except Exception as error:
            self.error = error


@pytest.mark.parametrize("build", ["replica", "snapshot"])
def test_cancelling_a_query_leaves_its_build_to_others(spark: SparkSession, build: str) -> None:
    create(spark)
    if build == "snapshot":
        for version in versions(spark):
            (snapshots(spark) / f"v={version}").rename(snapshots(spark) / f"_{version}")
        new_driver(spark)
        folder = folder_of(spark, "base")
    else:
        new_driver(spark)
        folder = rows_of_version(spark)
        assert spark.sql("SELECT count(*) FROM g").head() is not None
    file_faults(spark).hold(str(folder))
    first = InGroup(spark, "first")
    first.start()
    file_faults(spark).awaitReader()
    spark.sparkContext.cancelJobGroup("first")
    second = InGroup(spark, "second")
    second.start()
    file_faults(spark).mend()
    second.join()
    first.join()
    assert (second.found, second.error) == (["v1"], None)
    assert shown(spark).replicas == 1
    assert len(versions(spark)) == 1
    assert shown(spark).last_error is None


def test_a_build_that_is_interrupted_is_made_again(spark: SparkSession) -> None:
    create(spark)
    new_driver(spark)
    assert spark.sql("SELECT count(*) FROM g").head() is not None
    file_faults(spark).hold(str(rows_of_version(spark)))
    first = InGroup(spark, "first")
    first.start()
    file_faults(spark).awaitReader()
    drivers(spark).interrupt("eddyline-global-build")
    file_faults(spark).mend()
    first.join()
    assert values(spark) == ["v1"]
    assert values(spark) == ["v1"]
