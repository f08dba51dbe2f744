-- One DISTINCT, in its own branch: no Expand.
COGROUP cart BY customer_id, purchases BY buyer
AGGREGATE count(DISTINCT cart.item) AS items, sum(purchases.amount) AS spent
