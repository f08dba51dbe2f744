"""How the dialect prints a COGROUP: as typed, or as its plain SQL once its tree has changed."""

from __future__ import annotations

import pytest
import sqlglot
from sqlglot import exp
from sqlglot.errors import UnsupportedError

COGROUP = (
    "COGROUP cart WHERE item <> 'x' BY customer_id, purchases AS p BY buyer "
    "AGGREGATE count(cart.item) AS in_cart, sum(price) AS spent, first(cart.item) AS one, "
    "count(p.*) AS n HAVING EVERY BRANCH AND spent > 1 ORDER BY n"
)
FILTERED = (
    "COGROUP a BY k, b BY k AGGREGATE count(*) AS n HAVING n > 1"
    " QUALIFY row_number() OVER (ORDER BY n) = 1 ORDER BY n"
)


def parse(sql: str) -> exp.Expr:
    return sqlglot.parse_one(sql, dialect="eddyline")


@pytest.mark.parametrize("sql", [COGROUP, FILTERED])
def test_a_cogroup_that_was_changed_is_printed_as_plain_sql(sql: str) -> None:
    tree = parse(sql)
    assert tree.sql("eddyline", pretty=True) == tree.sql("spark", pretty=True)
    tree.limit(3, copy=False)
    assert tree.sql("eddyline") == tree.sql("spark")
    assert " FULL JOIN " in tree.sql("eddyline")
    assert parse(f"{sql} EMIT ON UPDATE").limit(3).sql("eddyline") == (
        f"{tree.sql('spark')} EMIT ON UPDATE"
    )


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("COGROUP a BY k, b BY k AGGREGATE first(x) AS x", "an aggregate of no single branch"),
        ("COGROUP STREAM a BY k, b BY k AGGREGATE count(*) AS n", "a stream"),
        ("COGROUP (SELECT k FROM STREAM a WATERMARK ts DELAY OF INTERVAL 1 DAY) AS a BY k, b BY k "
         "AGGREGATE count(*) AS n", "a stream"),
    ],
)  # fmt: skip
def test_a_cogroup_without_plain_sql_is_printed_as_typed_or_not_at_all(
    sql: str, reason: str
) -> None:
    tree = parse(f"{sql} EMIT ON CHANGE KEY (k)")
    assert tree.sql("eddyline") == f"{sql} EMIT ON CHANGE KEY (k)"
    for changed in (tree.limit(3), parse(f"CREATE VIEW v AS {sql}")):
        with pytest.raises(UnsupportedError, match=f"NO_PLAIN_SQL.*COGROUP with {reason}"):
            changed.sql("eddyline", pretty=True)
