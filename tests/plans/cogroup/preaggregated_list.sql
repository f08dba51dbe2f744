-- A list is collected in its own branch; the branches are merged without another exchange.
COGROUP cart BY customer_id, purchases BY buyer
AGGREGATE collect_list(cart.item) AS items, count(*) AS rows, count(purchases.*) AS bought
HAVING EVERY BRANCH
