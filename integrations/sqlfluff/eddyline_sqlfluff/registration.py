"""Where sqlfluff learns of the dialect.

sqlfluff has no hook for a dialect: it has a fixed list of their names, and imports each from its
package `sqlfluff.dialects`. Both are extended here, and nowhere else.
"""

from __future__ import annotations

import logging
from pathlib import Path

import sqlfluff.core.dialects
import sqlfluff.dialects

_FOLDER = str(Path(__file__).with_name("dialects"))
_LOGGER = logging.getLogger("sqlfluff.plugin")


def register() -> bool:
    """Adds the dialect to sqlfluff's list, and the folder of its module to sqlfluff's package.

    Returns:
        Whether that could be done. If not, a warning is logged, and sqlfluff works as without it.
    """
    known = getattr(sqlfluff.core.dialects, "_dialect_lookup", {})
    if known.get("sparksql") != ("dialect_sparksql", "sparksql_dialect"):
        _LOGGER.warning("sqlfluff no longer has a list to which the dialect eddyline can be added.")
        return False
    known["eddyline"] = ("dialect_eddyline", "eddyline_dialect")
    if _FOLDER not in sqlfluff.dialects.__path__:
        sqlfluff.dialects.__path__.append(_FOLDER)
    return True
