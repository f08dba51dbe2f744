"""The tests of the language with the oldest and the newest supported sqlglot, pure and compiled."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from distribution.environments import new_environment
from interop.pip import CLI, OTHERS, SQLGLOT
from tiers import ROOT

OLDEST = SQLGLOT.partition(",")[0].replace(">=", "==")
LANGUAGE = [
    f"tests/unit/{name}.py"
    for name in ("test_lowering", "test_dialect", "test_dialect_golden", "test_fmt", "test_lint")
]
# The settings of the suite need a pyspark.
PYTEST = ("-m", "pytest", "-q", "-rf", "--tb=no", "-c", "/dev/null", f"--rootdir={ROOT}")
PLUGINS = ("--noconftest", "--import-mode=importlib", "-p", "no:cacheprovider")
# Before 30.30 sqlglot has no tree for CREATE GLOBAL TABLE … USING, since it reads no call among
# OPTIONS; before 30.27 it adds an argument to LISTAGG each time, in its Spark dialect too.
OF_OLDEST = {
    "test_dialect.py::test_the_tables_of_a_statement",
    "test_dialect.py::test_what_has_no_plain_sql_is_refused_by_name",
    "test_dialect_golden.py::test_statements",
}
COMPILED = "import sqlglot; print(not sqlglot.expressions.core.__file__.endswith('.py'))"


@pytest.mark.parametrize("compiled", [False, True], ids=["pure", "compiled"])
@pytest.mark.parametrize(
    ("requirement", "failing"), [(OLDEST, OF_OLDEST), (SQLGLOT, set())], ids=["oldest", "newest"]
)
def test_the_language(
    wheel: Path, tmp_path: Path, requirement: str, failing: set[str], compiled: bool
) -> None:
    environment = new_environment(tmp_path / "venv")
    if compiled:
        requirement = requirement.replace("sqlglot", "sqlglot[c]", 1)
    environment.fetch(requirement, *OTHERS, *CLI, "hypothesis", "pytest")
    environment.install(wheel)
    assert environment.python(COMPILED) == str(compiled)
    files = [str(ROOT / name) for name in LANGUAGE]
    done = environment.run("python", *PYTEST, *PLUGINS, *files, PYTHONPATH=str(ROOT / "tests"))
    failed = re.findall(r"^(?:FAILED|ERROR) .*/(test_\w+\.py(?:::\w+)?)", done.stdout, re.MULTILINE)
    assert set(failed) == failing, done.stdout[-3000:]
    assert re.search(r"\b[4-9]\d\d passed", done.stdout), done.stdout[-3000:]
