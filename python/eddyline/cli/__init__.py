"""The command line tool `eddyline`."""

from __future__ import annotations

import sys


def main() -> None:
    """Runs the command line tool; click and rich come with `eddyline[cli]`."""
    try:
        from eddyline.cli.commands import eddyline
    except ModuleNotFoundError as error:
        if error.name not in ("click", "rich"):
            raise
        sys.exit(f"eddyline: {error.name} is missing: pip install 'eddyline[cli]'")
    eddyline()
