-- What becomes of a claim, as rows: keys, relation, proof, units, outcome, exchange, operator, reason, verdict.
-- conf spark.sql.adaptive.enabled=true,false
-- conf spark.sql.autoBroadcastJoinThreshold=-1

-- statement
CREATE TABLE sales USING parquet PARTITIONED BY (dt, shop) AS
SELECT id AS user_id, id % 5 AS item, CAST(id % 3 AS INT) AS dt, id % 2 AS shop FROM range(60)

-- statement
CREATE TABLE visits USING parquet PARTITIONED BY (day) AS SELECT id AS user_id, CAST(id % 4 AS INT) AS day FROM range(40)

-- statement
CREATE TABLE buckets USING parquet CLUSTERED BY (k) INTO 2 BUCKETS AS SELECT id AS k FROM range(10)

-- query
EXPLAIN ASSUMPTIONS SELECT dt, count(*) FROM sales ASSUME PARTITIONED BY (dt) GROUP BY dt
-- result
dt	spark_catalog.default.sales	structural	3	USED	dt	true	HashAggregate	NULL	NULL

-- query
EXPLAIN ASSUMPTIONS SELECT dt, item, count(*) FROM sales ASSUME PARTITIONED BY (dt, shop) GROUP BY dt, shop, item
-- result
dt, shop	spark_catalog.default.sales	structural	6	USED	dt, shop, item	true	HashAggregate	NULL	NULL

-- query
EXPLAIN ASSUMPTIONS SELECT dt, row_number() OVER (PARTITION BY dt ORDER BY user_id) FROM sales ASSUME PARTITIONED BY (dt)
-- result
dt	spark_catalog.default.sales	structural	3	USED	dt	true	Window	NULL	NULL

-- query
EXPLAIN ASSUMPTIONS SELECT dt, user_id FROM sales ASSUME PARTITIONED BY (dt) ORDER BY dt DESC, user_id
-- result
dt	spark_catalog.default.sales	structural	3	NOT_USED	range(dt, user_id)	false	Sort	all rows are sorted	NULL

-- query
EXPLAIN ASSUMPTIONS SELECT DISTINCT dt, item FROM sales ASSUME PARTITIONED BY (dt)
-- result
dt	spark_catalog.default.sales	structural	3	USED	dt, item	true	HashAggregate	NULL	NULL

-- query
EXPLAIN ASSUMPTIONS SELECT dt, count(DISTINCT item) FROM sales ASSUME PARTITIONED BY (dt) GROUP BY dt
-- result
dt	spark_catalog.default.sales	structural	3	USED	dt	true	HashAggregate	NULL	NULL
dt	spark_catalog.default.sales	structural	3	USED	dt, item	true	HashAggregate	NULL	NULL

-- query since 4.2
EXPLAIN ASSUMPTIONS SELECT dt, day FROM sales ASSUME PARTITIONED BY (dt) JOIN visits ASSUME PARTITIONED BY (day) ON dt = day
-- result
day	spark_catalog.default.visits	structural	4	USED	day	true	SortMergeJoin	NULL	NULL
dt	spark_catalog.default.sales	structural	3	USED	dt	true	SortMergeJoin	NULL	NULL

-- query since 4.3
EXPLAIN ASSUMPTIONS COGROUP sales ASSUME PARTITIONED BY (dt) BY dt, visits ASSUME PARTITIONED BY (day) BY day AGGREGATE count(*)
-- result
day	spark_catalog.default.visits	structural	4	USED	dt	true	HashAggregate	NULL	NULL
dt	spark_catalog.default.sales	structural	3	USED	dt	true	HashAggregate	NULL	NULL

-- query
EXPLAIN ASSUMPTIONS SELECT item, count(*) FROM sales ASSUME PARTITIONED BY (dt) GROUP BY item
-- result
dt	spark_catalog.default.sales	structural	3	NOT_USED	item	false	HashAggregate	(item) does not contain (dt)	NULL

-- query
EXPLAIN ASSUMPTIONS SELECT count(*) FROM sales ASSUME PARTITIONED BY (dt)
-- result
dt	spark_catalog.default.sales	structural	3	NOT_USED	single	false	HashAggregate	all rows are needed in one task	NULL

