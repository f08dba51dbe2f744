"""Aliases that a query needs, though it names no column by them."""

from __future__ import annotations

from collections.abc import Sequence as Segments
from dataclasses import replace

from sqlfluff.core.parser import BaseSegment, IdentifierSegment, RawSegment
from sqlfluff.core.parser.context import ParseContext
from sqlfluff.core.parser.match_result import MatchResult
from sqlfluff.dialects import dialect_sparksql as spark

from eddyline.grammar.ebnf import grammars
from eddyline_sqlfluff.forms import forms, words_of
from eddyline_sqlfluff.lookbehind import is_joined_relation, is_values

_TAILS = frozenset(next(words_of(form.bodies[0], grammars()[form.stem])) for form in forms("tail"))


class _Reference(RawSegment):
    type = "object_reference"


class _TableReference(_Reference):
    type = "table_reference"


class NeededAliasNameSegment(IdentifierSegment, _TableReference):
    """The name in such an alias, which is a reference to itself."""

    type = "needed_alias_name"


class _NamesTables(BaseSegment):
    """A clause that names tables, as FOR UPDATE OF does."""

    type = "for_clause"


class NeededAliasSegment(spark.AliasExpressionSegment, _NamesTables):
    """The alias `x` in `a CROSS JOIN b AS x EMIT ON CHANGE`, `t AS x(k)` or `(VALUES (1)) AS x`.

    Without the first, EMIT would be the alias of `b`, and CHANGE the condition of the join. The
    second names the columns, and a branch of VALUES needs the third. So it names itself as FOR
    UPDATE OF names a table, and no rule (AL05) finds that it is unused.
    """

    type = "needed_alias"

    @classmethod
    def match(
        cls, segments: Segments[BaseSegment], idx: int, parse_context: ParseContext
    ) -> MatchResult:
        """Returns the match at `idx`, if the query needs it."""
        found = super().match(segments, idx, parse_context)
        after = (each.raw_upper for each in segments[found.matched_slice.stop :] if each.is_code)
        is_before_tail = next(after, None) in _TAILS and next(after, None) == "ON"
        if not found:
            return found
        names_columns = any(each.raw == "(" for each in segments[found.matched_slice])
        is_joined = is_before_tail and is_joined_relation(segments[:idx])
        if not (names_columns or is_joined or is_values(segments[:idx])):
            return MatchResult.empty_at(idx)
        return replace(found, child_matches=tuple(map(_referring, found.child_matches)))


def _referring(child: MatchResult) -> MatchResult:
    """Returns the match of a part of the alias, where its name is a reference."""
    is_name = child.matched_class is IdentifierSegment
    return replace(child, matched_class=NeededAliasNameSegment) if is_name else child
