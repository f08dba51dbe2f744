"""Benchmark of a global table's refresh: the hash of its rows and the list of its files.

    python benchmarks/globaltable_costs.py [--quick]

The rows of one table are read, hashed, copied and refreshed, and one folder of many small files is
listed by a refresh and by Spark. The figures are those of the run with the least CPU.
"""

from __future__ import annotations

import argparse
import shutil
from typing import TYPE_CHECKING, Any

from measure import DATA, best_of, jvm_cpu_seconds, report, session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FOLDER = DATA / "globaltable_costs"
ROUNDS = 5
LOOKS = 20
# two seeds of 64 bits, as in a refresh
SEEDS = (-7046029254386353131, 7046029254386353131)


def hashed(spark: SparkSession, frame: DataFrame) -> DataFrame:
    """Returns the sums of the hashes by which a refresh tells whether rows have changed."""
    from pyspark.sql import functions as sf  # noqa: PLC0415
    from pyspark.sql.classic.column import Column  # noqa: PLC0415

    eddyline, sessions = spark._jvm.io.eddyline.spark, spark._jvm.org.apache.spark.sql.eddyline
    output = frame._jdf.queryExecution().analyzed().output()
    hashes = (eddyline.base.ContentHash(output, seed) for seed in SEEDS)
    columns = [
        Column(sessions.SessionInternals.column(each)).cast("decimal(38, 0)") for each in hashes
    ]
    return frame.agg(*(sf.sum(column) for column in columns))


def look(spark: SparkSession, folder: str) -> int:
    """Lists a folder as a refresh does; returns how many files there are."""
    jvm = spark._jvm
    python = jvm.org.apache.spark.api.python.PythonUtils
    version = jvm.io.eddyline.spark.globaltable.version
    hidden = version.HiddenNames.of(python.toScalaMap({}), spark._jsparkSession)
    roots = python.toSeq([jvm.scala.Tuple2(jvm.org.apache.hadoop.fs.Path(folder), hidden)])
    conf = spark._jsparkSession.sessionState().newHadoopConf()
    return int(version.FileListing.of(roots, conf).files().size())


def main() -> None:
    """Measures all parts and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="few rows and files")
    quick = parser.parse_args().quick
    rows, files = (10_000, 100) if quick else (1_000_000, 1_000)
    shutil.rmtree(FOLDER, ignore_errors=True)
    spark = session(
        **{"spark.log.level": "OFF", "spark.sql.warehouse.dir": str(FOLDER / "warehouse")}
    )
    spark.sql(
        "CREATE TABLE source USING parquet AS SELECT id AS k, "
        "concat('name-', hex(xxhash64(id))) AS name, pmod(xxhash64(id, 2), 100000) AS price "
        f"FROM range(0, {rows}, 1, 2)"
    )
    spark.sql("CREATE GLOBAL TABLE keyless REFRESH MANUAL AS SELECT * FROM source")
    spark.sql("CREATE GLOBAL TABLE keyed PRIMARY KEY (k) REFRESH MANUAL AS SELECT * FROM source")
    source, copy, small = spark.table("source"), f"{FOLDER}/copy", f"{FOLDER}/small"
    spark.range(0, files, 1, files).write.parquet(small)
    assert look(spark, small) == files
    spark_list = spark.read.schema("id BIGINT").parquet
    figures = best_of(
        ROUNDS,
        lambda: jvm_cpu_seconds(spark),
        {
            "read": source.write.format("noop").mode("overwrite").save,
            "read, hash": lambda: hashed(spark, source).collect(),
            "read, copy": lambda: source.write.mode("overwrite").parquet(copy),
            "REFRESH, no key": lambda: spark.sql("REFRESH GLOBAL TABLE keyless"),
            "REFRESH, with a key": lambda: spark.sql("REFRESH GLOBAL TABLE keyed"),
            f"{LOOKS} looks at files": lambda: [look(spark, small) for _ in range(LOOKS)],
            f"{LOOKS} lists by Spark": lambda: [spark_list(small) for _ in range(LOOKS)],
        },
    )
    table: list[dict[str, Any]] = [
        {"what": what, "CPU s": figure.cpu, "wall s": figure.wall}
        for what, figure in figures.items()
    ]
    report(
        "globaltable_costs",
        f"A refresh of {rows:,} rows; looks at a folder of {files:,} files",
        table,
        [
            "read: of all columns, into nothing; copy: as a Parquet file",
            "hash: both of the hashes of a row, summed",
            "REFRESH: reads, hashes and copies; with a key then looks for equal keys in the copy",
        ],
        keep=not quick,
    )
    spark.stop()
    shutil.rmtree(FOLDER, ignore_errors=True)


if __name__ == "__main__":
    main()
