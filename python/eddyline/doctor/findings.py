"""The lines of the doctor's report."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from eddyline.doctor.packages import package_versions


@dataclass(frozen=True)
class Finding:
    """One line of the doctor's report.

    Attributes:
        name: name of the check.
        ok: whether eddyline works as far as this check can tell.
        detail: what was found, or the error.
        advice: what to do about it; None if nothing needs to be done, or if the error says it.
    """

    name: str
    ok: bool
    detail: str
    advice: str | None = None

    @property
    def mark(self) -> str:
        """`ok`, `no`, or `!` for what works and is worth a second thought."""
        if not self.ok:
            return "no"
        return "ok" if self.advice is None else "!"

    @property
    def text(self) -> str:
        """The detail, and the advice after it."""
        return self.detail if self.advice is None else f"{self.detail} {self.advice}"


def first_line(error: Exception) -> str:
    """Returns the line of an error that names its condition, or its first line."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    named = (line[line.index("[EDDYLINE_") :] for line in lines if "[EDDYLINE_" in line)
    return next(named, lines[0])


def report_as_text(findings: Sequence[Finding]) -> str:
    """Returns the findings as lines of plain text, for an installation without rich.

    >>> print(report_as_text([Finding("Python", True, "3.11.7"), Finding("Java", False, "none")]))
    ok  Python  3.11.7
    no  Java    none
    """
    width = max(len(finding.name) for finding in findings)
    return "\n".join(
        f"{finding.mark:<2}  {finding.name:<{width}}  {finding.text}" for finding in findings
    )


def report_as_json(findings: Sequence[Finding]) -> str:
    """Returns the findings and the versions of the packages as JSON."""
    rows = [asdict(finding) for finding in findings]
    return json.dumps({"versions": package_versions(), "findings": rows}, indent=2)
