"""Which files of a folder that jobs write are a consistent state."""

from __future__ import annotations

import os
import shutil
import uuid
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


class Folder:
    """A folder of two partitions that jobs write, and probes of it."""

    def __init__(self, spark: SparkSession, root: Path) -> None:
        assert spark._jvm is not None
        self.root = root
        self.clock = 0
        self.probes: Any = spark._jvm.io.eddyline.spark.globaltable.Probes(str(root))

    def _write(self, path: Path) -> None:
        self.clock += 10
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(str(self.clock))
        os.utime(path, (self.clock, self.clock))

    def append(self) -> None:
        """Writes as a job does: a file in each partition, then `_SUCCESS`."""
        job = uuid.uuid4()
        for number in range(2):
            self._write(self.root / f"p={number}" / f"part-0000{number}-{job}.c000.parquet")
        self._write(self.root / "_SUCCESS")

    def probe(self) -> int:
        return int(self.probes.probe())

    def is_state(self, *probes: int) -> bool:
        return bool(self.probes.isState(*probes))


@pytest.fixture
def folder(spark: SparkSession, tmp_path: Path) -> Folder:
    return Folder(spark, tmp_path / "t")


def test_an_overwrite_that_has_committed(folder: Folder) -> None:
    folder.append()
    before = folder.probe()
    shutil.rmtree(folder.root)
    folder.append()
    first = folder.probe()
    assert folder.is_state(before, first, folder.probe())
    folder.append()
    assert folder.is_state(before, first, folder.probe()), "the next job only adds files"


def test_an_overwrite_that_removes_files(folder: Folder) -> None:
    """A probe between two removals sees the `_SUCCESS` of an earlier job."""
    folder.append()
    before = folder.probe()
    folder.append()
    shutil.rmtree(folder.root / "p=0")
    first = folder.probe()
    shutil.rmtree(folder.root)
    folder.root.mkdir()
    assert not folder.is_state(before, first, folder.probe())
    folder.append()
    assert not folder.is_state(before, first, folder.probe())


def test_files_that_are_removed_by_hand(folder: Folder) -> None:
    """Without `_SUCCESS` copies count, since a folder may lose files all the time."""
    for _ in range(3):
        folder.append()
    (folder.root / "_SUCCESS").unlink()
    before = folder.probe()
    files = sorted(folder.root.glob("p=*/*"))
    files[0].unlink()
    first = folder.probe()
    files[1].unlink()
    assert folder.is_state(before, first, folder.probe())
