"""The non-terminals of `sql/grammar` that are Spark's own, as grammars of sqlfluff."""

from __future__ import annotations

from sqlfluff.core.parser import AnySetOf, Bracketed, Delimited, Matchable, OneOf, Ref, Sequence

_NAMES = {
    "booleanExpression": "ExpressionSegment",
    "expression": "ExpressionSegment",
    "identifier": "SingleIdentifierGrammar",
    "identifierReference": "TableReferenceSegment",
    "integer": "NumericLiteralSegment",
    "multipartIdentifier": "TableReferenceSegment",
    "namedExpression": "SelectClauseElementSegment",
    "number": "NumericLiteralSegment",
    "propertyList": "BracketedPropertyListGrammar",
    "query": "SelectableGrammar",
    "string": "QuotedLiteralSegment",
    "tableProvider": "UsingClauseSegment",
    "unit": "ClauseUnitGrammar",
}
RELATION_OPERANDS = frozenset(["relation", "relationPrimary"])
"""The operands that are a relation, whose alias is no word that may follow it in the clause."""

# what an operand is in a segment, by both
_INSIDE: dict[tuple[str, str], Matchable] = {
    ("cogroup_aggregates", "namedExpression"): Ref("AggregateElementSegment"),
    ("cogroup_key", "expression"): OneOf(Ref("CogroupKeyColumnSegment"), Ref("ExpressionSegment")),
    ("cogroup_key", "identifier"): Ref("CogroupKeyNameSegment"),
    ("cogroup_using", "identifier"): Ref("CogroupKeyNameSegment"),
}
_LISTS: dict[str, Matchable] = {
    "statement": OneOf(
        Ref("SelectableGrammar"),
        Ref("InsertStatementSegment"),
        Ref("MergeStatementSegment"),
        Ref("CreateTableStatementSegment"),
        Ref("ReplaceTableStatementSegment"),
    ),
    "createTableClauses": AnySetOf(
        Sequence("OPTIONS", Ref("BracketedPropertyListGrammar")),
        Ref("PartitionSpecGrammar"),
        Ref("BucketSpecGrammar"),
        Ref("TableClusterByClauseSegment"),
        Ref("LocationGrammar"),
        Ref("CommentGrammar"),
        Sequence("TBLPROPERTIES", Ref("BracketedPropertyListGrammar")),
    ),
    "unitToUnitInterval": Sequence(
        Ref("QuotedLiteralSegment"), Ref("ClauseUnitGrammar"), "TO", Ref("ClauseUnitGrammar")
    ),
    "tableElementList": Bracketed(
        Delimited(
            Sequence(
                OneOf(Ref("ColumnFieldDefinitionSegment"), Ref("TableConstraintSegment")),
                Ref("CommentGrammar", optional=True),
            )
        )
    ),
}


def relation_name(stem: str) -> str:
    """Returns the name of the grammar of the relations in a clause.

    >>> relation_name("cogroup")
    'CogroupRelationGrammar'
    """
    return f"{stem.capitalize()}RelationGrammar"


def operand(stem: str, segment: str, name: str) -> Matchable:
    """Returns the grammar of an operand.

    Args:
        stem: the stem of the clause.
        segment: the type of the segment that the operand is a part of.
        name: the operand, as `sql/grammar` calls it.

    Raises:
        LookupError: this module does not know the operand.
    """
    if name in RELATION_OPERANDS:
        return Ref(relation_name(stem))
    if (segment, name) in _INSIDE:
        return _INSIDE[segment, name]
    if name in _LISTS:
        return _LISTS[name]
    if name not in _NAMES:
        raise LookupError(f"eddyline_sqlfluff/operands.py: {name} of sql/grammar/{stem}.ebnf")
    return Ref(_NAMES[name])
