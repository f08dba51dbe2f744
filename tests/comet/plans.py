"""Plans of the tests with Comet."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def executed(frame: DataFrame) -> str:
    """Returns the plan that has run."""
    frame.collect()
    return str(frame._jdf.queryExecution().executedPlan()).partition("Initial Plan")[0]


def operators(frame: DataFrame) -> list[str]:
    """Returns the names of the operators that have run, in the order of the plan."""
    names = (line.lstrip(" :+-*()0123456789").split() for line in executed(frame).splitlines())
    return [words[0] for words in names if words]
