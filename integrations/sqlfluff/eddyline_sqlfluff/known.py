"""As what the rules of sqlfluff know the segments of our clauses.

A rule looks for types of segments, and a segment has those of its bases. So a COGROUP is a SELECT
over its branches, and the statements that write rows are an INSERT or a CREATE TABLE.
"""

from __future__ import annotations

from sqlfluff.core.parser import AnyNumberOf, BaseSegment, Ref, Sequence
from sqlfluff.dialects import dialect_ansi as ansi
from sqlfluff.dialects import dialect_sparksql as spark


class _OrderedColumns(BaseSegment):
    """A query whose columns no rule sorts."""

    type = "create_table_as_statement"


class _NamesColumns(BaseSegment):
    """What gives a query columns that are named without a relation, as PIVOT does."""

    type = "from_pivot_expression"


class _NameOfColumn(BaseSegment):
    """Such a name."""

    type = "pivot_column_reference"


class CogroupKeyNameSegment(_NameOfColumn):
    """The name of a key: what AS gives it, or its column."""

    type = "cogroup_key_name"
    match_grammar = Ref("SingleIdentifierGrammar")


class CogroupKeyColumnSegment(ansi.ColumnReferenceSegment):
    """A key that is a column."""

    type = "cogroup_key_column"
    match_grammar = Sequence(
        AnyNumberOf(Sequence(Ref("SingleIdentifierGrammar"), Ref("DotSegment"), allow_gaps=False)),
        Ref("CogroupKeyNameSegment"),
        allow_gaps=False,
    )


class _Aggregate(spark.SelectClauseSegment):
    """AGGREGATE with its list, of which each item is a target of a SELECT."""

    def get_children(self, *seg_type: str) -> list[BaseSegment]:
        """Returns the children of some types, and the items of the list if they have one."""
        lists = super().get_children("cogroup_aggregates")
        items = (item for each in lists for item in each.get_children(*seg_type))
        return [*super().get_children(*seg_type), *items]


# rules take a name in DISTRIBUTE BY for a use of an alias
_BASES: dict[str, tuple[type[BaseSegment], ...]] = {
    "assume_clause": (spark.DistributeByClauseSegment,),
    "cogroup_aggregate": (_Aggregate,),
    "cogroup_branch": (ansi.FromExpressionSegment, spark.DistributeByClauseSegment),
    "cogroup_branches": (ansi.FromClauseSegment,),
    "cogroup_having": (ansi.HavingClauseSegment,),
    "cogroup_key": (_NamesColumns,),
    "cogroup_statement": (spark.SelectStatementSegment, _OrderedColumns),
    "cogroup_using": (_NamesColumns,),
    "create_global_table_statement": (spark.CreateTableStatementSegment,),
    "create_streaming_query_statement": (spark.InsertStatementSegment,),
    "emit_column": (ansi.ColumnReferenceSegment,),
    "emit_interval": (spark.IntervalExpressionSegment,),
    "globaltable_interval": (spark.IntervalExpressionSegment,),
    "start_streaming_query_statement": (spark.InsertStatementSegment,),
    "streamingquery_interval": (spark.IntervalExpressionSegment,),
    "validate_streaming_query_statement": (spark.InsertStatementSegment,),
}


def bases(name: str) -> tuple[type[BaseSegment], ...]:
    """Returns the bases of a type of segments.

    >>> bases("emit_clause")
    (<class 'sqlfluff.core.parser.segments.base.BaseSegment'>,)
    """
    return _BASES.get(name, (BaseSegment,))
