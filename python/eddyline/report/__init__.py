"""The records that eddyline's functions return."""

from eddyline.follow import FollowedQuery
from eddyline.globaltable import GlobalTableInfo
from eddyline.microbatch import Progress
from eddyline.report.entry import Entry
from eddyline.report.why import Why, why
from eddyline.rules import Rule, Rules
from eddyline.streamingquery import StreamingQueryInfo

__all__ = [
    "Entry",
    "FollowedQuery",
    "GlobalTableInfo",
    "Progress",
    "Rule",
    "Rules",
    "StreamingQueryInfo",
    "Why",
    "why",
]
