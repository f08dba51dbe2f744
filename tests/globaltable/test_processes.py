"""Global tables in other JVMs: a metastore and its restart, a small heap, executors that die."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from own_jvm import TWO_HOSTS, settings_of

from . import child

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MB = 1 << 20
_OF_EDDYLINE = (
    "spark.sql.extendedExplainProviders",
    "spark.sql.extensions",
    "spark.jars",
    "spark.repl.local.jars",
    "spark.submit",
    "spark.driver.extraClassPath",
    "spark.eddyline.",
    "spark.hadoop.fs.",
    "spark.sql.catalog.",
)


@pytest.fixture
def conf(spark: SparkSession, tmp_path: Path) -> dict[str, str]:
    """Returns the settings of the suite, with another warehouse."""
    return {**settings_of(spark), "spark.sql.warehouse.dir": str(tmp_path / "warehouse")}


def test_a_metastore_keeps_global_tables(conf: dict[str, str], tmp_path: Path) -> None:
    """Tables made in one process are global in the next, and plain in a Spark without the jar."""
    hive = {
        "spark.sql.catalogImplementation": "hive",
        "spark.hadoop.javax.jdo.option.ConnectionURL": (
            f"jdbc:derby:;databaseName={tmp_path}/metastore;create=true"
        ),
        "spark.driver.extraJavaOptions": (
            f"{conf['spark.driver.extraJavaOptions']} -Dderby.system.home={tmp_path}"
        ),
    }
    made = child.run(
        "statements",
        {**conf, **hive},
        "CREATE TABLE base (k INT, name STRING) USING parquet",
        "INSERT INTO base VALUES (1, 'a'), (2, 'b'), (NULL, 'n')",
        "CREATE GLOBAL TABLE t (k INT, name STRING, PRIMARY KEY (k)) USING parquet COMMENT 'x'",
        "CREATE GLOBAL TABLE h (k INT, name STRING, PRIMARY KEY (k)) STORED AS ORC REFRESH MANUAL",
        "CREATE TABLE texts (k INT, name STRING) STORED AS TEXTFILE",
        "INSERT INTO texts VALUES (1, 'old')",
        "CREATE GLOBAL TABLE cached PRIMARY KEY (k) REFRESH MANUAL AS SELECT * FROM texts",
        "CACHE TABLE texts",
        f"INSERT OVERWRITE LOCAL DIRECTORY '{tmp_path}/warehouse/texts' SELECT 1, 'new'",
        "REFRESH GLOBAL TABLE cached",
        "SELECT name FROM cached",
        "DROP GLOBAL TABLE cached",
        "INSERT INTO t VALUES (1, 'one')",
        "INSERT INTO h VALUES (1, 'eins'), (2, 'zwei')",
        "REFRESH GLOBAL TABLE t",
        "REFRESH GLOBAL TABLE h",
        "CREATE GLOBAL TABLE v PRIMARY KEY (k) REFRESH MANUAL AS SELECT k, name FROM base",
        "CREATE VIEW both AS SELECT t.k, t.name AS t, v.name AS v FROM t LEFT JOIN v ON t.k = v.k",
        JOINED,
    )
    assert made[10] == [["new"]], "what Spark has cached of a source does not count"
    assert made[-1] == [["1", "one", "eins", "a"], ["2", "None", "zwei", "b"]]
    snapshots = sorted(Path(tmp_path / "warehouse-eddyline").rglob("v=*"))
    for name in ("base", "h"):
        for file in (tmp_path / "warehouse" / name).iterdir():
            file.unlink()
    again = child.run(
        "statements",
        {**conf, **hive},
        child.OVERVIEW,
        JOINED,
        JOINED.replace("SELECT", "EXPLAIN SELECT", 1),
        child.OVERVIEW,
        "SELECT id, t, v FROM range(3) LEFT JOIN both ON id = both.k ORDER BY id",
        "SHOW CREATE GLOBAL TABLE v",
    )
    overview = [(row[1], row[2], row[3], row[4]) for row in again[0]]
    assert overview == [
        ("h", "k", "hive", "None"),
        ("t", "k", "parquet", "None"),
        ("v", "k", "query", "None"),
    ]
    assert again[1] == [["1", "one", "eins", "a"], ["2", "None", "zwei", "b"]], "from snapshots"
    assert again[2][0][0].count("GlobalLookup") == 3
    assert {row[4] for row in again[3]} <= {path.name[2:] for path in snapshots}
    assert again[4] == [["0", "None", "None"], ["1", "one", "a"], ["2", "None", "None"]]
    assert "PRIMARY KEY (k)" in again[5][0][0]
    plain = {key: value for key, value in conf.items() if not key.startswith(_OF_EDDYLINE)}
    read = child.run(
        "statements",
        {**plain, **hive},
        "INSERT INTO base VALUES (1, 'z')",
        "SELECT * FROM t",
        "SELECT * FROM v",
        "SELECT * FROM both",
        "SELECT count(*) FROM h",
    )
    assert read[1:] == [[["1", "one"]], [["1", "z"]], [["1", "one", "z"]], [["0"]]]


JOINED = (
    "SELECT id, t.name AS t, h.name AS h, v.name AS v FROM range(1, 3) LEFT JOIN t ON id = t.k "
    "LEFT JOIN h ON id = h.k LEFT JOIN v ON id = v.k ORDER BY id"
)


def small_heap(conf: dict[str, str]) -> dict[str, str]:
    return {
        **conf,
        "spark.driver.memory": "200m",
        "spark.testing.reservedMemory": str(32 * MB),
    }


SOON_IDLE = {"spark.eddyline.globalTable.idleTimeout": "2s"}


@pytest.mark.slow
def test_fifty_tables_in_a_small_heap(conf: dict[str, str]) -> None:
    found = child.run("many_tables", small_heap(conf), 50)
    assert found["matches"] == [100]
    assert found["replicas"] == 50
    assert found["bytes"] < 60 * MB
    assert found["largest_heap"] <= 200 * MB, "with more it would prove nothing"


@pytest.mark.slow
def test_refreshes_leave_nothing_behind(conf: dict[str, str], tmp_path: Path) -> None:
    """Each version takes some MB, so the heap could not hold all of them."""
    settings = {**small_heap(conf), **SOON_IDLE}
    assert_flat(child.run("refreshes", settings, str(tmp_path), 50))


def assert_flat(found: dict[str, list[list[int]]]) -> None:
    for used in zip(*found["used"], strict=True):
        # the lower one of the last two: garbage comes and goes, but what is kept stays
        assert min(used[-2:]) - used[0] < 10 * MB, found
    assert found["replicas"] < 10, "replicas of queries that nobody asks again go"


def cluster(conf: dict[str, str], folder: Path) -> dict[str, str]:
    return {
        **conf,
        TWO_HOSTS: str(folder / "workers"),
        "spark.executor.memory": "1g",
        "spark.executor.extraClassPath": conf["spark.driver.extraClassPath"],
        "spark.locality.wait": "0",
    }


@pytest.mark.slow
def test_refreshes_leave_nothing_on_executors(conf: dict[str, str], tmp_path: Path) -> None:
    settings = {**cluster(conf, tmp_path), **SOON_IDLE}
    assert_flat(child.run("refreshes", settings, str(tmp_path), 50))


def test_a_killed_executor_fails_no_batch(conf: dict[str, str], tmp_path: Path) -> None:
    found = child.run("killed_executor", cluster(conf, tmp_path), str(tmp_path))
    assert found["killed"] == 1
    assert found["failure"] is None
    assert found["equal"], "every row once, with its match"
    assert len(found["builds"][0]) == 1
    assert found["builds"] == found["builds"][:1] * 6, "nothing was built again"
