"""The dialect where sqlfluff can have it, and else one that says why it cannot."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version

from sqlfluff.core.dialects import Dialect
from sqlfluff.core.errors import SQLFluffUserError

OLDEST = (4, 5)
"""The first version that takes a name in DISTRIBUTE BY for a use of an alias (rule AL05).

With older ones `sqlfluff fix` would remove an alias that only BY or ASSUME uses.
"""
TOO_NEW = (5, 0)
"""The first version that is not supported."""


class MissingDialect(Dialect):
    """A dialect that can be listed, but not used."""

    def __init__(self, reason: str) -> None:
        """Makes a dialect that is missing for a reason."""
        super().__init__("eddyline", root_segment_name="FileSegment")
        self.docstring = reason

    def expand(self) -> Dialect:
        """Raises the error that sqlfluff shows to who asks for the dialect."""
        raise SQLFluffUserError(self.docstring)


def find_dialect() -> Dialect:
    """Returns the dialect; nothing is raised, since sqlfluff may only want to list it."""
    found = version("sqlfluff")
    major, minor, *_ = found.split(".")
    if not OLDEST <= (int(major), int(minor)) < TOO_NEW:
        oldest = ".".join(map(str, OLDEST))
        return MissingDialect(f"eddyline needs sqlfluff {oldest} or a newer 4, and finds {found}.")
    try:
        dialect: Dialect = import_module("eddyline_sqlfluff.dialect").build()
    except Exception as error:
        return MissingDialect(f"sqlfluff {found} is not what eddyline expects: {error!r}")
    return dialect
