-- Of the struct only x is read.
COGROUP cart BY customer_id, purchases BY buyer
AGGREGATE sum(cart.st.x) AS x, count(purchases.*) AS n
