-- Two DISTINCTs in two branches: no Expand either.
COGROUP cart BY customer_id, purchases BY buyer
AGGREGATE count(DISTINCT cart.item) AS items, count(DISTINCT purchases.amount) AS amounts
