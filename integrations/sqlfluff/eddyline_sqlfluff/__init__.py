"""The plug-in of sqlfluff, which brings it the dialect `eddyline`.

sqlfluff imports this package in each of its runs, so it imports nothing of eddyline itself. The
dialect is built when someone asks for it.
"""

from __future__ import annotations

from typing import Any

from sqlfluff.core.plugin import hookimpl

from eddyline_sqlfluff.accelerator import step_aside
from eddyline_sqlfluff.registration import register

if register():
    step_aside("eddyline")


@hookimpl
def load_default_config() -> dict[str, Any]:
    """Returns the layout of segments that only this dialect has."""
    leading = {"line_position": "leading"}
    as_typed = {"spacing_within": "any"}
    layout = {"assume_clause": leading, "conf_value": as_typed, "emit_clause": leading}
    return {"layout": {"type": layout}}
