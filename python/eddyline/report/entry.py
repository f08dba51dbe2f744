"""A record of a report: a row of EXPLAIN CLAUSES."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

# the details that a sentence leaves out, most of which stand in the other columns, by part
_LEFT_OUT = {
    "ASSUME": {"keys", "relation"},
    "EMIT": {"clause"},
    "EXCHANGE": {"kind", "keys", "operator"},
    "FALLBACK": {"about"},
    "GLOBAL TABLE": {"table"},
    "MICRO-BATCH": {"batch"},
    "NATIVE": {"operators"},
    "STATE": {"id", "keys", "operator"},
}


@dataclass(frozen=True)
class Entry:
    """One record of a report, a row of EXPLAIN CLAUSES. `str` of it is a sentence.

    Each of the details is an attribute, too, such as `keys` and `saved_by` of an Exchange.

    Attributes:
        part: the kind of the record, such as ASSUME or EXCHANGE.
        subject: what it is about: a relation, keys, a table, an operator.
        outcome: what became of it.
        reason: why; None if there is nothing to explain.
        details: the details by name; see docs/sql/report.md.
    """

    part: str
    subject: str
    outcome: str
    reason: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __getattr__(self, name: str) -> Any:
        details = self.__dict__.get("details", {})  # while it is copied it has none yet
        if name not in details:
            raise AttributeError(f"the record has no {name!r}")
        return details[name]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.details]

    def facts(self) -> dict[str, Any]:
        """Returns the details that `str` shows, without what is not known."""
        left_out = {"outcome", "reason"} | _LEFT_OUT.get(self.part, set())
        facts = {name: value for name, value in self.details.items() if name not in left_out}
        return {name: value for name, value in facts.items() if value not in (None, "", {})}

    def __str__(self) -> str:
        """Returns a sentence.

        >>> print(Entry("EMIT", "EMIT ON CHANGE", "REMOVED", "each key appears once"))
        EMIT ON CHANGE: REMOVED: each key appears once
        >>> print(Entry("STATE", "EmitOnChange (k)", "CHANGES", None, {"keys": "k", "rows": 3}))
        STATE EmitOnChange (k): CHANGES [rows=3]
        """
        head = self.subject if self.subject.startswith(self.part) else f"{self.part} {self.subject}"
        reason = "" if self.reason is None else f": {self.reason}"
        facts = ", ".join(f"{name}={value}" for name, value in self.facts().items())
        return f"{head}: {self.outcome}{reason}" + f" [{facts}]" * bool(facts)
