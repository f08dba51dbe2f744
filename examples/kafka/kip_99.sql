-- KIP-99: purchases are joined with the products and customers of two topics, without a shuffle.
CREATE TABLE purchase USING kafka
OPTIONS ('kafka.bootstrap.servers' '<broker>', subscribe 'purchase', startingOffsets 'earliest');
CREATE TABLE product USING kafka
OPTIONS ('kafka.bootstrap.servers' '<broker>', subscribe 'product', startingOffsets 'earliest');
CREATE TABLE customer USING kafka
OPTIONS ('kafka.bootstrap.servers' '<broker>', subscribe 'customer', startingOffsets 'earliest');
CREATE TABLE invoice USING kafka
OPTIONS ('kafka.bootstrap.servers' '<broker>', subscribe 'invoice');

CREATE GLOBAL TABLE all_products REFRESH MANUAL AS
SELECT string(key) AS id, from_json(string(max_by(value, offset)), 'name STRING, price INT') AS row
FROM product WHERE key IS NOT NULL GROUP BY key;

CREATE GLOBAL TABLE all_customers REFRESH MANUAL AS
SELECT string(key) AS id, from_json(string(max_by(value, offset)), 'name STRING, address STRING') AS row
FROM customer WHERE key IS NOT NULL GROUP BY key;

START STREAMING QUERY kip_99 TRIGGER AVAILABLE NOW
AS INSERT INTO invoice (key, value)
SELECT number AS key,
       to_json(struct(c.row.name AS customer, c.row.address, p.row.name AS product, p.row.price)) AS value
FROM (SELECT string(key) AS number, from_json(string(value), 'account_id STRING, product_id STRING') AS bought
      FROM STREAM purchase)
JOIN all_products  AS p ON p.id = bought.product_id
JOIN all_customers AS c ON c.id = bought.account_id;
