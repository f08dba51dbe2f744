"""A clause that is wrong is a parse error where Spark with eddyline shows it.

sqlfluff says where its grammar has stopped, which for a clause is often its first word; and some
errors no grammar sees, such as a setting that is given twice.
"""

from __future__ import annotations

from collections.abc import Sequence as Segments
from collections.abc import Set

from sqlfluff.core.parser import BaseSegment
from sqlfluff.core.parser.match_result import MatchResult
from sqlfluff.core.parser.segments import UnparsableSegment

from eddyline.errors import ClauseError
from eddyline.lowering.scanner import read
from eddyline_sqlfluff.segments import SEGMENTS

_CLAUSES = frozenset(SEGMENTS)


class RefusedSegment(BaseSegment):
    """A statement with a wrong clause. Rules pass over it by its type; the error lies inside."""

    type = "unparsable"


def refusal(
    statement: type[BaseSegment], segments: Segments[BaseSegment], idx: int, found: MatchResult
) -> MatchResult | None:
    """Returns a match with the error in a statement.

    Args:
        statement: the class of statements.
        segments: the words and blanks of the file.
        idx: where the statement begins.
        found: what the grammar has matched.

    Returns:
        The match of the whole statement, or None if it has no wrong clause.
    """
    end = next((at for at in range(idx, len(segments)) if segments[at].raw == ";"), len(segments))
    stop = _after_code(segments, idx, end)
    is_parsed = found.matched_slice.stop >= stop and not _holds(found, {UnparsableSegment})
    if not _begins(segments, idx) or (is_parsed and not _holds(found, _CLAUSES)):
        return None
    if error := _error("".join(segment.raw for segment in segments[idx:end])):
        at = min(_segment_at(segments, idx, error.start), stop - 1)
        expected = f"{error.parameters.get('expected', 'another text')} [{error.condition}]"
        wrong = MatchResult(slice(at, stop), UnparsableSegment, {"expected": expected})
        whole = MatchResult(slice(idx, stop), RefusedSegment, child_matches=(wrong,))
        return MatchResult(slice(idx, stop), statement, child_matches=(whole,))
    return None


def _error(sql: str) -> ClauseError | None:
    """Returns the error of a text, unless it is right with double quotes as strings or as names."""
    error = None
    for are_names in (True, False):
        try:
            read(sql, double_quoted_identifiers=are_names)
        except ClauseError as refused:
            error = refused
        else:
            return None
    return error


def _begins(segments: Segments[BaseSegment], idx: int) -> bool:
    """Returns whether a statement of the file begins at `idx`, and not one inside another."""
    before = next((segment for segment in reversed(segments[:idx]) if segment.is_code), None)
    return before is None or before.raw == ";"


def _after_code(segments: Segments[BaseSegment], idx: int, end: int) -> int:
    """Returns the index after the last word before `end`."""
    while end > idx and not segments[end - 1].is_code:
        end -= 1
    return end


def _holds(found: MatchResult, classes: Set[type[BaseSegment] | None]) -> bool:
    return found.matched_class in classes or any(
        _holds(child, classes) for child in found.child_matches
    )


def _segment_at(segments: Segments[BaseSegment], idx: int, offset: int) -> int:
    """Returns the index of the segment that holds a character of the statement."""
    while idx < len(segments) and offset >= len(segments[idx].raw):
        offset -= len(segments[idx].raw)
        idx += 1
    return idx
