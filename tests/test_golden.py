"""Runs `tests/golden/<stem>/*.sql`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from eddyline.testing import read_golden, run_golden

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

GOLDEN = Path(__file__).parent / "golden"
CASES = [
    pytest.param(golden, conf, id="-".join([str(path.relative_to(GOLDEN)), *conf.values()]))
    for path in sorted(GOLDEN.rglob("*.sql"))
    for golden in [read_golden(path)]
    for conf in golden.confs()
]


@pytest.mark.parametrize(("golden", "conf"), CASES)
def test_golden(spark: SparkSession, golden, conf, tmp_path: Path) -> None:
    if tuple(map(int, golden.since.split("."))) > tuple(map(int, spark.version.split(".")[:2])):
        pytest.skip(f"since Spark {golden.since}")
    spark.conf.set("spark.sql.streaming.checkpointLocation", str(tmp_path))
    for key, value in conf.items():
        spark.conf.set(key, value)
    run_golden(spark, golden)
