-- A clause wherever a script can hold one; this comment's semicolon ends nothing: COGROUP a BY k;
CREATE VIEW cart AS
SELECT * FROM VALUES (1, 'pen'), (1, 'ink'), (2, 'pad') AS t(customer_id, item);

CREATE VIEW purchases AS
SELECT * FROM VALUES (1, 5), (1, 2), (3, 9) AS t(buyer, price);

SELECT 'statement';
COGROUP cart BY customer_id, purchases BY buyer
-- the price is in cents; so is the sum
AGGREGATE count(cart.item) AS in_cart, /* not; counted */ sum(purchases.price) AS spent
ORDER BY customer_id;

SELECT 'view; and ;';
CREATE VIEW shop AS
COGROUP cart BY customer_id, purchases BY buyer
AGGREGATE concat_ws(';', sort_array(collect_list(cart.item))) AS items
HAVING count(cart.item) > 0;
SELECT * FROM shop ORDER BY customer_id;

SELECT 'subquery';
SELECT sum(n) FROM (COGROUP cart BY customer_id, purchases BY buyer AGGREGATE count(*) AS n);

SELECT 'script';
BEGIN
  DECLARE floor INT DEFAULT 3;
  DECLARE found INT;
  IF EXISTS (COGROUP cart BY customer_id, purchases BY buyer
             AGGREGATE count(*) AS n HAVING n > floor) THEN
    SET found = (SELECT max(customer_id) FROM
                   (COGROUP cart BY customer_id, purchases BY buyer
                    AGGREGATE count(*) AS n HAVING EVERY BRANCH));
  END IF;
  -- the last query of a script is its result; it needs `found`
  COGROUP cart WHERE customer_id = found BY customer_id, purchases BY buyer
  AGGREGATE count(cart.item) AS in_cart, sum(purchases.price) AS spent
  ORDER BY customer_id;
END;

SELECT 'table';
CREATE TABLE kept USING parquet AS
COGROUP cart BY customer_id, purchases BY buyer AGGREGATE sum(purchases.price) AS spent
HAVING EVERY BRANCH;
SELECT * FROM kept
