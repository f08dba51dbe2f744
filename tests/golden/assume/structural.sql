-- A claim over Hive partition columns changes no row, whatever stands above it.
-- conf spark.sql.adaptive.enabled=true,false
-- conf spark.sql.autoBroadcastJoinThreshold=-1

-- statement
CREATE TABLE sales USING parquet PARTITIONED BY (dt, shop) AS
SELECT /*+ REPARTITION(3) */ id AS user_id, id % 5 AS item, named_struct('x', id, 'y', id * 2) AS st,
       if(id % 4 = 3, NULL, CAST(id % 4 AS INT)) AS dt, concat('s', id % 2) AS shop
FROM range(200)

-- statement
CREATE TABLE visits USING parquet PARTITIONED BY (day) AS
SELECT /*+ REPARTITION(2) */ id % 50 AS user_id, CAST(1 + id % 3 AS INT) AS day FROM range(90)

-- query equals
SELECT dt, count(*) AS n, sum(item) AS items FROM sales ASSUME PARTITIONED BY (dt) GROUP BY dt
-- to
SELECT dt, count(*) AS n, sum(item) AS items FROM sales GROUP BY dt

-- query equals
SELECT item, dt, count(*) AS n FROM sales AS s ASSUME PARTITIONED BY (s.dt, s.item) WHERE user_id > 20 GROUP BY dt, item
-- to
SELECT item, dt, count(*) AS n FROM sales AS s WHERE user_id > 20 GROUP BY dt, item

-- query equals
-- a name that the claim does not know, and a claim on two columns
SELECT d AS e, count(*) AS n FROM (SELECT dt AS d, shop FROM sales ASSUME PARTITIONED BY (dt, shop)) GROUP BY d, shop
-- to
SELECT dt AS e, count(*) AS n FROM sales GROUP BY dt, shop

-- query equals
SELECT DISTINCT shop, item FROM sales ASSUME PARTITIONED BY (shop)
-- to
SELECT DISTINCT shop, item FROM sales

-- query equals
SELECT dt, count(DISTINCT item) AS n, count(DISTINCT shop) AS m FROM sales ASSUME PARTITIONED BY (dt) GROUP BY dt
-- to
SELECT dt, count(DISTINCT item) AS n, count(DISTINCT shop) AS m FROM sales GROUP BY dt

-- query equals
SELECT dt, count(DISTINCT item) AS n FROM sales ASSUME PARTITIONED BY (dt) GROUP BY dt
-- to
SELECT dt, count(DISTINCT item) AS n FROM sales GROUP BY dt

-- query equals
SELECT user_id, dt, row_number() OVER (PARTITION BY dt ORDER BY user_id) AS r,
       sum(item) OVER (PARTITION BY dt, shop ORDER BY user_id) AS s
FROM sales ASSUME PARTITIONED BY (dt)
-- to
SELECT user_id, dt, row_number() OVER (PARTITION BY dt ORDER BY user_id) AS r,
       sum(item) OVER (PARTITION BY dt, shop ORDER BY user_id) AS s
FROM sales

-- query equals since 4.2
SELECT dt, max(r) AS r FROM (
  SELECT dt, row_number() OVER (PARTITION BY dt ORDER BY user_id) AS r FROM sales ASSUME PARTITIONED BY (dt)
  QUALIFY r <= 7) GROUP BY dt
-- to
SELECT dt, 7 AS r FROM sales GROUP BY dt

-- query equals
SELECT dt, item, grouping_id() AS g, count(*) AS n FROM sales ASSUME PARTITIONED BY (dt) GROUP BY ROLLUP (dt, item)
-- to
SELECT dt, item, grouping_id() AS g, count(*) AS n FROM sales GROUP BY ROLLUP (dt, item)

-- query equals
SELECT item, count(*) AS n FROM sales ASSUME PARTITIONED BY (dt) GROUP BY item
-- to
SELECT item, count(*) AS n FROM sales GROUP BY item

-- query equals
-- the whole and a part of the keys of a claim
SELECT shop, count(*) AS n, (SELECT count(*) FROM sales ASSUME PARTITIONED BY (dt)) AS every
FROM sales ASSUME PARTITIONED BY (dt, shop) GROUP BY shop
-- to
SELECT shop, count(*) AS n, (SELECT count(*) FROM sales) AS every FROM sales GROUP BY shop

-- query equals
SELECT dt, sum(st.y) AS y, count(st.x) AS x FROM sales ASSUME PARTITIONED BY (dt, st.x) GROUP BY dt
-- to
SELECT dt, sum(st.y) AS y, count(st.x) AS x FROM sales GROUP BY dt

-- query equals
-- sides with different values, and a column that is no key
SELECT s.dt, s.item, count(*) AS n
FROM sales s ASSUME PARTITIONED BY (dt) FULL JOIN visits v ASSUME PARTITIONED BY (day)
  ON s.dt = v.day AND s.user_id = v.user_id
