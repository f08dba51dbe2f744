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
            sys.exit(_plain_doctor())
        sys.exit(f"eddyline: {package} is missing: pip install 'eddyline[{_EXTRAS[package]}]'")


def _plain_doctor() -> int:
    """Prints the doctor's report without click and rich; returns the exit status."""
    from eddyline.doctor import examine, report_as_json, report_as_text

    findings = list(examine())
    print((report_as_json if "--json" in sys.argv else report_as_text)(findings))
    return int(not all(finding.ok for finding in findings))
