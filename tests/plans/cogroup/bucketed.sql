-- Tables bucketed by the key: no exchange at all.
COGROUP cart_by_key BY customer_id, purchases_by_key BY customer_id, wishes_by_key BY customer_id
AGGREGATE count(cart_by_key.item) AS items, sum(purchases_by_key.amount) AS spent, max(wishes_by_key.item) AS wish
