"""Words of Spark that several modules look for: units of time, and what begins and ends a query."""

from __future__ import annotations

from decimal import Decimal

from eddyline.lowering.roles import Role

SECONDS = {
    "WEEK": Decimal(604_800),
    "DAY": Decimal(86_400),
    "HOUR": Decimal(3_600),
    "MINUTE": Decimal(60),
    "SECOND": Decimal(1),
    "MILLISECOND": Decimal("0.001"),
    "MICROSECOND": Decimal("0.000001"),
    "NANOSECOND": Decimal("0.000000001"),
}
"""The seconds of the units of time, which are those of an interval but for YEAR and MONTH."""
UNITS = frozenset(["YEAR", "MONTH", *SECONDS])
"""The units of an interval, each of which may end with S."""

SELECTS = frozenset(["FROM", "SELECT", "VALUES"]) | Role.PRIMARY.first_words
"""The words that begin a query and are seldom names."""
TRANSFORMS = frozenset(["MAP", "REDUCE"])
"""The words of Hive that begin a query as SELECT TRANSFORM does, and are names more often."""
QUERY_STARTS = SELECTS | {"TABLE", "WITH"}
"""The words that begin a query, but for `TRANSFORMS`."""

SET_OPERATORS = frozenset(["EXCEPT", "INTERSECT", "MINUS", "UNION"])
"""The words between two queries."""
SORTS = frozenset(["CLUSTER BY", "DISTRIBUTE BY", "ORDER BY", "SORT BY"])
"""The words of the clauses that sort or distribute the rows of a query."""
QUERY_TAIL = SET_OPERATORS | SORTS | {"LIMIT", "OFFSET"}
"""The words that may follow any query."""

JOIN_TYPES = frozenset("ANTI CROSS FULL INNER LEFT NATURAL OUTER RIGHT SEMI".split())
"""The words of the type of a join, before JOIN."""
AFTER_RELATION = (
    JOIN_TYPES
    | QUERY_TAIL
    | SELECTS
    | Role.RELATION.first_words
    | Role.TAIL.first_words
    | frozenset(
        "AGGREGATE AS BY DO ENFORCED GROUP HAVING INSERT INTO JOIN LATERAL LAYOUT NOT ON "
        "ORDER PIVOT QUALIFY TABLESAMPLE UNPIVOT USING WATERMARK WHERE WINDOW".split()
    )
)
"""The words that may follow a relation or begin an option of its claim."""


def is_unit(key: str) -> bool:
    """Returns whether a keyword is a unit of time.

    >>> is_unit("SECONDS"), is_unit("QUARTER")
    (True, False)
    """
    return key.removesuffix("S") in UNITS
