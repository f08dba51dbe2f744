"""Runs `tests/golden/<stem>/*.sql`; `make test` draws one configuration of each file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from eddyline.versions import is_older
from goldenfiles import GoldenFile, read_golden, run_golden
from tiers import draw

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

GOLDEN = Path(__file__).parent / "golden"


def drawn(golden: GoldenFile) -> dict[str, str]:
    """Returns the configuration in which `make test` runs a file; the others are in `full`."""
    name = golden.path.relative_to(GOLDEN).as_posix()
    return draw(name, list(golden.confs()))


CASES = [
    pytest.param(
        golden,
        conf,
        id="-".join([str(path.relative_to(GOLDEN)), *conf.values()]),
        marks=[] if conf == drawn(golden) else [pytest.mark.full],
    )
    for path in sorted(GOLDEN.rglob("*.sql"))
    for golden in [read_golden(path)]
    for conf in golden.confs()
]


@pytest.mark.parametrize(("golden", "conf"), CASES)
def test_golden(
    spark: SparkSession, golden: GoldenFile, conf: dict[str, str], tmp_path: Path
) -> None:
    run_with(spark, golden, conf, checkpoints=tmp_path)


def run_with(
    spark: SparkSession, golden: GoldenFile, conf: dict[str, str], checkpoints: Path
) -> None:
    """Runs a file in a session, classic or of Spark Connect, that gets these confs."""
    if is_older(spark.version, golden.since):
        pytest.skip(f"since Spark {golden.since}")
    spark.conf.set("spark.sql.streaming.checkpointLocation", str(checkpoints))
    for key, value in conf.items():
        spark.conf.set(key, value)
    run_golden(spark, golden)
