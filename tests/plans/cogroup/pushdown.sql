-- The branch's WHERE, the NOT NULL of the key and a filter over the view reach both scans.
SELECT * FROM customers WHERE customer_id > 7
