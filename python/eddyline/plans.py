"""Physical plans as text, without what differs between two runs."""

from __future__ import annotations

import re


def readable(plan: str) -> str:
    """Returns the text of a plan without what differs between two runs: ids, paths, times.

    >>> readable("*(1) Filter (k#1L > 2)")
    'Filter (k > 2)'
    """
    for pattern, replacement in (
        (r"#\d+L?", ""),
        (r"\*\(\d+\) ", ""),
        (r", \[plan_id=\d+\]", ""),
        (r"\[plan_id=\d+\]", ""),
        (r"Location: \w+\s*\([^)]*\)\[[^\]]*?(\]|\.\.\.), ", ""),
        (r"file:[^\s,\]]*", ""),
        (r"@(\d+)-[0-9a-f]+ ", r"@\1 "),
        (r"age=\d+ s", "age=? s"),
    ):
        plan = re.sub(pattern, replacement, plan)
    return plan


def brief(plan: str) -> str:
    """Returns what `readable` does, with each scan of files cut after its columns.

    >>> brief("+- FileScan json t[k#1L] Batched: false, Format: JSON, ReadSchema: struct<k:int>")
    '+- FileScan json t[k] …'
    """
    return re.sub(r"(FileScan [^\[]*\[[^\]]*\]) .*", r"\1 …", readable(plan))
