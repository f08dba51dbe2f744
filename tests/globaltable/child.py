"""Runs a task in another JVM: `python -m globaltable.child <plan as JSON>`.

The plan has `conf`, the settings of the session, `task`, a function of this module, and its
`arguments`. The result of the task is printed as a line of JSON.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from own_jvm import start_session
from waiting import PROCESS_HANGS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import SparkSession

TESTS = Path(__file__).resolve().parents[1]
OVERVIEW = "SHOW GLOBAL TABLES"


def run(task: str, conf: Mapping[str, str], *arguments: object) -> Any:
    """Runs the task in a new process and returns its result."""
    plan = {"conf": dict(conf), "task": task, "arguments": arguments}
    done = subprocess.run(
        [sys.executable, "-m", "globaltable.child", json.dumps(plan)],
        cwd=TESTS,
        capture_output=True,
        text=True,
        timeout=PROCESS_HANGS,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def statements(spark: SparkSession, *texts: str) -> list[list[list[str]]]:
    """Returns the rows of each statement, as text."""
    return [[[str(value) for value in row] for row in spark.sql(text).collect()] for text in texts]


def many_tables(spark: SparkSession, count: int) -> dict[str, Any]:
    """Runs one query over `count` global tables."""
    spark.conf.set("spark.sql.codegen.wholeStage", "false")
    spark.conf.set("spark.sql.analyzer.maxIterations", "200")  # plain views need as many
    for i in range(count):
        spark.sql(
            f"CREATE GLOBAL TABLE d{i} PRIMARY KEY (k) REFRESH MANUAL AS "
            f"SELECT STRING(id) AS k, id + {i} AS v FROM range(100)"
        )
    joins = " ".join(f"LEFT JOIN d{i} ON STRING((id + {i}) % 120) = d{i}.k" for i in range(count))
    found = [f"count(d{i}.v)" for i in range(count)]
    row = spark.sql(f"SELECT {', '.join(found)} FROM range(0, 120, 1, 2) {joins}").collect()[0]
    tables = spark.sql(OVERVIEW).collect()
    jvm = spark._jvm
    assert jvm is not None
    return {
        "matches": sorted(set(row)),
        "replicas": sum(table.replicas for table in tables),
        "bytes": sum(table.replica_bytes for table in tables),
        "largest_heap": jvm.java.lang.Runtime.getRuntime().maxMemory(),
    }


def refreshes(spark: SparkSession, folder: str, count: int) -> dict[str, Any]:
    """Measures the driver's heap and the executors' block memory over refreshes."""
    jvm = spark._jvm
    assert jvm is not None
    path = str(Path(folder) / "rows")
    rows = "SELECT id AS k, repeat(STRING(id + {}), 10) AS name FROM range(20000)"

    def write(i: int) -> None:
        spark.sql(rows.format(i)).coalesce(1).write.mode("overwrite").parquet(path)

    write(0)
    spark.sql(
        "CREATE GLOBAL TABLE d (k BIGINT, name STRING) USING parquet "
        f"LOCATION '{path}' REFRESH MANUAL"
    )
    joined = "SELECT count(name) FROM range(0, 1000, 1, 4) AS f JOIN d ON f.id = d.k"
    used = []
    for i in range(count):
        write(i)
        version = spark.sql("REFRESH GLOBAL TABLE d").collect()[0].version
        assert spark.sql(joined).collect() == [(1000,)], version
        # another literal each time, so that no other query asks for the replica
        derived = f"(SELECT k, max(name) AS name FROM d WHERE k < {100 + i} GROUP BY k) AS d"
        assert spark.sql(f"SELECT count(*) FROM range(100) JOIN {derived} ON id = d.k").collect()
        if i % (count // 5) == count // 5 - 1:
            used.append((heap(spark), executors(spark)))
    replicas = spark.sql(OVERVIEW).collect()[0].replicas
    return {"used": used, "replicas": replicas}


def heap(spark: SparkSession) -> int:
    """Returns the bytes in use on the driver's heap."""
    jvm = spark._jvm
    assert jvm is not None
    for _ in range(3):
        jvm.java.lang.System.gc()
        time.sleep(0.1)
    memory = jvm.java.lang.management.ManagementFactory.getMemoryMXBean()
    return int(memory.getHeapMemoryUsage().getUsed())


def executors(spark: SparkSession) -> int:
    """Returns the bytes in the block managers of all executors and the driver."""
    status = spark.sparkContext._jsc.sc().getExecutorMemoryStatus().values().toList()
    return sum(
        int(status.apply(i)._1()) - int(status.apply(i)._2()) for i in range(int(status.size()))
    )


def killed_executor(spark: SparkSession, folder: str) -> dict[str, Any]:
    """Runs a stream over two executors, and kills one between two micro-batches."""
    spark.sql("CREATE TABLE facts (k BIGINT, n INT) USING json")
    spark.sql(
        "CREATE GLOBAL TABLE d PRIMARY KEY (k) REFRESH MANUAL AS "
        "SELECT id AS k, STRING(id) AS name FROM range(1000)"
    )
    rows: list[tuple[Any, ...]] = []
    sql = (
        "SELECT n, name FROM (SELECT /*+ REPARTITION(4) */ * FROM STREAM facts) AS f "
        "LEFT JOIN d ON f.k = d.k"
    )
    query = (
        spark.sql(sql)
        .writeStream.foreachBatch(lambda batch, _: rows.extend(map(tuple, batch.collect())))
        .option("checkpointLocation", f"{folder}/checkpoint")
        .start()
    )
    builds, killed = [], 0
    for n in range(6):
        if n == 3:
            killed = kill_executor(spark)
        spark.sql(f"INSERT INTO facts SELECT id, {n} FROM range(0, 2000, 100, 1)")
        query.processAllAvailable()
        builds.append(broadcasts(spark))
    failure = query.exception()
    query.stop()
    expected = [(n, str(k) if k < 1000 else None) for n in range(6) for k in range(0, 2000, 100)]
    return {
        "killed": killed,
        "builds": builds,
        "failure": failure and str(failure),
        "equal": sorted(rows, key=str) == sorted(expected, key=str),
    }


def broadcasts(spark: SparkSession) -> list[int]:
    """Returns the broadcasts of the replicas of `d`; each build has its own."""
    jvm = spark._jvm
    assert jvm is not None
    package = jvm.io.eddyline.spark.globaltable
    name = jvm.org.apache.spark.sql.catalyst.TableIdentifier("d")
    table = spark._jsparkSession.sessionState().catalog().getTableMetadata(name)
    globals_ = package.refresh.GlobalTables.of(spark._jsparkSession)
    replicas = globals_.replicas().of(package.catalog.TableId.of(table))
    found = [replicas.apply(i).get().broadcast().id() for i in range(int(replicas.size()))]
    return sorted(int(number) for number in found)


def kill_executor(spark: SparkSession) -> int:
    """Kills the process of one executor, a child of this driver, and nothing else."""
    jvm = spark._jvm
    assert jvm is not None
    driver = jvm.java.lang.ProcessHandle.current().pid()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = stat.read_text().rpartition(")")[2].split()[1]
            command = (stat.parent / "cmdline").read_text()
        except OSError:
            continue
        if int(parent) == driver and "CoarseGrainedExecutorBackend" in command:
            os.kill(int(stat.parent.name), signal.SIGKILL)
            return 1
    return 0


def main(plan: dict[str, Any]) -> None:
    """Runs the plan's task."""
    spark, _ = start_session(plan["conf"])
    result = globals()[plan["task"]](spark, *plan["arguments"])
    print(json.dumps(result), flush=True)
    spark.stop()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