-- query
EXPLAIN ASSUMPTIONS SELECT shop, max(dt) FROM sales ASSUME PARTITIONED BY (dt) GROUP BY shop
-- result
dt	spark_catalog.default.sales	structural	3	NOT_USED	shop	false	HashAggregate	(shop) does not contain (dt)	NULL

-- query
EXPLAIN ASSUMPTIONS SELECT dt FROM sales ASSUME PARTITIONED BY (dt) WHERE item > 2
-- result
dt	spark_catalog.default.sales	structural	3	NOT_NEEDED	NULL	NULL	NULL	no operator above needs rows of a key together	NULL

-- query
EXPLAIN ASSUMPTIONS SELECT dt, user_id FROM sales ASSUME PARTITIONED BY (dt) JOIN visits USING (user_id)
-- result
dt	spark_catalog.default.sales	structural	3	NOT_USED	user_id	false	SortMergeJoin	(user_id) does not contain (dt)	NULL

-- query
EXPLAIN ASSUMPTIONS SELECT dt FROM sales ASSUME PARTITIONED BY (dt) JOIN visits ON dt = day
-- result
dt	spark_catalog.default.sales	structural	3	NOT_USED	dt	false	SortMergeJoin	the sides of the join are not partitioned alike	NULL

-- query
EXPLAIN ASSUMPTIONS SELECT dt, count(*) FROM (
  SELECT dt FROM sales ASSUME PARTITIONED BY (dt) UNION ALL SELECT day FROM visits) GROUP BY dt
-- result
dt	spark_catalog.default.sales	structural	3	NOT_USED	dt	false	HashAggregate	the claim on (dt) ends at Union, whose branches are not all partitioned so	NULL

-- query
EXPLAIN ASSUMPTIONS SELECT k, count(*) FROM buckets ASSUME PARTITIONED BY (k) GROUP BY k
-- result
k	spark_catalog.default.buckets	none	NULL	DROPPED	NULL	NULL	NULL	not needed, the table is bucketed by its keys	NULL

-- query
EXPLAIN ASSUMPTIONS SELECT k, count(*) FROM VALUES (1), (2) AS v(k) ASSUME PARTITIONED BY (k) GROUP BY k
-- result
k	LocalTableScan	none	NULL	DROPPED	NULL	NULL	NULL	LocalTableScan reads no files of a table	NULL

-- query
EXPLAIN ASSUMPTIONS SELECT k, count(*) FROM (SELECT DISTINCT dt AS k FROM sales) AS s ASSUME PARTITIONED BY (k) GROUP BY k
-- result
k	HashAggregate	none	NULL	DROPPED	NULL	NULL	NULL	it cannot be checked above HashAggregate, only be NOT ENFORCED	NULL

-- query
EXPLAIN ASSUMPTIONS SELECT k, count(*) FROM (SELECT dt AS k FROM sales ASSUME PARTITIONED BY (dt)) AS s ASSUME PARTITIONED BY (k) GROUP BY k
-- result
dt	spark_catalog.default.sales	structural	3	USED	k	true	HashAggregate	NULL	NULL
k	AssumePartitionedBy	none	NULL	DROPPED	NULL	NULL	NULL	the relation carries another claim	NULL

-- query
-- a claim in a subquery
EXPLAIN ASSUMPTIONS SELECT (SELECT max(n) FROM (
  SELECT count(*) AS n FROM sales ASSUME PARTITIONED BY (dt) GROUP BY dt)) AS top
-- result
dt	spark_catalog.default.sales	structural	3	USED	dt	true	HashAggregate	NULL	NULL
dt	spark_catalog.default.sales	structural	3	NOT_USED	single	false	HashAggregate	all rows are needed in one task	NULL

-- query
EXPLAIN ASSUMPTIONS SELECT dt FROM sales GROUP BY dt
-- result

-- statement
CREATE TABLE files USING parquet AS SELECT /*+ REPARTITION(4, k) */ id % 20 AS k, id AS v, named_struct('x', id % 20) AS st FROM range(100)

