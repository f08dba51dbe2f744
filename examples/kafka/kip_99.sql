-- KIP-99: purchases are joined with the products and customers of two topics, without a shuffle.
CREATE TABLE purchase USING kafka
OPTIONS ('kafka.bootstrap.servers' '<broker>', subscribe 'purchase', startingOffsets 'earliest');
CREATE TABLE invoice USING kafka
OPTIONS ('kafka.bootstrap.servers' '<broker>', subscribe 'invoice');

CREATE GLOBAL TABLE product (id STRING, name STRING, price INT, PRIMARY KEY (id)) USING kafka
OPTIONS ('kafka.bootstrap.servers' '<broker>', subscribe 'product') REFRESH MANUAL;

CREATE GLOBAL TABLE customer (id STRING, name STRING, address STRING, PRIMARY KEY (id)) USING kafka
OPTIONS ('kafka.bootstrap.servers' '<broker>', subscribe 'customer') REFRESH MANUAL;

START STREAMING QUERY kip_99 TRIGGER AVAILABLE NOW
AS INSERT INTO invoice (key, value)
SELECT number AS key,
       to_json(struct(c.name AS customer, c.address, p.name AS product, p.price)) AS value
FROM (SELECT string(key) AS number, from_json(string(value), 'account_id STRING, product_id STRING') AS bought
      FROM STREAM purchase)
JOIN product AS p ON p.id = bought.product_id
JOIN customer AS c ON c.id = bought.account_id;
