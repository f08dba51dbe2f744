"""What the Python package calls in the JVM is one Scala object, and one module calls it."""

from __future__ import annotations

import re

from tiers import ROOT

PYTHON = ROOT / "python/eddyline"
API = ROOT / "jvm-shim/src/main/scala/io/eddyline/spark/PythonApi.scala"


def test_one_module_knows_py4j() -> None:
    knowing = {
        path.relative_to(PYTHON).as_posix()
        for path in PYTHON.rglob("*.py")
        if re.search(
            r"\b(from|import) py4j|\._(jvm|gateway|jsc|jdf|jsq|jsparkSession)\b",
            path.read_text("utf-8"),
        )
    }
    assert knowing == {"jvm.py"}


def test_it_calls_one_object() -> None:
    source = (PYTHON / "jvm.py").read_text("utf-8")
    assert set(re.findall(r"\bio\.eddyline[\w.]*", source)) == {"io.eddyline.spark.PythonApi"}
    called = set(re.findall(r"_api\([\w.]+\)\.(\w+)", source))
    offered = set(re.findall(r"^  def (\w+)", API.read_text("utf-8"), re.MULTILINE))
    assert called == offered
