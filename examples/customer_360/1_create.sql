-- What customers do: three tables of events, which other programs would write.
CREATE TABLE clicks (customer_id INT, page STRING, at TIMESTAMP) USING parquet;
CREATE TABLE orders (buyer INT, amount DECIMAL(10, 2), at TIMESTAMP) USING parquet;
CREATE TABLE tickets (opened_by INT, severity INT, at TIMESTAMP) USING parquet;

-- Who they are: a small table that changes, replicated to every executor and kept fresh.
CREATE TABLE crm (id INT, name STRING, segment STRING) USING parquet;
INSERT INTO crm VALUES (1, 'Ann', 'new'), (2, 'Bob', 'new'), (3, 'Cem', 'gold');
CREATE GLOBAL TABLE customer PRIMARY KEY (id) REFRESH EVERY 1 SECOND AS
SELECT id, name, segment FROM crm;

CREATE TABLE hours (customer_id INT, hour TIMESTAMP, clicks BIGINT, spent DECIMAL(20, 2), tickets BIGINT, batch BIGINT)
USING parquet;
CREATE TABLE customer_360 (
  customer_id INT, hour TIMESTAMP, clicks BIGINT, spent DECIMAL(20, 2), tickets BIGINT, name STRING, segment STRING,
  batch BIGINT)
USING parquet;

-- One shuffle and one state store for the three streams; rows that repeat the last result of a key are dropped.
CREATE STREAMING QUERY hours
  COMMENT 'what each customer did in each hour'
AS INSERT INTO hours WITH BATCH ID batch
SELECT customer_id, window.start AS hour, clicks, spent, tickets
FROM (
  COGROUP STREAM clicks  WATERMARK at DELAY OF INTERVAL 2 DAYS BY (customer_id, window(at, '1 hour')),
          STREAM orders  WATERMARK at DELAY OF INTERVAL 2 DAYS BY (buyer,       window(at, '1 hour')),
          STREAM tickets WATERMARK at DELAY OF INTERVAL 2 DAYS BY (opened_by,   window(at, '1 hour'))
  AGGREGATE count(clicks.*) AS clicks, sum(orders.amount) AS spent, count(tickets.*) AS tickets
)
EMIT ON CHANGE;

-- A lookup in the replica: the stream is not shuffled, and sees each new version of the global table.
CREATE STREAMING QUERY customer_360
  COMMENT 'the same with who the customer is'
AS INSERT INTO customer_360
SELECT h.customer_id, hour, clicks, spent, tickets, name, segment, batch
FROM STREAM hours AS h LEFT JOIN customer ON id = h.customer_id;

SHOW STREAMING QUERIES;
