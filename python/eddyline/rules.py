"""The rules that eddyline injects into Spark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from eddyline.rowtext import Grid, html_table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_COLUMNS = ("phase", "rule", "description", "switch")


@dataclass(frozen=True)
class Rule:
    """One rule, strategy or check: a row of SHOW EDDYLINE RULES.

    Attributes:
        phase: when Spark applies it: `hints`, `resolution`, `post-hoc`, `check`, `normalization`,
            `optimizer`, `before CBO`, `strategy`, `query stages` or `columnar`.
        name: name of the rule.
        description: what it does.
        switch: `OFF` if `spark.eddyline.rules.excluded` leaves it out, else `ON`; None if a clause
            needs it, so that it cannot be left out.
    """

    phase: str
    name: str
    description: str
    switch: str | None


class Rules(tuple[Rule, ...]):
    """All rules of a session, in the order in which Spark applies them.

    `print` and a notebook show a table.
    """

    def __repr__(self) -> str:
        """Returns a table of the rules."""
        return "\n".join(Grid(_COLUMNS, (False,) * len(_COLUMNS)).lines(self._cells()))

    def _repr_html_(self) -> str:
        return html_table(_COLUMNS, self._cells())

    def _cells(self) -> list[tuple[str, ...]]:
        return [(rule.phase, rule.name, rule.description, rule.switch or "") for rule in self]


def rules(spark: SparkSession) -> Rules:
    """Returns the rules that eddyline injects into Spark.

    Args:
        spark: a classic session or one of Spark Connect.
    """
    return Rules(Rule(*row) for row in spark.sql("SHOW EDDYLINE RULES").collect())
