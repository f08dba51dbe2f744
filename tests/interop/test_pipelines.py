"""Spark's Declarative Pipelines: the blocks of docs/pipelines.md, and errors."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from interop.launch import shell
from pages import FOLDER, PIPELINES, blocks

CONFS = """
spark.driver.memory 1g
spark.driver.extraJavaOptions -XX:TieredStopAtLevel=1 -XX:+UseSerialGC
spark.ui.enabled false
spark.sql.shuffle.partitions 2
"""
WRONG = """CREATE MATERIALIZED VIEW wrong AS
  COGROUP shop_orders BY customer, page_clicks BY page AGGREGATE count(*) AS n
"""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Makes the files of the page and runs its commands; returns their folder."""
    folder = tmp_path_factory.mktemp("pipeline")
    seed, tables, more = (block.code for block in blocks(PIPELINES, "sql"))
    (spec,) = (block.code for block in blocks(PIPELINES, "yaml"))
    settings, first, second = blocks(PIPELINES, "bash")
    _shell(settings.code, folder)
    with (folder / "conf/spark-defaults.conf").open("a") as confs:
        confs.write(CONFS)
    (folder / "spark-pipeline.yml").write_text(spec.replace(FOLDER, str(folder)))
    (folder / "transformations/shop.sql").write_text(tables)
    (folder / "seed.sql").write_text(seed)
    (folder / "more.sql").write_text(more)
    for block in (first, second):
        done = _shell(block.code, folder)
        assert done.returncode == 0, done.stdout[-2_000:] + done.stderr[-4_000:]
    assert second.shown is not None
    assert done.stdout.endswith(second.shown), done.stdout
    return folder


def test_the_page(shop: Path) -> None:
    assert _rows(shop, "activity") == [(1, 16, 2), (2, 20, 0), (3, None, 2)]
    assert _rows(shop, "pages") == [("cart", 1), ("home", 1)]
    assert sorted(_rows(shop, "last_pages")) == [
        (1, "Ada", "home"),
        (3, "Cai", "cart"),
        (3, "Cai", "paid"),
    ]


def test_an_error_in_a_dry_run(shop: Path, tmp_path: Path) -> None:
    spec = (shop / "spark-pipeline.yml").read_text()
    (tmp_path / "spark-pipeline.yml").write_text(spec)
    (tmp_path / "transformations").mkdir()
    (tmp_path / "transformations/wrong.sql").write_text(WRONG)
    done = _shell(f"spark-pipelines dry-run --spec {tmp_path}/spark-pipeline.yml", shop)
    assert done.returncode != 0
    told = done.stdout + done.stderr
    assert "EDDYLINE_COGROUP.KEY_TYPE_MISMATCH" in told
    assert "line 2 pos" in told


def _shell(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return shell(code, folder, SPARK_CONF_DIR=str(folder / "conf"))


def _rows(folder: Path, table: str) -> list[tuple[object, ...]]:
    """Returns the rows of a table on disk."""
    import pyarrow.parquet as pq

    files = (folder / "spark-warehouse" / table).glob("*.parquet")
    return sorted(
        (tuple(row.values()) for file in files for row in pq.read_table(file).to_pylist()), key=str
    )
