"""The command line tool `eddyline`."""

from __future__ import annotations

import sys

_EXTRAS = {
    "click": "cli",
    "platformdirs": "cli",
    "prompt_toolkit": "cli",
    "pyspark": "spark",
    "rich": "cli",
}


def main() -> None:
    """Runs the command line tool, or says which package it lacks; the doctor needs none."""
    try:
        from eddyline.cli.commands import eddyline

        eddyline()
    except ModuleNotFoundError as error:
        package = str(error.name).partition(".")[0]
        if package not in _EXTRAS:
            raise
        if sys.argv[1:2] == ["doctor"]:
            from eddyline.cli.doctor import run_doctor

            sys.exit(run_doctor(sys.argv[2:]))
        extra = f"<path of the clone or wheel>[{_EXTRAS[package]}]"
        sys.exit(f"eddyline: {package} is missing: pip install '{extra}'")
