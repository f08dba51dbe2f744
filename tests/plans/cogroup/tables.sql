CREATE TABLE cart (customer_id BIGINT, item STRING, price DOUBLE, st STRUCT<x: INT, y: STRING>, unused STRING)
USING parquet;
CREATE TABLE purchases (buyer BIGINT, amount DOUBLE, at TIMESTAMP, unused STRING) USING parquet;
CREATE TABLE cart_by_key (customer_id BIGINT, item STRING) USING parquet
CLUSTERED BY (customer_id) INTO 4 BUCKETS;
CREATE TABLE purchases_by_key (customer_id BIGINT, amount DOUBLE) USING parquet
CLUSTERED BY (customer_id) INTO 4 BUCKETS;
CREATE TABLE wishes_by_key (customer_id BIGINT, item STRING) USING parquet
CLUSTERED BY (customer_id) INTO 4 BUCKETS;
CREATE VIEW customers AS
COGROUP cart BY customer_id, purchases BY buyer
AGGREGATE count(cart.item) AS items, sum(purchases.amount) AS spent