-- query
EXPLAIN ASSUMPTIONS SELECT k, count(*) FROM files ASSUME PARTITIONED BY (k) GROUP BY k
-- result
k	spark_catalog.default.files	checked	4	USED	k	true	HashAggregate	NULL	NULL

-- query
EXPLAIN ASSUMPTIONS SELECT st.x % 7, count(*) FROM files ASSUME PARTITIONED BY (st.x) GROUP BY st.x, v
-- result
st.x	spark_catalog.default.files	checked	4	USED	st.x	true	HashAggregate	NULL	NULL

-- query
EXPLAIN ASSUMPTIONS SELECT DISTINCT abs(k) FROM files ASSUME PARTITIONED BY (abs(k)) ENFORCED SAMPLE ON VIOLATION FAIL
-- result
abs(k)	spark_catalog.default.files	sampled	4	USED	abs(k)	true	HashAggregate	NULL	NULL

-- query
EXPLAIN ASSUMPTIONS SELECT k, count(*) FROM files ASSUME PARTITIONED BY (k) NOT ENFORCED GROUP BY k, v
-- result
k	spark_catalog.default.files	trusted	4	USED	k, v	true	HashAggregate	NULL	NULL

-- query
-- a claim that does not help is not checked either, and regroups nothing
EXPLAIN ASSUMPTIONS SELECT v, count(*) FROM files ASSUME PARTITIONED BY (k) GROUP BY v
-- result
k	spark_catalog.default.files	checked	4	NOT_USED	v	false	HashAggregate	(v) does not contain (k)	NULL

-- query
EXPLAIN ASSUMPTIONS SELECT a.k FROM files a ASSUME PARTITIONED BY (k) JOIN (SELECT k FROM files WHERE v > 1) b ASSUME PARTITIONED BY (k) USING (k)
-- result
k	spark_catalog.default.files	checked	4	NOT_USED	k	false	SortMergeJoin	the sides of the join are not partitioned alike	NULL
k	spark_catalog.default.files	checked	4	NOT_USED	k	false	SortMergeJoin	the sides of the join are not partitioned alike	NULL

-- query
EXPLAIN ASSUMPTIONS SELECT k, count(*) FROM (
  SELECT k FROM files ASSUME PARTITIONED BY (k) UNION ALL SELECT k FROM files ASSUME PARTITIONED BY (k)) GROUP BY k
-- result
k	spark_catalog.default.files	checked	4	NOT_USED	k	false	HashAggregate	the claim on (k) ends at Union, whose branches are not all partitioned so	NULL
k	spark_catalog.default.files	checked	4	NOT_USED	k	false	HashAggregate	the claim on (k) ends at Union, whose branches are not all partitioned so	NULL

-- statement
SET spark.sql.requireAllClusterKeysForDistribution = true

-- query
EXPLAIN ASSUMPTIONS SELECT dt, item FROM sales ASSUME PARTITIONED BY (dt) GROUP BY dt, item
-- result
dt	spark_catalog.default.sales	structural	3	NOT_USED	dt, item	false	HashAggregate	Spark needs another partitioning than by (dt)	NULL

-- query
EXPLAIN ASSUMPTIONS SELECT dt FROM sales ASSUME PARTITIONED BY (dt) GROUP BY dt
-- result
dt	spark_catalog.default.sales	structural	3	USED	dt	true	HashAggregate	NULL	NULL

-- statement
SET spark.eddyline.assume.strict = true

-- query error(EDDYLINE_ASSUME.NOT_USED, 0A000)
  SELECT dt FROM sales ASSUME PARTITIONED BY (dt)
--                     ^^^^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_ASSUME.NOT_USED, 0A000)
  SELECT item, count(*) FROM sales ASSUME PARTITIONED BY (dt) GROUP BY item
--                                 ^^^^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_ASSUME.NOT_USED, 0A000)
  SELECT k, count(*) FROM buckets ASSUME PARTITIONED BY (k) GROUP BY k
--                                ^^^^^^^^^^^^^^^^^^^^^

-- query
SELECT dt, count(*) FROM sales ASSUME PARTITIONED BY (dt) GROUP BY dt
-- result
0	20
1	20
2	20
