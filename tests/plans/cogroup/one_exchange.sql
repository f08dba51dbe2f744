-- One exchange for three branches, aggregated before it; unused columns and padding are not read.
COGROUP cart BY customer_id, purchases BY buyer, cart AS again BY customer_id
AGGREGATE count(cart.item) AS n, sum(purchases.amount) AS s, max(again.price) AS m
