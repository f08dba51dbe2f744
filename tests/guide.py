"""The guides in `docs/contributing`, as tests read them."""

from __future__ import annotations

import re
from pathlib import Path

_GUIDES = Path(__file__).resolve().parents[1] / "docs/contributing"
ADD_A_CLAUSE = (_GUIDES / "add-a-clause.md").read_text()
ADD_A_SPARK_VERSION = (_GUIDES / "add-a-spark-version.md").read_text()
IF_IT_APPLIES = "\n## If it applies\n"
ADD_AN_OPTION = ADD_A_CLAUSE.partition("\n## Add an option\n")[2]


def places(guide: str) -> list[str]:
    """Returns the paths in the first column of the guide's tables, in their order.

    Those that not every clause has are left out.
    """
    always = guide.partition(IF_IT_APPLIES)[0]
    cells = re.findall(r"^\| (`[^|]+) \|", always, re.MULTILINE)
    return [place for cell in cells for place in re.findall(r"`([^`]+)`", cell)]
