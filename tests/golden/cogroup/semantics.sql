-- What COGROUP means: the FULL OUTER JOIN of one aggregate a branch.
-- conf spark.sql.ansi.enabled=true,false
-- conf spark.eddyline.cogroup.preaggregate=true,false

-- statement
CREATE TEMPORARY VIEW cart AS
SELECT * FROM VALUES (1, 'a', 1.5), (2, 'b', NULL), (1, 'c', 2.5), (3, NULL, 4.0), (NULL, 'n', 9.0)
  AS t(customer_id, item, price)

-- statement
CREATE TEMPORARY VIEW purchases AS
SELECT * FROM VALUES (1, 10), (1, 20), (4, 30), (NULL, 40), (4, NULL) AS t(buyer, amount)

-- query equals
COGROUP cart BY customer_id, purchases BY buyer
AGGREGATE count(cart.item)                       AS in_cart,
          sum(purchases.amount)                  AS spent,
          sort_array(collect_list(cart.item))    AS items,
          max(cart.price) + min(purchases.amount) AS both
-- to
SELECT coalesce(customer_id, buyer) AS customer_id, coalesce(in_cart, 0) AS in_cart, spent,
       coalesce(items, array()) AS items, top + least AS both
FROM (SELECT customer_id, count(item) AS in_cart, sort_array(collect_list(item)) AS items,
             max(price) AS top
      FROM cart WHERE customer_id IS NOT NULL GROUP BY customer_id) c
FULL OUTER JOIN
     (SELECT buyer, sum(amount) AS spent, min(amount) AS least
      FROM purchases WHERE buyer IS NOT NULL GROUP BY buyer) p ON customer_id = buyer

-- query equals
COGROUP cart WHERE price > 2 BY customer_id, purchases WHERE amount < 25 OR amount IS NULL BY buyer
AGGREGATE count(*) AS n, count(1) AS ones, count(cart.*) AS carts, count(purchases.*) AS buys
-- to
SELECT coalesce(customer_id, buyer) AS customer_id, coalesce(a, 0) + coalesce(b, 0) AS n,
       coalesce(a, 0) + coalesce(b, 0) AS ones, coalesce(a, 0) AS carts, coalesce(b, 0) AS buys
FROM (SELECT customer_id, count(*) a FROM cart
      WHERE price > 2 AND customer_id IS NOT NULL GROUP BY customer_id)
FULL OUTER JOIN
     (SELECT buyer, count(*) b FROM purchases
      WHERE (amount < 25 OR amount IS NULL) AND buyer IS NOT NULL GROUP BY buyer)
ON customer_id = buyer

-- query
COGROUP cart BY customer_id, purchases BY buyer
AGGREGATE count(cart.item) AS n HAVING EVERY BRANCH
-- result
1	2

-- query
COGROUP cart BY customer_id, purchases BY buyer
AGGREGATE count(cart.item) AS n HAVING AT LEAST 1 BRANCH
-- result
1	2
2	1
3	0
4	0

-- query
COGROUP cart BY customer_id, purchases BY buyer
AGGREGATE count(cart.item) AS n HAVING AT LEAST 1 BRANCHES AND n > 0 OR customer_id = 4
-- result
1	2
2	1
4	0

-- query
COGROUP cart BY customer_id, purchases BY buyer
AGGREGATE count(cart.item) AS n HAVING EVERY BRANCH AND n > 5 OR customer_id = 4
-- result

-- query
COGROUP cart BY customer_id, purchases BY buyer
AGGREGATE count(cart.item) AS n HAVING sum(purchases.amount) > 5 ORDER BY customer_id DESC
-- result ordered
4	0
1	2

-- query
COGROUP cart BY customer_id, purchases BY buyer
AGGREGATE count(cart.item) AS n ORDER BY max(purchases.amount) DESC NULLS LAST, n DESC LIMIT 3
-- result ordered
4	0
1	2
2	1

-- query
-- the same table twice, one of them filtered
COGROUP cart AS cheap WHERE price < 2 BY customer_id, cart AS dear WHERE price >= 2 BY customer_id
AGGREGATE count(cheap.*) AS cheap, count(dear.*) AS dear, max(dear.price) AS top
-- result
1	1	1	2.5
3	0	1	4.0

-- query
-- a row with NULL values still counts for EVERY BRANCH and for the key
COGROUP cart AS a WHERE item IS NULL BY customer_id, cart AS b BY customer_id
AGGREGATE count(a.item) AS n HAVING EVERY BRANCH
-- result
3	0

-- query
-- no rows at all
COGROUP cart WHERE false BY customer_id, purchases WHERE false BY buyer AGGREGATE count(*) AS n
-- result

-- query
-- a constant of a branch, a lateral column alias, a window function over aggregates
COGROUP cart BY customer_id, purchases BY buyer
AGGREGATE count(cart.*) AS n, n + 1 AS more, sum(count(cart.*)) OVER () AS total
-- result
1	2	3	4
2	1	2	4
3	1	2	4
4	0	1	4

-- query
-- the rows of a branch in HAVING
COGROUP cart BY customer_id, purchases BY buyer AGGREGATE count(*) AS n
HAVING count(cart.*) > 0 AND count(purchases.*) < 5 ORDER BY n DESC, customer_id
-- result ordered
1	4
2	1
3	1

-- query
-- subqueries of HAVING over aggregates of a branch, whose values are not in its padded rows
COGROUP cart BY customer_id, purchases BY buyer AGGREGATE sum(purchases.amount) AS spent
HAVING EXISTS (SELECT 1 FROM VALUES (4) AS r(x) WHERE x < sum(coalesce(cart.price, 5)))
    OR EXISTS (SELECT 1 FROM VALUES (1) AS r(x) WHERE x < size(collect_list(cart.item)))
-- result
1	30
2	NULL

-- query
-- the rows of a branch in ORDER BY
COGROUP cart BY customer_id, purchases BY buyer AGGREGATE count(*) AS n
ORDER BY count(purchases.*) DESC, customer_id DESC
-- result ordered
4	2
1	4
3	1
2	1