GROUP BY s.dt, s.item
-- to
SELECT s.dt, s.item, count(*) AS n
FROM sales s FULL JOIN visits v ON s.dt = v.day AND s.user_id = v.user_id
GROUP BY s.dt, s.item

-- query equals
SELECT s.dt, v.day, count(*) AS n
FROM sales s ASSUME PARTITIONED BY (dt) FULL JOIN visits v ASSUME PARTITIONED BY (day) ON s.dt = v.day
GROUP BY s.dt, v.day
-- to
SELECT s.dt, v.day, count(*) AS n FROM sales s FULL JOIN visits v ON s.dt = v.day GROUP BY s.dt, v.day

-- query equals
-- a side that nothing is claimed of
SELECT v.day, count(*) AS n FROM sales ASSUME PARTITIONED BY (dt) JOIN visits v ON dt = day GROUP BY v.day
-- to
SELECT v.day, count(*) AS n FROM sales JOIN visits v ON dt = day GROUP BY v.day

-- query equals
SELECT a.user_id, count(*) AS n
FROM sales a ASSUME PARTITIONED BY (dt) JOIN sales b ASSUME PARTITIONED BY (dt) ON a.dt = b.dt AND a.user_id < b.user_id
GROUP BY a.user_id
-- to
SELECT a.user_id, count(*) AS n
FROM sales a JOIN sales b ON a.dt = b.dt AND a.user_id < b.user_id
GROUP BY a.user_id

-- query equals
SELECT dt, count(*) AS n FROM sales ASSUME PARTITIONED BY (dt)
WHERE dt NOT IN (SELECT day FROM visits ASSUME PARTITIONED BY (day) WHERE day > 1) GROUP BY dt
-- to
SELECT dt, count(*) AS n FROM sales WHERE dt NOT IN (SELECT day FROM visits WHERE day > 1) GROUP BY dt

-- query equals
COGROUP sales ASSUME PARTITIONED BY (dt) WHERE item > 1 BY dt,
        visits ASSUME PARTITIONED BY (day) BY day,
        (SELECT * FROM sales) AS again ASSUME PARTITIONED BY (dt) BY dt
AGGREGATE sum(sales.item) AS items, count(visits.*) AS visits, max(again.st.x) AS x, count(*) AS n
-- to
COGROUP sales WHERE item > 1 BY dt, visits BY day, (SELECT * FROM sales) AS again BY dt
AGGREGATE sum(sales.item) AS items, count(visits.*) AS visits, max(again.st.x) AS x, count(*) AS n

-- query equals
SELECT dt, count(*) AS n FROM (
  SELECT dt FROM sales ASSUME PARTITIONED BY (dt) UNION ALL SELECT day FROM visits ASSUME PARTITIONED BY (day)
  UNION ALL SELECT day FROM visits) GROUP BY dt
-- to
SELECT dt, count(*) AS n FROM (
  SELECT dt FROM sales UNION ALL SELECT day FROM visits UNION ALL SELECT day FROM visits) GROUP BY dt

-- query equals
SELECT dt FROM sales ASSUME PARTITIONED BY (dt) EXCEPT SELECT day FROM visits ASSUME PARTITIONED BY (day)
-- to
SELECT dt FROM sales EXCEPT SELECT day FROM visits

-- query
-- nothing is left after pruning
SELECT count(*) AS n, sum(m) AS m FROM (
  SELECT dt, count(*) AS m FROM sales ASSUME PARTITIONED BY (dt) WHERE dt = 17 GROUP BY dt)
-- result
0	NULL

-- query
SELECT s.dt, v.day, count(*) AS n
FROM (SELECT * FROM sales ASSUME PARTITIONED BY (dt) WHERE dt = 17) s
RIGHT JOIN visits v ASSUME PARTITIONED BY (day) ON s.dt = v.day GROUP BY s.dt, v.day
-- result
NULL	1	30
NULL	2	30
NULL	3	30

-- statement
CACHE TABLE remembered AS SELECT dt, item FROM sales ASSUME PARTITIONED BY (dt)

-- query equals
SELECT dt, count(*) AS n FROM remembered GROUP BY dt
-- to
SELECT dt, count(*) AS n FROM sales GROUP BY dt

-- statement
UNCACHE TABLE remembered

-- query equals
-- with dynamic partition pruning
SELECT /*+ BROADCAST(v) */ s.dt, count(*) AS n FROM sales s ASSUME PARTITIONED BY (dt) JOIN visits v ON s.dt = v.day
WHERE v.user_id = 3 GROUP BY s.dt
-- to
SELECT s.dt, count(*) AS n FROM sales s JOIN visits v ON s.dt = v.day WHERE v.user_id = 3 GROUP BY s.dt

-- statement
SET spark.sql.requireAllClusterKeysForCoPartition = false

-- query equals
SELECT s.dt, v.day, s.user_id, count(*) AS n
FROM sales s ASSUME PARTITIONED BY (dt) FULL JOIN visits v ASSUME PARTITIONED BY (day)
  ON s.dt = v.day AND s.user_id = v.user_id
