"""Global tables whose sources are overwritten, broken and fixed while a stream uses them."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from py4j.protocol import Py4JJavaError

from waiting import eventually

from .globaltable_harness import (
    SOON,
    TABLE_FORM,
    Lookups,
    a_part,
    create,
    described,
    drivers,
    failing,
    file_faults,
    folder_of,
    new_driver,
    overwrite,
    reaches,
    shown,
    snapshots,
    touch,
    versions,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import SparkSession


MARKER = "mapreduce.fileoutputcommitter.marksuccessfuljobs"


def deleted(spark: SparkSession, folder: Path) -> str:
    shutil.rmtree(folder)
    return "FileNotFoundException"


def emptied(spark: SparkSession, folder: Path) -> str:
    # the rows first: a probe between must not find the old files without their mark
    for path in sorted(folder.iterdir(), key=lambda path: "part-" not in path.name):
        path.unlink()
    return "EDDYLINE_GLOBAL_TABLE.NOT_COMMITTED"


def corrupt(spark: SparkSession, folder: Path) -> str:
    (folder / "part-junk.parquet").write_bytes(b"no parquet at all")
    touch(folder / "_SUCCESS", 1)
    return "is not a Parquet file"


def being_overwritten(spark: SparkSession, folder: Path) -> str:
    (folder / "_temporary").mkdir()
    a_part(folder).unlink()
    return "EDDYLINE_GLOBAL_TABLE.NOT_COMMITTED"


def ambiguous(spark: SparkSession, folder: Path) -> str:
    spark.sql("INSERT INTO base VALUES (1, 'again')")
    return "DUPLICATE_KEY"


DAMAGES = [deleted, emptied, corrupt, being_overwritten, ambiguous]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_broken_source(
    spark: SparkSession, stream: Lookups, damage: Callable[[SparkSession, Path], str]
) -> None:
    create(spark, SOON)
    folder = folder_of(spark, "base")
    stream.start()
    assert stream.see(1) == [(1, "v1")]
    failing(spark, damage(spark, folder))
    assert stream.see(1, 2) == [(1, "v1"), (2, "v1")]
    assert shown(spark).version.startswith("1-")
    shutil.rmtree(folder, ignore_errors=True)
    overwrite(spark, "v2")
    reaches(spark, 2)
    eventually(lambda: (shown(spark).status, shown(spark).last_error) == ("OK", None))
    assert stream.see(1) == [(1, "v2")]


def test_a_source_without_its_table(spark: SparkSession, stream: Lookups) -> None:
    create(spark, SOON)
    stream.start()
    assert stream.see(1) == [(1, "v1")]
    spark.sql("DROP TABLE base")
    failing(spark, "TABLE_OR_VIEW_NOT_FOUND")
    assert stream.see(1) == [(1, "v1")]
    spark.sql("CREATE TABLE base (k INT, v STRING) USING parquet")
    overwrite(spark, "v2")
    reaches(spark, 2)
    assert stream.see(1) == [(1, "v2")]


def test_a_source_deleted_while_it_is_copied(spark: SparkSession, stream: Lookups) -> None:
    create(spark, SOON)
    folder = folder_of(spark, "base")
    stream.start()
    assert stream.see(1) == [(1, "v1")]
    file_faults(spark).hold(str(folder))
    overwrite(spark, "v2")
    file_faults(spark).awaitReader()
    shutil.rmtree(folder)
    file_faults(spark).mend()
    eventually(lambda: shown(spark).status == "FAILING")
    assert stream.see(1) == [(1, "v1")]
    assert len(versions(spark)) == 1
    assert list(snapshots(spark).glob("draft-*")) == []
    overwrite(spark, "v3")
    eventually(lambda: shown(spark).status == "OK")
    assert stream.see(1) == [(1, "v3")]


def test_a_source_overwritten_while_it_is_copied(spark: SparkSession, stream: Lookups) -> None:
    """Nothing of the copy is used."""
    create(spark, SOON)
    file_faults(spark).hold(str(folder_of(spark, "base")))
    overwrite(spark, "v2")
    file_faults(spark).awaitReader()
    overwrite(spark, "v3")
    file_faults(spark).mend()
    reaches(spark, 2)
    assert stream.run(1) is None
    assert stream.last == (0, [(1, "v3")])


def test_nothing_is_a_version_too(spark: SparkSession, stream: Lookups) -> None:
    create(spark, SOON)
    stream.start()
    assert stream.see(1) == [(1, "v1")]
    overwrite(spark, "v2", keys=0)
    reaches(spark, 2)
    assert shown(spark).rows == 0
    assert stream.see(1) == [(1, None)]


def test_a_file_with_another_time(spark: SparkSession) -> None:
    create(spark)
    touch(a_part(folder_of(spark, "base")), 5)
    spark.sql("REFRESH GLOBAL TABLE g")
    assert len(versions(spark)) == 2


def test_a_column_that_is_added(spark: SparkSession) -> None:
    spark.sql(TABLE_FORM.format(clauses="REFRESH MANUAL"))
    spark.sql("INSERT INTO g VALUES (1, 'v1')")
    spark.sql("REFRESH GLOBAL TABLE g")
    spark.sql("ALTER TABLE g ADD COLUMN more STRING")
    spark.sql("INSERT INTO g VALUES (2, 'v2', 'x')")
    spark.sql("REFRESH GLOBAL TABLE g")
    assert spark.sql("SELECT count(*), count(more) FROM g").collect() == [(2, 1)]


def test_what_spark_has_cached_of_a_source_does_not_count(
    spark: SparkSession, tmp_path: Path
) -> None:
    create(spark)
    spark.sql("CACHE TABLE base")
    folder = folder_of(spark, "base")
    spark.sql("SELECT 1 AS k, 'v2' AS v").write.parquet(str(tmp_path / "new"))
    shutil.rmtree(folder)
    (tmp_path / "new").rename(folder)
    spark.sql("REFRESH GLOBAL TABLE g")
    assert [row.v for row in spark.sql("SELECT v FROM g").collect()] == ["v2"]
    spark.sql("UNCACHE TABLE base")


@pytest.mark.full
def test_backoff_grows_until_a_refresh(spark: SparkSession, stream: Lookups) -> None:
    create(spark, SOON)
    corrupt(spark, folder_of(spark, "base"))
    delays: list[int] = []

    def delay() -> int:
        found: int = drivers(spark).delay(spark._jsparkSession, "default.g")
        delays.append(found)
        return found

    eventually(lambda: delay() >= 800)
    grown = [found for found in delays if found >= 200]
    assert grown == sorted(grown)
    assert set(grown) <= {100 << doublings for doublings in range(1, 20)}

    def starts_over() -> bool:
        with pytest.raises(Py4JJavaError):
            spark.sql("REFRESH GLOBAL TABLE g")
        return delay() < 800

    eventually(starts_over)
    overwrite(spark, "v2")
    reaches(spark, 2)
    eventually(lambda: delay() <= 100)
    assert int(described(spark)["failures"]) >= 4


@pytest.mark.usefixtures("restarting")
@pytest.mark.parametrize("clauses", ["REFRESH MANUAL", SOON])
def test_a_driver_starts_without_the_source(
    spark: SparkSession, stream: Lookups, clauses: str
) -> None:
    create(spark, clauses)
    overwrite(spark, "v2")
    spark.sql("REFRESH GLOBAL TABLE g")
    shutil.rmtree(folder_of(spark, "base"))
    new_driver(spark)
    stream.start()
    assert stream.see(1) == [(1, "v2")]
    if clauses == SOON:
        failing(spark, "FileNotFoundException")
    overwrite(spark, "v3")
    spark.sql("REFRESH GLOBAL TABLE g")
    assert stream.see(1) == [(1, "v3")]


@pytest.mark.usefixtures("restarting")
def test_a_driver_starts_while_the_source_is_written(spark: SparkSession, stream: Lookups) -> None:
    create(spark, SOON)
    folder = folder_of(spark, "base")
    being_overwritten(spark, folder)
    new_driver(spark)
    stream.start()
    assert stream.see(1) == [(1, "v1")]
    failing(spark, "NOT_COMMITTED")


TIMELESS = "WHERE current_date() > DATE '2000-01-01'"


@pytest.mark.usefixtures("restarting")
@pytest.mark.parametrize("where", ["", TIMELESS])
def test_a_driver_starts_over_files_that_nobody_commits(
    spark: SparkSession, stream: Lookups, where: str
) -> None:
    """The first query of a driver waits for the second probe, which a nightly job has no later."""
    spark.conf.set(MARKER, "false")
    create(spark)
    spark.sql("DROP GLOBAL TABLE g")
    assert not (folder_of(spark, "base") / "_SUCCESS").exists()
    every = "PRIMARY KEY (k) REFRESH EVERY 1 HOUR"
    spark.sql(f"CREATE GLOBAL TABLE g {every} AS SELECT k, v FROM base {where}")
    overwrite(spark, "v2")
    new_driver(spark)
    stream.start()
    assert stream.see(1) == [(1, "v2")]
    assert len(versions(spark)) == 2


def test_a_version_that_another_driver_removed(spark: SparkSession) -> None:
    create(spark, "REFRESH MANUAL")
    overwrite(spark, "v2")
    spark.sql("REFRESH GLOBAL TABLE g")
    shutil.rmtree(snapshots(spark) / f"v={versions(spark)[1]}")
    assert {row.v for row in spark.sql("SELECT v FROM g").collect()} == {"v1"}
    assert {row.v for row in spark.sql("SELECT v FROM range(3) JOIN g ON id = k").collect()} == {
        "v1"
    }


@pytest.mark.usefixtures("restarting")
@pytest.mark.parametrize(
    ("settings", "folders", "files"),
    [({}, 0o700, 0o600), ({"snapshotPermissions": "750"}, 0o750, 0o640)],
)
def test_who_may_read_snapshots(
    spark: SparkSession, settings: dict[str, str], folders: int, files: int
) -> None:
    """Only the driver's user may read snapshots by default, as others may not read the source."""
    new_driver(spark, **settings)
    create(spark)
    overwrite(spark, "v2")
    spark.sql("REFRESH GLOBAL TABLE g")
    root = snapshots(spark)
    found = [root, *root.rglob("*")]
    assert len(found) > 6
    for path in found:
        assert path.stat().st_mode & 0o777 == (folders if path.is_dir() else files), path


@pytest.mark.usefixtures("restarting")
def test_only_refresh_moves_a_manual_table(spark: SparkSession, stream: Lookups) -> None:
    """A driver that starts again goes on with the last version too."""
    create(spark, "REFRESH MANUAL")
    overwrite(spark, "v2")
    new_driver(spark)
    stream.start()
    assert stream.see(1) == [(1, "v1")]
    spark.sql("REFRESH GLOBAL TABLE g")
    assert stream.see(1) == [(1, "v2")]
