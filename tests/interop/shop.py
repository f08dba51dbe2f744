"""The two relations of which every client runs a COGROUP."""

from __future__ import annotations

VIEWS = (
    "CREATE OR REPLACE VIEW cart AS "
    "SELECT * FROM VALUES (1, 'pen'), (1, 'ink'), (2, 'pad') AS t(customer_id, item)",
    "CREATE OR REPLACE VIEW purchases AS "
    "SELECT * FROM VALUES (1, 5), (1, 2), (3, 9) AS t(buyer, price)",
)
COGROUP = """\
COGROUP cart BY customer_id, purchases BY buyer
AGGREGATE count(cart.item) AS in_cart, sum(purchases.price) AS spent"""
ROWS = [(1, 2, 7), (2, 1, None), (3, 0, 9)]


# an aggregate is missing before the comma of the second line
SYNTAX_ERROR = COGROUP.replace("AGGREGATE count", "AGGREGATE, count")
# the key of `purchases` is a number, that of `cart` a text
TYPE_MISMATCH = COGROUP.replace("BY customer_id", "BY item")
