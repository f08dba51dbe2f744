"""Queries and statements of sparksql with the clauses at their places."""

from __future__ import annotations

from collections.abc import Sequence as Segments

from sqlfluff.core.parser import BaseSegment, Bracketed, Dedent, Indent, OneOf, Ref, Sequence
from sqlfluff.core.parser.context import ParseContext
from sqlfluff.core.parser.match_result import MatchResult
from sqlfluff.dialects import dialect_ansi as ansi
from sqlfluff.dialects import dialect_sparksql as spark

from eddyline_sqlfluff.forms import forms
from eddyline_sqlfluff.refusals import refusal
from eddyline_sqlfluff.segments import sparks_ends, tails
from eddyline_sqlfluff.translation import class_name

_DIRECTION = Sequence(
    OneOf("ASC", "DESC", optional=True),
    Sequence("NULLS", OneOf("FIRST", "LAST"), optional=True),
    optional=True,
)
_OFFSET = Sequence("OFFSET", Indent, Ref("NumericLiteralSegment"), Dedent)
_VALUES_ALIAS = Ref("AliasExpressionSegment", optional=True)
_VALUES_ORDER = Ref("OrderByClauseSegment", optional=True)


class SelectStatementSegment(spark.SelectStatementSegment):
    """A SELECT."""

    match_grammar = spark.SelectStatementSegment.match_grammar.copy(insert=tails())


class UnorderedSelectStatementSegment(spark.UnorderedSelectStatementSegment):
    """A SELECT in a set operation, which has what follows."""

    match_grammar = spark.UnorderedSelectStatementSegment.match_grammar.copy(
        terminators=[Ref("TailStartGrammar")]
    )


class SetExpressionSegment(ansi.SetExpressionSegment):
    """A set operation."""

    match_grammar = ansi.SetExpressionSegment.match_grammar.copy(insert=tails())


class OrderByClauseSegment(ansi.OrderByClauseSegment):
    """ORDER BY, also ALL columns."""

    match_grammar = OneOf(
        Sequence("ORDER", "BY", "ALL", _DIRECTION), ansi.OrderByClauseSegment.match_grammar
    )


class LimitClauseSegment(spark.LimitClauseSegment):
    """LIMIT and OFFSET, or one of them."""

    match_grammar = Sequence(
        OneOf(
            Sequence(spark.LimitClauseSegment.match_grammar, OneOf(_OFFSET, optional=True)),
            _OFFSET,
        )
    )


class ValuesClauseSegment(spark.ValuesClauseSegment):
    """Rows as literals, whose alias is not the beginning of a clause."""

    match_grammar = spark.ValuesClauseSegment.match_grammar.copy(remove=[_VALUES_ALIAS]).copy(
        insert=[
            Ref(
                "AliasExpressionSegment",
                exclude=OneOf("LIMIT", "ORDER", Ref("NoAliasGrammar")),
                optional=True,
            )
        ],
        before=_VALUES_ORDER,
    )


class TableQuerySegment(BaseSegment):
    """`TABLE orders`, which sparksql lacks."""

    type = "table_query"
    match_grammar = Sequence("TABLE", Ref("TableReferenceSegment"))


class FromSelectStatementSegment(spark.SelectStatementSegment):
    """`FROM orders SELECT item`, which sparksql lacks."""

    type = "from_select_statement"
    match_grammar = Sequence(
        Ref("FromClauseSegment"),
        Ref(
            "SelectClauseSegment",
            terminators=[Sequence("GROUP", "BY"), "HAVING", Ref("TailStartGrammar")],
        ),
        Ref("WhereClauseSegment", optional=True),
        Ref("GroupByClauseSegment", optional=True),
        Ref("HavingClauseSegment", optional=True),
        *sparks_ends(),
        *tails(),
    )


class QueryWithTailSegment(BaseSegment):
    """A query that is no SELECT, with a clause of ours behind it.

    In it a query keeps its brackets, which a rule (CV07) takes off those that are statements.
    """

    type = "query_with_tail"
    match_grammar = Sequence(
        OneOf(
            Ref("ValuesClauseSegment"),
            Ref("TableQuerySegment"),
            Bracketed(Ref("SelectableGrammar")),
        ),
        *sparks_ends(),
        OneOf(*(Ref(class_name(form.name)) for form in forms("tail"))),
    )


class StatementSegment(spark.StatementSegment):
    """A statement."""

    match_grammar = spark.StatementSegment.match_grammar.copy(
        insert=[Ref(class_name(form.name)) for form in forms("statement")]
    )

    @classmethod
    def match(
        cls, segments: Segments[BaseSegment], idx: int, parse_context: ParseContext
    ) -> MatchResult:
        """Returns the match at `idx`; where a clause is wrong, the error is at its word."""
        found = super().match(segments, idx, parse_context)
        return refusal(cls, segments, idx, found) or found
