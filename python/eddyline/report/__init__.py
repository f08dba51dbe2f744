"""What became of each clause of a query: typed records, and the report that holds them."""

from eddyline.report.entries import (
    Claim,
    CoGroup,
    Emit,
    Entry,
    Exchange,
    Fallback,
    GlobalTableUse,
    MicroBatch,
    StateOperator,
)
from eddyline.report.why import Why, why

__all__ = [
    "Claim",
    "CoGroup",
    "Emit",
    "Entry",
    "Exchange",
    "Fallback",
    "GlobalTableUse",
    "MicroBatch",
    "StateOperator",
    "Why",
    "why",
]
