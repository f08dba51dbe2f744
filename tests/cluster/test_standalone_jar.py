"""The standalone jar: a driver on a worker, and a shell, whose Python has no package at all."""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path

import pytest

from eddyline.session import EXPLAIN, EXTENSIONS
from eddyline.standalone import write_standalone_jar
from interop.launch import confs, launcher, run
from interop.program import compiled
from interop.shop import COGROUP, ROWS, SYNTAX_ERROR, VIEWS

from .standalone import WORKER_MEMORY, cluster

STREAM = "SELECT k, max(v) AS top FROM STREAM samples GROUP BY k EMIT ON CHANGE"


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Returns the settings with a standalone jar and the Python of an empty environment."""
    folder = tmp_path_factory.mktemp("alone")
    jar, environment = folder / "eddyline.jar", folder / "environment"
    write_standalone_jar(jar)
    done = run([sys.executable, "-m", "venv", "--without-pip", str(environment)], folder)
    assert done.returncode == 0, done.stderr
    python = environment / "bin/python"
    assert "No module named" in run([str(python), "-c", "import eddyline"], folder).stderr
    given = {key: value for key, value in confs(folder).items() if "Path" not in key}
    return {
        **given,
        "spark.jars": str(jar),
        "spark.sql.extensions": EXTENSIONS,
        "spark.sql.extendedExplainProviders": EXPLAIN,
        "spark.eddyline.python": str(python),
    }


def test_a_driver_on_a_worker(alone: dict[str, str], tmp_path: Path) -> None:
    """`--deploy-mode cluster`: the driver prints into the folder of the worker that runs it."""
    program = str(compiled("scala", tmp_path))
    statements = [
        *VIEWS,
        f"{COGROUP} ORDER BY customer_id",
        SYNTAX_ERROR,
        "CREATE TABLE samples USING parquet AS SELECT id % 2 AS k, id AS v FROM range(10)",
        STREAM,
    ]
    options = ["--deploy-mode", "cluster", "--class", "Statements"]
    with cluster(tmp_path / "cluster", workers=2) as own:
        conf = {
            **alone,
            "spark.master": own.url,
            "spark.executor.memory": WORKER_MEMORY,
            "spark.driver.memory": WORKER_MEMORY,
            "spark.standalone.submit.waitAppCompletion": "true",
        }
        done = run(launcher("spark-submit", conf, *options, program, *statements), tmp_path)
        (out,) = (tmp_path / "cluster").glob("worker-*/driver-*/stdout")
        printed = out.read_text("utf-8")
    assert done.returncode == 0, done.stdout + done.stderr
    answers = [line for line in printed.splitlines() if line.startswith("[")]
    *_, shop, error, _, stream = map(json.loads, answers)
    assert [tuple(row.values()) for row in shop] == ROWS
    assert error[0] == "EDDYLINE_COGROUP.SYNTAX_ERROR"
    assert sorted(row["top"] for row in stream) == [8, 9]


def test_a_shell(alone: dict[str, str], tmp_path: Path) -> None:
    done = run(launcher("spark-sql", alone, "-e", ";".join([*VIEWS, COGROUP])), tmp_path)
    expected = [
        f"{key}\t{items}\t{'NULL' if spent is None else spent}" for key, items, spent in ROWS
    ]
    assert sorted(done.stdout.splitlines()) == expected, done.stderr


def test_its_libraries_have_their_licenses(alone: dict[str, str]) -> None:
    with zipfile.ZipFile(alone["spark.jars"]) as jar:
        names = jar.namelist()
    for library in ("sqlglot", "javaproperties", "tomli"):
        assert any(f"/{library}-" in name and name.endswith("LICENSE") for name in names)
    assert not [name for name in names if name.endswith((".so", ".jar", ".pyc"))]
