"""Lowers the golden statements by the standalone jar, in the oldest supported Python.

The last line is the report as JSON: the version of Python, the modules of eddyline that it cannot
import, each with the error, and the answers of the sidecar.
"""

import json
import pkgutil
import sys
from importlib import import_module
from pathlib import Path

sys.path.insert(0, "/given")
sys.path.insert(0, "/given/eddyline.jar/eddyline/python")

import eddyline
from eddyline.sidecar import answer
from goldenfiles import read_golden


def import_error(name: str) -> str | None:
    """Returns why a module cannot be imported, or which package it lacks, or None."""
    try:
        import_module(name)
    except ModuleNotFoundError as error:
        return str(error).split("'")[1].partition(".")[0]  # Pyodide gives it no name
    except Exception as error:  # whatever an older Python has against it
        return f"{type(error).__name__}: {error}"
    return None


modules = [module.name for module in pkgutil.walk_packages(eddyline.__path__, "eddyline.")]
errors = {name: import_error(name) for name in modules if not name.endswith("__main__")}
report = {
    "python": list(sys.version_info[:2]),
    "modules": len(modules),
    "errors": {name: error for name, error in errors.items() if error is not None},
    "answers": [
        answer(block.sql)
        for path in sorted(Path("/given/golden").rglob("*.sql"))
        for block in read_golden(path).blocks
    ],
}
json.dumps(report)
