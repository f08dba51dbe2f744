"""A global table over a database server: Derby's, whose jars come from Maven."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from eddyline.java import find_java
from interop.launch import SPARK_HOME, accepts, free_port, process
from maven import fetch
from streaming.globaltable_harness import await_probe
from waiting import eventually

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DRIVER = "org.apache.derby.client.ClientAutoloadedDriver"
LOOKUP = "SELECT f.k, name FROM VALUES (1), (2) AS f(k) LEFT JOIN rooms AS r ON f.k = r.k"


@pytest.fixture(scope="module")
def jars(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a folder with Derby's jars that Spark lacks, in the version that Spark brings."""
    (embedded,) = (SPARK_HOME / "jars").glob("derby-*.jar")
    version = embedded.stem.removeprefix("derby-")
    folder = tmp_path_factory.mktemp("derby")
    for name in ("derbynet", "derbyclient"):
        fetch(f"org.apache.derby:{name}:{version}", folder)
    return folder


@contextmanager
def database(jars: Path, folder: Path, port: int) -> Iterator[None]:
    """Runs a server of the databases in a folder."""
    classes = [*(SPARK_HOME / "jars").glob("derby*.jar"), *jars.glob("*.jar")]
    command = [find_java()[0], "-cp", os.pathsep.join(map(str, classes))]
    command += ["org.apache.derby.drda.NetworkServerControl", "start", "-noSecurityManager"]
    command += ["-h", "127.0.0.1", "-p", str(port)]
    with process(command, folder, subprocess.DEVNULL, subprocess.DEVNULL) as server:
        eventually(lambda: server.poll() is not None or accepts(port))
        assert server.poll() is None
        yield


def test_a_table_of_a_database_server(spark: SparkSession, jars: Path, tmp_path: Path) -> None:
    """The table is read at each interval, and a version is new if its rows are."""
    port = free_port()
    url = f"jdbc:derby://127.0.0.1:{port}/house;create=true"

    def write(rows: str) -> None:
        frame = spark.sql(f"SELECT * FROM VALUES {rows} AS t(k, name)")
        frame.write.option("truncate", "true").jdbc(
            url, "rooms", mode="overwrite", properties={"driver": DRIVER}
        )

    def status() -> Any:
        return spark.sql("SHOW GLOBAL TABLES").collect()[0]

    def looked_up() -> list[str | None]:
        return [row.name for row in spark.sql(LOOKUP).orderBy("k").collect()]

    (client,) = jars.glob("derbyclient-*.jar")
    spark.sql(f"ADD JAR '{client}'")
    with ExitStack() as servers:
        servers.enter_context(database(jars, tmp_path, port))
        write("(1, 'attic')")
        spark.sql(
            f"CREATE GLOBAL TABLE rooms USING jdbc OPTIONS (url '{url}', dbtable 'rooms', "
            f"driver '{DRIVER}') PRIMARY KEY (k) REFRESH EVERY 200 MILLISECONDS"
        )
        assert looked_up() == ["attic", None]
        for _ in range(2):
            await_probe(spark, "rooms")
        assert status().version.startswith("1-"), "equal rows are no new version"
        write("(2, 'cellar'), (1, 'attic')")
        eventually(lambda: looked_up() == ["attic", "cellar"])
    eventually(lambda: status().status == "FAILING")
    assert looked_up() == ["attic", "cellar"]
    with database(jars, tmp_path, port):
        write("(1, 'hall')")
        eventually(lambda: looked_up() == ["hall", None])
        eventually(lambda: (status().status, status().last_error) == ("OK", None))
        spark.sql("DROP GLOBAL TABLE rooms")
