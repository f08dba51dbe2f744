"""What docs/security.md promises of the sidecar and of confs."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException

from eddyline.jvm import sidecar_pid, stop_sidecar
from waiting import eventually

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COGROUP = "COGROUP range(2) AS a BY id, range(3) AS b BY id AGGREGATE count(*) AS n ORDER BY id"
NETWORK = Path("/proc/net")
LISTENS = "0A"


def sockets(pid: int) -> set[str]:
    """Returns the inodes of the sockets that a process has open."""
    links = []
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # it was closed meanwhile
            links.append(str(descriptor.readlink()))
    return {link[len("socket:[") : -1] for link in links if link.startswith("socket:")}


def listening(pid: int) -> set[str]:
    """Returns the inodes of the sockets on which a process listens."""
    lines = [
        line.split()
        for name in ("tcp", "tcp6")
        for line in (NETWORK / name).read_text().splitlines()[1:]
    ]
    return {words[9] for words in lines if words[3] == LISTENS} & sockets(pid)


@pytest.mark.skipif(not NETWORK.exists(), reason="sockets are looked up in /proc")
def test_no_port_opens(spark: SparkSession) -> None:
    assert spark._jvm is not None
    driver = int(spark._jvm.java.lang.ProcessHandle.current().pid())
    stop_sidecar(spark)
    before = listening(driver)
    assert before, "py4j listens, so the test sees what it looks for"
    spark.sql(COGROUP).collect()
    sidecar = sidecar_pid(spark)
    assert sidecar is not None
    assert sockets(sidecar) == set()
    # the one by which PySpark fetches rows is closed a moment after them
    eventually(lambda: listening(driver) <= before)


def test_no_conf_of_a_session_reaches_another(spark: SparkSession) -> None:
    """Each conf is static or that of one session."""
    assert spark._jvm is not None
    registry = spark._jvm.org.apache.spark.sql.internal.SQLConf
    rows = spark.sql("SET -v").collect()
    values = {row.key: row.value for row in rows if row.key.startswith("spark.eddyline")}
    other = spark.newSession()
    of_sessions = []
    for key, value in values.items():
        before = spark.conf.get(key, None)
        if registry.isStaticConfigKey(key):
            with pytest.raises(AnalysisException, match="CANNOT_MODIFY_STATIC_CONFIG"):
                other.conf.set(key, "1")
        else:
            other.conf.set(key, "/x" if value == "<undefined>" else value)
            of_sessions.append(key)
        assert spark.conf.get(key, None) == before
    assert {"spark.eddyline.enabled", "spark.eddyline.assume.strict"} <= set(of_sessions)
    assert {"spark.eddyline.python", "spark.eddyline.admin.users"}.isdisjoint(of_sessions)
    other.conf.set("spark.eddyline.enabled", "false")
    assert [tuple(row) for row in spark.sql(COGROUP).collect()] == [(0, 2), (1, 2), (2, 1)]
