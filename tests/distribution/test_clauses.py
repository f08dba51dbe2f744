"""Every clause from the wheel, with each supported pyspark and with a client of Spark Connect."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from distribution.environments import REQUIRED, Environment, new_environment
from distribution.golden import settings
from eddyline.versions import SparkLine, spark_line, spark_lines
from interop.launch import accepts, free_port, process
from tiers import ROOT
from waiting import eventually

PROGRAM = Path(__file__).with_name("golden.py")
# For each clause a golden file with its rows; that of streaming queries also has the streams.
CLAUSES = {
    "assume": "derived",
    "cogroup": "keys_in_aggregates",
    "emit": "positions",
    "globaltable": "views",
    "report": "clauses",
    "rules": "statements",
    "streamingquery": "statements",
}
FILES = [str(ROOT / f"tests/golden/{stem}/{name}.sql") for stem, name in CLAUSES.items()]
Installed = Callable[[SparkLine], Environment]
SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Returns the function from a Spark to the environment with its pyspark and the wheel."""

    @cache
    def environment(line: SparkLine) -> Environment:
        made = new_environment(tmp_path_factory.mktemp(f"spark-{line.minor}") / "venv")
        made.fetch(f"pyspark=={line.pyspark}", *REQUIRED)
        made.install(wheel)
        return made

    return environment


@pytest.fixture(scope="session")
def client(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """Returns an environment with pyspark-client and the wheel, and nothing of Spark itself."""
    made = new_environment(tmp_path_factory.mktemp("client") / "venv")
    oldest, newest = spark_lines()[0], spark_lines()[-1]
    made.fetch(f"pyspark-client>={oldest.oldest},<={newest.pyspark}", "pandas<3", *REQUIRED)
    made.install(wheel)
    return made


@contextmanager
def connect_server(environment: Environment, scratch: Path) -> Iterator[str]:
    """Starts a server with the Spark of an environment, and yields its address."""
    port = free_port()
    code = "import json, eddyline.session as s; print(json.dumps(s.settings({})))"
    given = {
        **settings(scratch),
        **json.loads(environment.python(code)),
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
    }
    confs = [word for key, value in given.items() for word in ("--conf", f"{key}={value}")]
    submit = [str(environment.scripts / "spark-submit"), *confs]
    home = str(environment.packages / "pyspark")
    with (
        (scratch / "server.log").open("wb") as log,
        process(
            [*submit, "--class", SERVER, "spark-internal"],
            scratch,
            log.fileno(),
            log.fileno(),
            SPARK_HOME=home,
            PYSPARK_PYTHON=str(environment.scripts / "python"),
        ) as started,
    ):
        eventually(lambda: started.poll() is not None or accepts(port))
        assert started.poll() is None, (scratch / "server.log").read_text()[-2000:]
        yield f"sc://127.0.0.1:{port}"


def report(environment: Environment, scratch: Path, *options: str) -> dict[str, Any]:
    """Returns what became of the golden files in an environment."""
    command = ["python", str(PROGRAM), *options, str(scratch), *FILES]
    done = environment.run(*command, PYTHONPATH=str(ROOT / "tests"))
    assert done.returncode == 0, done.stderr[-2000:]
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def check(environment: Environment, found: dict[str, Any], minor: str) -> None:
    """Checks a report: the jar is that of the wheel for this Spark, and no file failed."""
    assert Path(found["jar"]) == environment.packages / f"eddyline/jars/eddyline-spark-{minor}.jar"
    assert found["files"] == dict.fromkeys(FILES)


def test_no_clause_is_left_out() -> None:
    assert sorted(CLAUSES) == sorted(path.stem for path in (ROOT / "sql/grammar").glob("*.ebnf"))


@pytest.mark.parametrize("line", spark_lines(), ids=lambda line: line.minor)
def test_with_each_pyspark(installed: Installed, line: SparkLine, tmp_path: Path) -> None:
    found = report(installed(line), tmp_path)
    assert found["spark"] == line.pyspark
    check(installed(line), found, line.minor)


def test_with_the_client_of_spark_connect(
    installed: Installed, client: Environment, tmp_path: Path
) -> None:
    minor = client.python("import pyspark; print(pyspark.__version__)").rpartition(".")[0]
    with connect_server(installed(spark_line(minor)), tmp_path) as address:
        found = report(client, tmp_path, "--remote", address)
    check(client, found, minor)
