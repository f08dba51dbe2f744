-- An expression that can fail never sees the rows of other branches, where its columns are NULL.
-- conf spark.sql.ansi.enabled=true
-- conf spark.sql.codegen.wholeStage=true,false
-- conf spark.eddyline.cogroup.preaggregate=true,false

-- statement
CREATE TEMPORARY VIEW cart AS
SELECT * FROM VALUES (1, 'cup', 4.0), (2, 'pot', 20.0), (1, 'jar', 6.0) AS t(customer_id, item, price)

-- statement
CREATE TEMPORARY VIEW purchases AS
SELECT * FROM VALUES (2, 30), (1, 10), (1, 20), (3, 5) AS t(buyer, price)

-- query
-- two aggregates share the argument: Spark's generated code computes it before their FILTER
COGROUP cart BY customer_id, purchases BY buyer
AGGREGATE sum(60 / coalesce(purchases.price, 0)) AS s, max(60 / coalesce(purchases.price, 0)) AS m
-- result
1	9.0	6.0
2	2.0	2.0
3	12.0	12.0

-- query
COGROUP cart BY customer_id, purchases BY buyer
AGGREGATE sum(CAST(concat_ws('', purchases.price) AS INT)) AS s,
          max(CAST(concat_ws('', purchases.price) AS INT)) AS m, count(cart.*) AS n
-- result
1	30	20	2
2	30	30	1
3	5	5	0

-- query
COGROUP cart BY customer_id, purchases BY buyer
AGGREGATE sum(if(purchases.price IS NULL, raise_error('padded'), purchases.price)) AS s,
          max(if(purchases.price IS NULL, raise_error('padded'), purchases.price)) AS m,
          first(if(purchases.price IS NULL, raise_error('padded'), purchases.price) > 0) AS f
-- result
1	30	20	true
2	30	30	true
3	5	5	true

-- query
-- in a FILTER, and behind the user's own FILTER
COGROUP cart BY customer_id, purchases BY buyer
AGGREGATE count(*) FILTER (WHERE 60 / coalesce(purchases.price, 0) > 4) AS n,
          sum(purchases.price) FILTER (WHERE 60 / coalesce(purchases.price, 0) > 4) AS s,
          sum(60 / coalesce(purchases.price - 20, 0)) FILTER (WHERE purchases.price <> 20) AS t
-- result
1	1	10	-6.0
2	0	NULL	6.0
3	1	5	-4.0

-- query
-- the keys of another branch overflow here
COGROUP cart BY customer_id, (SELECT 2147483647 AS k) AS top BY k
AGGREGATE sum(customer_id + coalesce(CAST(cart.price AS INT), 1)) AS s,
          max(customer_id + coalesce(CAST(cart.price AS INT), 1)) AS m, count(top.*) AS n
-- result
1	12	7	0
2	22	22	0
2147483647	NULL	NULL	1

-- query
-- over time windows
COGROUP (SELECT *, TIMESTAMP'2026-01-01 00:00:01' AS ts FROM cart) AS c BY (window(ts, '10 seconds', '5 seconds') AS w, customer_id),
        (SELECT *, TIMESTAMP'2026-01-01 00:00:06' AS ts FROM purchases) AS p BY (window(ts, '10 seconds', '5 seconds'), buyer)
AGGREGATE sum(60 / coalesce(p.price, 0)) AS s, max(60 / coalesce(p.price, 0)) AS m,
          sum(60 / (second(w.start) + coalesce(p.price, 0))) AS t,
          max(60 / (second(w.start) + coalesce(p.price, 0))) AS u
HAVING EVERY BRANCH
|> SELECT second(w.start) AS at, customer_id, s, m, round(t, 2) AS t, round(u, 2) AS u
-- result
0	1	9.0	6.0	9.0	6.0
0	2	2.0	2.0	2.0	2.0
