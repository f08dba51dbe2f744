-- The last row of each customer and hour.
CREATE OR REPLACE VIEW customers_now AS
SELECT customer_id, hour, max_by(struct(clicks, spent, tickets, name, segment), batch) AS last
FROM customer_360 GROUP BY customer_id, hour;

SELECT customer_id, hour, last.clicks, last.spent, last.tickets, last.name, last.segment
FROM customers_now ORDER BY hour, customer_id;

-- The same, recomputed in batch from all events: the statement without STREAM.
CREATE OR REPLACE VIEW customers_recomputed AS
SELECT customer_id, window.start AS hour, struct(clicks, spent, tickets, name, segment) AS last
FROM (
  COGROUP clicks  BY (customer_id, window(at, '1 hour')),
          orders  BY (buyer,       window(at, '1 hour')),
          tickets BY (opened_by,   window(at, '1 hour'))
  AGGREGATE count(clicks.*) AS clicks, sum(orders.amount) AS spent, count(tickets.*) AS tickets
) LEFT JOIN crm ON id = customer_id;

SELECT count(*) AS differences FROM (
  (SELECT * FROM customers_now EXCEPT SELECT * FROM customers_recomputed) UNION ALL
  (SELECT * FROM customers_recomputed EXCEPT SELECT * FROM customers_now));
