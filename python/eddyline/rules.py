"""The rules that eddyline injects into Spark: what they are, what they did, and a switch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING

from eddyline.errors import EddylineError
from eddyline.jvm import is_classic, traced
from eddyline.plans import readable
from eddyline.rowtext import Grid, html_table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_EXCLUDED = "spark.eddyline.rules.excluded"
_SHOWN = ("name", "phase", "clause", "optional", "enabled", "applied", "changed", "ms")
_RIGHT = (False, False, False, False, False, True, True, True)


@dataclass(frozen=True)
class Rule:
    """One rule, strategy or check: a row of SHOW EDDYLINE RULES.

    Attributes:
        name: name of the rule.
        phase: when Spark applies it: `hints`, `resolution`, `post-hoc`, `check`, `normalization`,
            `optimizer`, `before CBO`, `strategy`, `query stages` or `columnar`.
        clause: the clause that it belongs to, such as `assume`.
        description: what it does.
        optional: whether it only saves work, so that it can be disabled.
        reason: what would happen without it; None if it is optional.
        enabled: whether it was enabled when the rules were listed.
        applied: how often it was applied in the last query of the session.
        changed: how often it changed the plan of that query.
        time_ms: how long it ran in that query, with the rules that it called, in milliseconds.
    """

    name: str
    phase: str
    clause: str
    description: str
    optional: bool
    reason: str | None
    enabled: bool
    applied: int
    changed: int
    time_ms: float
    _spark: SparkSession = field(repr=False, compare=False)

    def disable(self) -> None:
        """Leaves the rule out of all later queries of the session.

        It appends the name to `spark.eddyline.rules.excluded`. The queries get slower, and return
        the same rows.

        Raises:
            EddylineError: EDDYLINE_RULES.REQUIRED if the rule is not optional.
        """
        if self.reason is not None:
            raise EddylineError("EDDYLINE_RULES.REQUIRED", rule=self.name, reason=self.reason)
        self._exclude([*self._others(), self.name])

    def enable(self) -> None:
        """Applies the rule again in all later queries of the session."""
        self._exclude(self._others())

    def _repr_html_(self) -> str:
        return Rules(self._spark, [self])._repr_html_()

    def _others(self) -> list[str]:
        names = (self._spark.conf.get(_EXCLUDED, "") or "").split(",")
        return [name.strip() for name in names if name.strip() not in ("", self.name)]

    def _exclude(self, names: list[str]) -> None:
        text = ",".join(names)
        self._spark.conf.unset(_EXCLUDED)
        if (self._spark.conf.get(_EXCLUDED, "") or "") != text:
            self._spark.conf.set(_EXCLUDED, text)


@dataclass(frozen=True)
class PlanChange:
    """One change of a plan by one rule: a row of EXPLAIN EDDYLINE.

    Attributes:
        step: number of the change, from 1.
        phase: the phase of the rule.
        rule: name of the rule.
        clause: the clause that the rule belongs to.
        before: the plan before the rule, as a tree; for a strategy the part that it plans.
        after: the plan after the rule.
        diff: all lines of both plans, as a unified difference.
    """

    step: int
    phase: str
    rule: str
    clause: str
    before: str
    after: str
    diff: str

    def __str__(self) -> str:
        """Returns the difference without the ids of columns."""
        return "\n".join([f"{self.step}. {self.rule} ({self.phase})", *self._lines()])

    def _repr_html_(self) -> str:
        before, after = (
            "\n".join(
                f"<{mark}>{escape(line)}</{mark}>" if line.startswith(sign) else escape(line)
                for line in self._lines()
                if line.startswith((" ", sign))
            )
            for sign, mark in (("-", "del"), ("+", "ins"))
        )
        cell = "<td style='text-align:left;vertical-align:top'><pre>"
        return (
            f"<table><caption>{self.step}. <b>{escape(self.rule)}</b> ({escape(self.phase)})"
            "</caption><tr><th>before</th><th>after</th></tr>"
            f"<tr>{cell}{before}</pre></td>{cell}{after}</pre></td></tr></table>"
        )

    def _lines(self) -> list[str]:
        head = ("---", "+++", "@@")
        return [readable(line) for line in self.diff.splitlines() if not line.startswith(head)]


class Trace(tuple[PlanChange, ...]):
    """The changes that the rules make in the plan of a query, in their order, by index from 0.

    `print` shows what differs between the two plans of each change, and a notebook shows the plans
    side by side.
    """

    def __str__(self) -> str:
        """Returns the differences, one after the other."""
        return "\n\n".join(map(str, self)) or "No rule changes the plan."

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return "".join(change._repr_html_() for change in self) or f"<p>{self}</p>"


class Rules:
    """All rules of a session, in the order in which Spark applies them.

    `for rule in rules` takes each of them, and `rules["HoistChecks"]` the one of this name. The
    numbers are those of the last query of the session when the rules were listed; the rows of SHOW
    and other commands count as no query.
    """

    def __init__(self, spark: SparkSession, found: Iterable[Rule]) -> None:
        self._spark = spark
        self._rules = {rule.name: rule for rule in found}

    def __iter__(self) -> Iterator[Rule]:
        return iter(self._rules.values())

    def __len__(self) -> int:
        return len(self._rules)

    def __contains__(self, name: str) -> bool:
        return name in self._rules

    def __getitem__(self, name: str) -> Rule:
        """Returns the rule of a name. Raises `EddylineError`, EDDYLINE_RULES.NOT_FOUND."""
        if name not in self._rules:
            names = ", ".join(rule.name for rule in self)
            raise EddylineError("EDDYLINE_RULES.NOT_FOUND", rule=name, rules=names)
        return self._rules[name]

    def trace(self, frame: DataFrame) -> Trace:
        """Plans a DataFrame again, without running it, and returns what each rule changes.

        Rules of the phase `columnar` appear only without adaptive execution, which applies them to
        each stage when it runs. What the analyzer has done for the DataFrames from which this one
        was made is not repeated. Over Spark Connect `SELECT * FROM` stands above the query.

        Args:
            frame: a DataFrame of a classic session or of Spark Connect, or a stream.
        """
        if is_classic(frame.sparkSession):
            rows = traced(frame)
        else:
            found = self._spark.sql("EXPLAIN EDDYLINE SELECT * FROM {frame}", frame=frame)
            rows = [row.asDict() for row in found.collect()]
        return Trace(PlanChange(**row) for row in rows)

    def __repr__(self) -> str:
        """Returns a table of the rules."""
        return "\n".join(Grid(_SHOWN, _RIGHT).lines([_cells(rule) for rule in self]))

    def _repr_html_(self) -> str:
        rows = ((*_cells(rule), rule.description) for rule in self)
        return html_table((*_SHOWN, "what it does"), rows)


def _cells(rule: Rule) -> tuple[str, ...]:
    yes = {True: "yes", False: "no"}
    return (
        rule.name,
        rule.phase,
        rule.clause,
        yes[rule.optional],
        yes[rule.enabled],
        str(rule.applied),
        str(rule.changed),
        f"{rule.time_ms:.1f}",
    )


def rules(spark: SparkSession) -> Rules:
    """Returns the rules that eddyline injects into Spark, with what they did in the last query.

    Args:
        spark: a classic session or one of Spark Connect.
    """
    rows = spark.sql("SHOW EDDYLINE RULES").collect()
    return Rules(spark, [Rule(**row.asDict(), _spark=spark) for row in rows])