GROUP BY s.dt, v.day, s.user_id
-- to
SELECT s.dt, v.day, s.user_id, count(*) AS n
FROM sales s FULL JOIN visits v ON s.dt = v.day AND s.user_id = v.user_id GROUP BY s.dt, v.day, s.user_id

-- statement
SET spark.sql.sources.v2.bucketing.shuffle.enabled = true

-- query equals
SELECT v.day, s.user_id, count(*) AS n
FROM sales s ASSUME PARTITIONED BY (dt) JOIN visits v ON s.dt = v.day GROUP BY v.day, s.user_id
-- to
SELECT v.day, s.user_id, count(*) AS n FROM sales s JOIN visits v ON s.dt = v.day GROUP BY v.day, s.user_id

-- statement
SET spark.sql.sources.v2.bucketing.allowKeysSubsetOfPartitionKeys.enabled = true

-- statement
SET spark.sql.sources.v2.bucketing.partiallyClusteredDistribution.enabled = true

-- statement
SET spark.sql.sources.v2.bucketing.partition.filter.enabled = true

-- statement
SET spark.sql.sources.v2.bucketing.sorting.enabled = true

-- statement
SET spark.sql.sources.v2.bucketing.partitionKeyOrdering.enabled = true

-- query equals
SELECT dt, user_id, sum(item) OVER (PARTITION BY dt ORDER BY user_id, item) AS s
FROM sales ASSUME PARTITIONED BY (dt, shop) ORDER BY dt, user_id
-- to
SELECT dt, user_id, sum(item) OVER (PARTITION BY dt ORDER BY user_id, item) AS s FROM sales ORDER BY dt, user_id

-- query equals
SELECT s.dt, v.day, count(*) AS n
FROM sales s ASSUME PARTITIONED BY (dt, shop) FULL JOIN visits v ASSUME PARTITIONED BY (day) ON s.dt = v.day
GROUP BY s.dt, v.day
-- to
SELECT s.dt, v.day, count(*) AS n FROM sales s FULL JOIN visits v ON s.dt = v.day GROUP BY s.dt, v.day

-- query equals
SELECT shop, count(*) AS n FROM sales ASSUME PARTITIONED BY (dt, shop) GROUP BY shop
-- to
SELECT shop, count(*) AS n FROM sales GROUP BY shop

-- query equals
SELECT a.dt, count(*) AS n
FROM sales a ASSUME PARTITIONED BY (dt, shop) JOIN sales b ASSUME PARTITIONED BY (shop, dt) ON a.dt = b.dt GROUP BY a.dt
-- to
SELECT a.dt, count(*) AS n FROM sales a JOIN sales b ON a.dt = b.dt GROUP BY a.dt

-- statement
CREATE TABLE takings (n INT, shop CHAR(3)) USING parquet PARTITIONED BY (shop)

-- statement
CREATE TABLE footfall (n INT, shop CHAR(5)) USING parquet PARTITIONED BY (shop)

-- statement
INSERT INTO takings VALUES (1, 'AB'), (2, 'CD'), (4, 'GH')

-- statement
INSERT INTO footfall VALUES (1, 'AB'), (2, 'EF'), (7, 'GH')

-- query
EXPLAIN CLAUSES SELECT shop, sum(n) FROM takings ASSUME PARTITIONED BY (shop) GROUP BY shop
-- result
ASSUME	spark_catalog.default.takings (shop)	USED	NULL	{"keys":"shop","relation":"spark_catalog.default.takings","proof":"checked","units":3,"outcome":"USED","exchange":"shop","exchange_avoided":true,"operator":"HashAggregate","reason":null,"verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (shop) for HashAggregate	SAVED	spark_catalog.default.takings is partitioned by (shop)	{"kind":"SHUFFLE","keys":"shop","operator":"HashAggregate","outcome":"SAVED","reason":"spark_catalog.default.takings is partitioned by (shop)","saved_by":"ASSUME","partitions":null,"rows":null,"bytes":null}

-- query equals
-- Spark joins CHAR of different length by padded keys, which are not those of the claims
SELECT t.shop AS t, f.shop AS f, t.n AS tn, f.n AS fn
FROM takings AS t ASSUME PARTITIONED BY (shop) LAYOUT shops
FULL JOIN footfall AS f ASSUME PARTITIONED BY (shop) LAYOUT shops ON t.shop = f.shop
-- to
SELECT t.shop AS t, f.shop AS f, t.n AS tn, f.n AS fn FROM takings AS t FULL JOIN footfall AS f ON t.shop = f.shop

-- query equals
COGROUP takings AS t ASSUME PARTITIONED BY (shop) LAYOUT shops BY shop,
        footfall AS f ASSUME PARTITIONED BY (shop) LAYOUT shops BY shop AGGREGATE sum(t.n) AS t, sum(f.n) AS f
-- to
COGROUP takings AS t BY shop, footfall AS f BY shop AGGREGATE sum(t.n) AS t, sum(f.n) AS f
