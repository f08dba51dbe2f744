"""What stands before a word, which the grammars of sqlfluff do not see."""

from __future__ import annotations

from collections.abc import Sequence

from sqlfluff.core.parser import BaseSegment, Matchable
from sqlfluff.core.parser.context import ParseContext
from sqlfluff.core.parser.match_result import MatchResult
from sqlfluff.core.parser.types import SimpleHintType
from sqlglot.errors import TokenError

from eddyline.lowering.emit import may_be_alias_of_join
from eddyline.lowering.tokens import read_tokens


class JoinedRelation(Matchable):
    """Matches a word behind a joined relation that has neither an alias nor a condition yet."""

    def is_optional(self) -> bool:
        """Returns whether a sequence may go on without it."""
        return False

    def simple(
        self, parse_context: ParseContext, crumbs: tuple[str, ...] | None = None
    ) -> SimpleHintType:
        """Returns no hint of the words that may match."""
        return None

    def cache_key(self) -> str:
        """Returns the name by which the parser remembers matches."""
        return "eddyline-joined-relation"

    def match(
        self, segments: Sequence[BaseSegment], idx: int, parse_context: ParseContext
    ) -> MatchResult:
        """Returns a match of the word at `idx`, or of nothing."""
        return MatchResult(slice(idx, idx + is_joined_relation(segments[:idx])))


def is_joined_relation(before: Sequence[BaseSegment]) -> bool:
    """Returns whether segments end with a joined relation without an alias and a condition."""
    ends = (at for at in range(len(before), 0, -1) if before[at - 1].raw == ";")
    statement = "".join(segment.raw for segment in before[next(ends, 0) :])
    try:
        tokens = read_tokens(statement)
    except TokenError:
        return False
    return may_be_alias_of_join(tokens, len(tokens))


def is_values(before: Sequence[BaseSegment]) -> bool:
    """Returns whether segments end with VALUES in brackets."""
    depth, first = 0, ""
    for segment in reversed(before):
        if not segment.is_code:
            continue
        depth += (segment.raw == ")") - (segment.raw == "(")
        if depth <= 0:
            return first == "VALUES"
        if segment.raw != "(":
            first = segment.raw_upper
    return False
