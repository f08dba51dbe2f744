COGROUP cart WHERE price > 3 BY customer_id, purchases WHERE amount < 2 BY buyer
AGGREGATE count(cart.*) AS n, any_value(purchases.amount) AS a
