"""HDFS: a name node and a data node, whose jar Maven fetches."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import maven
from eddyline.java import find_java
from interop.launch import SPARK_HOME, process
from tiers import ROOT
from waiting import eventually

_SPARK_JARS = SPARK_HOME / "jars"


@contextmanager
def hdfs(folder: Path) -> Iterator[str]:
    """Runs the servers in a process and yields the URL of their file system.

    Skips the test where Maven cannot fetch their jar, which is of the release of Spark's client.
    """
    (client,) = _SPARK_JARS.glob("hadoop-client-api-*.jar")
    release = client.stem.rpartition("-")[2]
    servers = f"org.apache.hadoop:hadoop-client-minicluster:{release}"
    jars = [*maven.jars([servers], ROOT / "build/hdfs"), _SPARK_JARS / "*"]
    java, _ = find_java()
    options = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m"]
    details = folder / "details.json"
    command = [java, *options, "-cp", os.pathsep.join(map(str, jars))]
    command += ["org.apache.hadoop.test.MiniDFSClusterManager", "-format", "-datanodes", "1"]
    command += ["-writeDetails", str(details), "-D", f"hdfs.minidfs.basedir={folder}/nodes"]
    with (
        (folder / "hdfs.log").open("wb") as log,
        process(command, folder, log.fileno(), log.fileno()) as running,
    ):
        eventually(lambda: _port(details) or running.poll() is not None)
        assert running.poll() is None, (folder / "hdfs.log").read_text("utf-8", "replace")[-4000:]
        yield f"hdfs://127.0.0.1:{_port(details)}"


def _port(details: Path) -> int:
    """Returns the port of the name node, or 0 if it is not ready."""
    try:
        return int(json.loads(details.read_text())["namenode_port"])
    except (FileNotFoundError, json.JSONDecodeError):
        return 0
