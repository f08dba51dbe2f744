"""Another extension's parser beside ours, listed before it or after it.

The last of `spark.sql.extensions` sees a text first. Toys are compiled with Spark's own compiler.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyspark
import pytest

from doctors import doctor
from eddyline.session import EXTENSIONS, settings
from waiting import PROCESS_HANGS

TOYS = Path(__file__).parent / "toys"
JARS = Path(pyspark.__file__).parent / "jars"
ORDERS = {"toy first": "toys.{toy}," + EXTENSIONS, "toy last": EXTENSIONS + ",toys.{toy}"}


UNBOUND = "UNBOUND_SQL_PARAMETER"


def _java() -> str:
    home = os.environ.get("JAVA_HOME")
    return str(Path(home) / "bin" / "java") if home else shutil.which("java") or "java"


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the folder of the compiled toys."""
    out = tmp_path_factory.mktemp("toys")
    compiler = [_java(), "-Xss8m", "-cp", f"{JARS}/*", "scala.tools.nsc.Main"]
    sources = sorted(map(str, TOYS.glob("*.scala")))
    subprocess.run(
        [*compiler, "-usejavacp", "-d", str(out), *sources], check=True, timeout=PROCESS_HANGS
    )
    return out


def _reports(classes: Path, scratch: Path, extensions: str) -> list[dict[str, Any]]:
    """Returns reports of sessions by PySpark, by the JVM's builder, and without eddyline."""
    ours = settings({})
    confs = {
        **ours,
        "spark.sql.extensions": extensions,
        "spark.driver.extraClassPath": os.pathsep.join(
            [ours["spark.driver.extraClassPath"], str(classes)]
        ),
        "spark.master": "local[1]",
        "spark.driver.memory": "1g",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.default.parallelism": "1",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.warehouse.dir": str(scratch / "warehouse"),
        "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
        "spark.log.level": "OFF",
    }
    # the suite's own JVM is announced in the environment, and would be used instead of a new one
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PYSPARK_", "SPARK_"))}
    done = subprocess.run(
        [sys.executable, str(TOYS / "session.py"), json.dumps(confs)],
        cwd=scratch,
        env={**inherited, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        timeout=PROCESS_HANGS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def _check(report: dict[str, Any], *, loses_parameters: bool) -> None:
    """Checks what holds for any order; a forgetful toy that is first loses parameters."""
    assert report["toy"] == [["hello"]]
    assert report["ordinary"] == [[0], [1]]
    assert report["clause"] == [[0, 2], [1, 2], [2, 1]]
    assert report["clause with args"] == (UNBOUND if loses_parameters else [[0, 2, 7], [1, 2, 8]])
    assert (report["create view"], report["view"]) == ([], [[5]])
    assert report["wrong clause"] == "EDDYLINE_COGROUP.SYNTAX_ERROR"


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("toy", ["ForwardingToy", "ForgetfulToy"])
def test_both_parsers_are_heard(classes: Path, tmp_path: Path, toy: str, order: str) -> None:
    python, scala, alone = _reports(classes, tmp_path, ORDERS[order].format(toy=toy))
    forgetful = toy == "ForgetfulToy"

    assert python["outermost"] == ("EddylineParser" if order == "toy first" else f"{toy}Parser")
    # A clause keeps its parameters even so, because we put them in before Spark's second reading.
    _check(python, loses_parameters=forgetful and order == "toy last")

    # The JVM's builder asks the ServiceLoader before it reads spark.sql.extensions, so ours is
    # inside however it is listed; PySpark's own session does it in the opposite order.
    assert scala["outermost"] == f"{toy}Parser"
    _check(scala, loses_parameters=forgetful)

    # The toy loses ordinary parameters: without us they are lost as well.
    assert alone["clause"] == "PARSE_SYNTAX_ERROR", "eddyline is still there"
    for report in (python, scala, alone):
        assert report["toy"] == [["hello"]]
        assert report["ordinary with args"] == (UNBOUND if forgetful else [[7]])


def test_the_doctor_finds_the_parser_that_loses_parameters(classes: Path, tmp_path: Path) -> None:
    conf = {
        "spark.sql.extensions": ORDERS["toy last"].format(toy="ForgetfulToy"),
        "spark.driver.extraClassPath": str(classes),
    }
    status, (*_, last) = doctor(tmp_path, conf)
    assert status == 1
    assert last["name"] == "parameters"
    assert last["detail"] == (
        "The parser of another extension drops the parameters of a statement: toys.ForgetfulToy."
    )
