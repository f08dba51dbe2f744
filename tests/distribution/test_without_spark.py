"""What the wheel does and says where there is no pyspark, or one that it cannot use."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from distribution.environments import REQUIRED, Environment, new_environment
from eddyline.versions import spark_lines
from interop.pip import CLI

QUERY = "COGROUP a BY k, b BY k AGGREGATE count(a.*) AS n"
START = (
    "import eddyline; from pyspark.sql import SparkSession; "
    "eddyline.configure(SparkSession.builder).getOrCreate()"
)
# of a package such as databricks-connect, which brings a pyspark of its own
OTHER_PYSPARK = {
    "pyspark/__init__.py": '__version__ = "3.5.2"\n',
    "pyspark/sql/__init__.py": (
        "class Builder:\n    _options = {}\n\n\nclass SparkSession:\n    builder = Builder()\n"
    ),
}


@pytest.fixture
def environment(wheel: Path, tmp_path: Path) -> Environment:
    """Returns an environment with the wheel and what it requires."""
    made = new_environment(tmp_path / "venv")
    made.fetch(*REQUIRED)
    made.install(wheel)
    return made


def test_no_pyspark(environment: Environment) -> None:
    """The front end works, and a session says what to install."""
    environment.fetch(*CLI)
    assert "__eddyline_cogroup" in environment.python(
        f"import eddyline; print(eddyline.lower_sql({QUERY!r}))"
    )
    file = environment.folder / "query.sql"
    file.write_text(f"{QUERY};\n".replace(" ", "  "))
    assert environment.run("eddyline", "lint", str(file)).returncode == 0
    assert environment.run("eddyline", "fmt", str(file)).returncode == 0
    assert file.read_text() == f"{QUERY};\n"
    error = environment.python("import eddyline; eddyline.jar_path()")
    assert "[EDDYLINE_ENVIRONMENT.PYSPARK_MISSING]" in error
    assert "pip install '<path of the clone or wheel>[spark]'" in error
    started = environment.run("eddyline", "sql", "-e", QUERY)
    assert started.stderr.startswith("eddyline: pyspark is missing: pip install '<path of")


def test_a_client_of_spark_connect(environment: Environment) -> None:
    oldest, newest = spark_lines()[0], spark_lines()[-1]
    environment.fetch(f"pyspark-client>={oldest.oldest},<={newest.pyspark}", "pandas<3")
    error = environment.python(START)
    assert "[EDDYLINE_ENVIRONMENT.CLIENT_ALONE]" in error
    assert 'SparkSession.builder.remote("sc://' in error


def test_a_client_with_a_pyspark_of_its_own(environment: Environment) -> None:
    for name, content in OTHER_PYSPARK.items():
        file = environment.packages / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(content)
    assert "[EDDYLINE_ENVIRONMENT.CLIENT_ALONE]" in environment.python(START)


def test_an_unsupported_pyspark(environment: Environment) -> None:
    environment.fetch("pyspark==4.0.*")
    error = environment.python(START)
    assert "[EDDYLINE_UNSUPPORTED_SPARK_VERSION]" in error
    assert ", ".join(line.minor for line in spark_lines()) in error


def test_a_wheel_without_the_jar_of_a_spark(environment: Environment, wheel: Path) -> None:
    """As pip builds it from a checkout, with the jar of one Spark."""
    incomplete = environment.folder / wheel.name
    oldest, newest = spark_lines()[0].minor, spark_lines()[-1].minor
    with zipfile.ZipFile(wheel) as full, zipfile.ZipFile(incomplete, "w") as part:
        for name in full.namelist():
            if not name.endswith(f"-{oldest}.jar"):
                part.writestr(name, full.read(name))
    environment.install(incomplete, "--force-reinstall", "--no-deps")
    found = environment.python(f"import eddyline; print(eddyline.jar_path({newest!r}))")
    assert found.endswith(f"-{newest}.jar")
    error = environment.python(f"import eddyline; eddyline.jar_path({oldest!r})")
    assert "[EDDYLINE_ENVIRONMENT.JAR_MISSING]" in error
    assert f"eddyline-spark-{oldest}.jar" in error
