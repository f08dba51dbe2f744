"""The records that eddyline's functions return."""

from eddyline.follow import FollowedQuery
from eddyline.globaltable import GlobalTableInfo
from eddyline.microbatch import Progress
from eddyline.report.entries import (
    Claim,
    CoGroup,
    Emit,
    Entry,
    Exchange,
    Fallback,
    GlobalTableUse,
    MicroBatch,
    NativeOperators,
    StateOperator,
)
from eddyline.report.why import Why, why
from eddyline.rules import PlanChange, Rule, Rules, Trace
from eddyline.streamingquery import StreamingQueryInfo

__all__ = [
    "Claim",
    "CoGroup",
    "Emit",
    "Entry",
    "Exchange",
    "Fallback",
    "FollowedQuery",
    "GlobalTableInfo",
    "GlobalTableUse",
    "MicroBatch",
    "NativeOperators",
    "PlanChange",
    "Progress",
    "Rule",
    "Rules",
    "StateOperator",
    "StreamingQueryInfo",
    "Trace",
    "Why",
    "why",
]
