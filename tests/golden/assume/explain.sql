-- What becomes of a claim, as rows of EXPLAIN CLAUSES.
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
EXPLAIN CLAUSES SELECT dt, count(*) FROM sales ASSUME PARTITIONED BY (dt) GROUP BY dt
-- result
ASSUME	spark_catalog.default.sales (dt)	USED	NULL	{"keys":"dt","relation":"spark_catalog.default.sales","proof":"structural","units":3,"outcome":"USED","exchange":"dt","exchange_avoided":true,"operator":"HashAggregate","reason":null,"verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (dt) for HashAggregate	SAVED	spark_catalog.default.sales is partitioned by (dt)	{"kind":"SHUFFLE","keys":"dt","operator":"HashAggregate","outcome":"SAVED","reason":"spark_catalog.default.sales is partitioned by (dt)","saved_by":"ASSUME","partitions":null,"rows":null,"bytes":null}

-- query
EXPLAIN CLAUSES SELECT dt, item, count(*) FROM sales ASSUME PARTITIONED BY (dt, shop) GROUP BY dt, shop, item
-- result
ASSUME	spark_catalog.default.sales (dt, shop)	USED	NULL	{"keys":"dt, shop","relation":"spark_catalog.default.sales","proof":"structural","units":6,"outcome":"USED","exchange":"dt, shop, item","exchange_avoided":true,"operator":"HashAggregate","reason":null,"verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (dt, shop, item) for HashAggregate	SAVED	spark_catalog.default.sales is partitioned by (dt, shop)	{"kind":"SHUFFLE","keys":"dt, shop, item","operator":"HashAggregate","outcome":"SAVED","reason":"spark_catalog.default.sales is partitioned by (dt, shop)","saved_by":"ASSUME","partitions":null,"rows":null,"bytes":null}

-- query
EXPLAIN CLAUSES SELECT dt, row_number() OVER (PARTITION BY dt ORDER BY user_id) FROM sales ASSUME PARTITIONED BY (dt)
-- result
ASSUME	spark_catalog.default.sales (dt)	USED	NULL	{"keys":"dt","relation":"spark_catalog.default.sales","proof":"structural","units":3,"outcome":"USED","exchange":"dt","exchange_avoided":true,"operator":"Window","reason":null,"verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (dt) for Window	SAVED	spark_catalog.default.sales is partitioned by (dt)	{"kind":"SHUFFLE","keys":"dt","operator":"Window","outcome":"SAVED","reason":"spark_catalog.default.sales is partitioned by (dt)","saved_by":"ASSUME","partitions":null,"rows":null,"bytes":null}

-- query
EXPLAIN CLAUSES SELECT dt, user_id FROM sales ASSUME PARTITIONED BY (dt) ORDER BY dt DESC, user_id
-- result
ASSUME	spark_catalog.default.sales (dt)	NOT_USED	all rows are sorted	{"keys":"dt","relation":"spark_catalog.default.sales","proof":"structural","units":3,"outcome":"NOT_USED","exchange":"range(dt, user_id)","exchange_avoided":false,"operator":"Sort","reason":"all rows are sorted","verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (range(dt, user_id)) for Sort	KEPT	all rows are sorted	{"kind":"SHUFFLE","keys":"range(dt, user_id)","operator":"Sort","outcome":"KEPT","reason":"all rows are sorted","saved_by":null,"partitions":2,"rows":null,"bytes":null}

-- query
EXPLAIN CLAUSES SELECT DISTINCT dt, item FROM sales ASSUME PARTITIONED BY (dt)
-- result
ASSUME	spark_catalog.default.sales (dt)	USED	NULL	{"keys":"dt","relation":"spark_catalog.default.sales","proof":"structural","units":3,"outcome":"USED","exchange":"dt, item","exchange_avoided":true,"operator":"HashAggregate","reason":null,"verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (dt, item) for HashAggregate	SAVED	spark_catalog.default.sales is partitioned by (dt)	{"kind":"SHUFFLE","keys":"dt, item","operator":"HashAggregate","outcome":"SAVED","reason":"spark_catalog.default.sales is partitioned by (dt)","saved_by":"ASSUME","partitions":null,"rows":null,"bytes":null}

-- query
EXPLAIN CLAUSES SELECT dt, count(DISTINCT item) FROM sales ASSUME PARTITIONED BY (dt) GROUP BY dt
-- result
ASSUME	spark_catalog.default.sales (dt)	USED	NULL	{"keys":"dt","relation":"spark_catalog.default.sales","proof":"structural","units":3,"outcome":"USED","exchange":"dt, item","exchange_avoided":true,"operator":"HashAggregate","reason":null,"verdict":null,"check_ms":null}
ASSUME	spark_catalog.default.sales (dt)	USED	NULL	{"keys":"dt","relation":"spark_catalog.default.sales","proof":"structural","units":3,"outcome":"USED","exchange":"dt","exchange_avoided":true,"operator":"HashAggregate","reason":null,"verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (dt, item) for HashAggregate	SAVED	spark_catalog.default.sales is partitioned by (dt)	{"kind":"SHUFFLE","keys":"dt, item","operator":"HashAggregate","outcome":"SAVED","reason":"spark_catalog.default.sales is partitioned by (dt)","saved_by":"ASSUME","partitions":null,"rows":null,"bytes":null}
EXCHANGE	SHUFFLE (dt) for HashAggregate	SAVED	spark_catalog.default.sales is partitioned by (dt)	{"kind":"SHUFFLE","keys":"dt","operator":"HashAggregate","outcome":"SAVED","reason":"spark_catalog.default.sales is partitioned by (dt)","saved_by":"ASSUME","partitions":null,"rows":null,"bytes":null}

-- query since 4.2
EXPLAIN CLAUSES SELECT dt, day FROM sales ASSUME PARTITIONED BY (dt) JOIN visits ASSUME PARTITIONED BY (day) ON dt = day
-- result
ASSUME	spark_catalog.default.sales (dt)	USED	NULL	{"keys":"dt","relation":"spark_catalog.default.sales","proof":"structural","units":3,"outcome":"USED","exchange":"dt","exchange_avoided":true,"operator":"SortMergeJoin","reason":null,"verdict":null,"check_ms":null}
ASSUME	spark_catalog.default.visits (day)	USED	NULL	{"keys":"day","relation":"spark_catalog.default.visits","proof":"structural","units":4,"outcome":"USED","exchange":"day","exchange_avoided":true,"operator":"SortMergeJoin","reason":null,"verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (dt) for SortMergeJoin	SAVED	spark_catalog.default.sales is partitioned by (dt)	{"kind":"SHUFFLE","keys":"dt","operator":"SortMergeJoin","outcome":"SAVED","reason":"spark_catalog.default.sales is partitioned by (dt)","saved_by":"ASSUME","partitions":null,"rows":null,"bytes":null}
EXCHANGE	SHUFFLE (day) for SortMergeJoin	SAVED	spark_catalog.default.visits is partitioned by (day)	{"kind":"SHUFFLE","keys":"day","operator":"SortMergeJoin","outcome":"SAVED","reason":"spark_catalog.default.visits is partitioned by (day)","saved_by":"ASSUME","partitions":null,"rows":null,"bytes":null}

-- query since 4.3
EXPLAIN CLAUSES COGROUP sales ASSUME PARTITIONED BY (dt) BY dt, visits ASSUME PARTITIONED BY (day) BY day AGGREGATE count(*)
-- result
ASSUME	spark_catalog.default.sales (dt)	USED	NULL	{"keys":"dt","relation":"spark_catalog.default.sales","proof":"structural","units":3,"outcome":"USED","exchange":"dt","exchange_avoided":true,"operator":"HashAggregate","reason":null,"verdict":null,"check_ms":null}
ASSUME	spark_catalog.default.visits (day)	USED	NULL	{"keys":"day","relation":"spark_catalog.default.visits","proof":"structural","units":4,"outcome":"USED","exchange":"dt","exchange_avoided":true,"operator":"HashAggregate","reason":null,"verdict":null,"check_ms":null}
COGROUP	sales, visits	ONE_SHUFFLE	no aggregate is DISTINCT or collects rows into an object	{"branches":["sales BY dt","visits BY day"],"keys":"dt","outcome":"ONE_SHUFFLE","reason":"no aggregate is DISTINCT or collects rows into an object"}
EXCHANGE	SHUFFLE (dt) for HashAggregate	SAVED	spark_catalog.default.sales is partitioned by (dt), spark_catalog.default.visits is partitioned by (day)	{"kind":"SHUFFLE","keys":"dt","operator":"HashAggregate","outcome":"SAVED","reason":"spark_catalog.default.sales is partitioned by (dt), spark_catalog.default.visits is partitioned by (day)","saved_by":"ASSUME","partitions":null,"rows":null,"bytes":null}

-- query
EXPLAIN CLAUSES SELECT item, count(*) FROM sales ASSUME PARTITIONED BY (dt) GROUP BY item
-- result
ASSUME	spark_catalog.default.sales (dt)	NOT_USED	(item) does not contain (dt)	{"keys":"dt","relation":"spark_catalog.default.sales","proof":"structural","units":3,"outcome":"NOT_USED","exchange":"item","exchange_avoided":false,"operator":"HashAggregate","reason":"(item) does not contain (dt)","verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (item) for HashAggregate	KEPT	(item) does not contain (dt)	{"kind":"SHUFFLE","keys":"item","operator":"HashAggregate","outcome":"KEPT","reason":"(item) does not contain (dt)","saved_by":null,"partitions":2,"rows":null,"bytes":null}

-- query
EXPLAIN CLAUSES SELECT count(*) FROM sales ASSUME PARTITIONED BY (dt)
-- result
ASSUME	spark_catalog.default.sales (dt)	NOT_USED	all rows are needed in one task	{"keys":"dt","relation":"spark_catalog.default.sales","proof":"structural","units":3,"outcome":"NOT_USED","exchange":"single","exchange_avoided":false,"operator":"HashAggregate","reason":"all rows are needed in one task","verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (single) for HashAggregate	KEPT	all rows are needed in one task	{"kind":"SHUFFLE","keys":"single","operator":"HashAggregate","outcome":"KEPT","reason":"all rows are needed in one task","saved_by":null,"partitions":1,"rows":null,"bytes":null}

-- query
EXPLAIN CLAUSES SELECT shop, max(dt) FROM sales ASSUME PARTITIONED BY (dt) GROUP BY shop
-- result
ASSUME	spark_catalog.default.sales (dt)	NOT_USED	(shop) does not contain (dt)	{"keys":"dt","relation":"spark_catalog.default.sales","proof":"structural","units":3,"outcome":"NOT_USED","exchange":"shop","exchange_avoided":false,"operator":"HashAggregate","reason":"(shop) does not contain (dt)","verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (shop) for HashAggregate	KEPT	(shop) does not contain (dt)	{"kind":"SHUFFLE","keys":"shop","operator":"HashAggregate","outcome":"KEPT","reason":"(shop) does not contain (dt)","saved_by":null,"partitions":2,"rows":null,"bytes":null}

-- query
EXPLAIN CLAUSES SELECT dt FROM sales ASSUME PARTITIONED BY (dt) WHERE item > 2
-- result
ASSUME	spark_catalog.default.sales (dt)	NOT_NEEDED	no operator above needs rows of a key together	{"keys":"dt","relation":"spark_catalog.default.sales","proof":"structural","units":3,"outcome":"NOT_NEEDED","exchange":null,"exchange_avoided":null,"operator":null,"reason":"no operator above needs rows of a key together","verdict":null,"check_ms":null}

-- query
EXPLAIN CLAUSES SELECT dt, user_id FROM sales ASSUME PARTITIONED BY (dt) JOIN visits USING (user_id)
-- result
ASSUME	spark_catalog.default.sales (dt)	NOT_USED	(user_id) does not contain (dt)	{"keys":"dt","relation":"spark_catalog.default.sales","proof":"structural","units":3,"outcome":"NOT_USED","exchange":"user_id","exchange_avoided":false,"operator":"SortMergeJoin","reason":"(user_id) does not contain (dt)","verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (user_id) for SortMergeJoin	KEPT	(user_id) does not contain (dt)	{"kind":"SHUFFLE","keys":"user_id","operator":"SortMergeJoin","outcome":"KEPT","reason":"(user_id) does not contain (dt)","saved_by":null,"partitions":2,"rows":null,"bytes":null}
EXCHANGE	SHUFFLE (user_id) for SortMergeJoin	KEPT	no claim says that the rows of a key lie together	{"kind":"SHUFFLE","keys":"user_id","operator":"SortMergeJoin","outcome":"KEPT","reason":"no claim says that the rows of a key lie together","saved_by":null,"partitions":2,"rows":null,"bytes":null}

-- query
EXPLAIN CLAUSES SELECT dt FROM sales ASSUME PARTITIONED BY (dt) JOIN visits ON dt = day
-- result
ASSUME	spark_catalog.default.sales (dt)	NOT_USED	the sides of the join are not partitioned alike	{"keys":"dt","relation":"spark_catalog.default.sales","proof":"structural","units":3,"outcome":"NOT_USED","exchange":"dt","exchange_avoided":false,"operator":"SortMergeJoin","reason":"the sides of the join are not partitioned alike","verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (dt) for SortMergeJoin	KEPT	the sides of the join are not partitioned alike	{"kind":"SHUFFLE","keys":"dt","operator":"SortMergeJoin","outcome":"KEPT","reason":"the sides of the join are not partitioned alike","saved_by":null,"partitions":2,"rows":null,"bytes":null}
EXCHANGE	SHUFFLE (day) for SortMergeJoin	KEPT	no claim says that the rows of a key lie together	{"kind":"SHUFFLE","keys":"day","operator":"SortMergeJoin","outcome":"KEPT","reason":"no claim says that the rows of a key lie together","saved_by":null,"partitions":2,"rows":null,"bytes":null}

-- query
EXPLAIN CLAUSES SELECT dt, count(*) FROM (
  SELECT dt FROM sales ASSUME PARTITIONED BY (dt) UNION ALL SELECT day FROM visits) GROUP BY dt
-- result
ASSUME	spark_catalog.default.sales (dt)	NOT_USED	the claim on (dt) ends at Union, whose branches are not all partitioned so	{"keys":"dt","relation":"spark_catalog.default.sales","proof":"structural","units":3,"outcome":"NOT_USED","exchange":"dt","exchange_avoided":false,"operator":"HashAggregate","reason":"the claim on (dt) ends at Union, whose branches are not all partitioned so","verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (dt) for HashAggregate	KEPT	the claim on (dt) ends at Union, whose branches are not all partitioned so	{"kind":"SHUFFLE","keys":"dt","operator":"HashAggregate","outcome":"KEPT","reason":"the claim on (dt) ends at Union, whose branches are not all partitioned so","saved_by":null,"partitions":2,"rows":null,"bytes":null}

-- query
EXPLAIN CLAUSES SELECT k, count(*) FROM buckets ASSUME PARTITIONED BY (k) GROUP BY k
-- result
ASSUME	spark_catalog.default.buckets (k)	DROPPED	not needed, the table is bucketed by its keys	{"keys":"k","relation":"spark_catalog.default.buckets","proof":"none","units":null,"outcome":"DROPPED","exchange":null,"exchange_avoided":null,"operator":null,"reason":"not needed, the table is bucketed by its keys","verdict":null,"check_ms":null}

-- query
EXPLAIN CLAUSES SELECT k, count(*) FROM VALUES (1), (2) AS v(k) ASSUME PARTITIONED BY (k) GROUP BY k
-- result
ASSUME	LocalTableScan (k)	DROPPED	LocalTableScan reads no files of a table	{"keys":"k","relation":"LocalTableScan","proof":"none","units":null,"outcome":"DROPPED","exchange":null,"exchange_avoided":null,"operator":null,"reason":"LocalTableScan reads no files of a table","verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (k) for HashAggregate	KEPT	the claim (k) was dropped: LocalTableScan reads no files of a table	{"kind":"SHUFFLE","keys":"k","operator":"HashAggregate","outcome":"KEPT","reason":"the claim (k) was dropped: LocalTableScan reads no files of a table","saved_by":null,"partitions":2,"rows":null,"bytes":null}

-- query
EXPLAIN CLAUSES SELECT k, count(*) FROM (SELECT DISTINCT dt AS k FROM sales) AS s ASSUME PARTITIONED BY (k) GROUP BY k
-- result
ASSUME	HashAggregate (k)	DROPPED	it cannot be checked above HashAggregate, only be NOT ENFORCED	{"keys":"k","relation":"HashAggregate","proof":"none","units":null,"outcome":"DROPPED","exchange":null,"exchange_avoided":null,"operator":null,"reason":"it cannot be checked above HashAggregate, only be NOT ENFORCED","verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (k) for HashAggregate	KEPT	no claim says that the rows of a key lie together	{"kind":"SHUFFLE","keys":"k","operator":"HashAggregate","outcome":"KEPT","reason":"no claim says that the rows of a key lie together","saved_by":null,"partitions":2,"rows":null,"bytes":null}

-- query
EXPLAIN CLAUSES SELECT k, count(*) FROM (SELECT dt AS k FROM sales ASSUME PARTITIONED BY (dt)) AS s ASSUME PARTITIONED BY (k) GROUP BY k
-- result
ASSUME	AssumePartitionedBy (k)	DROPPED	the relation carries another claim	{"keys":"k","relation":"AssumePartitionedBy","proof":"none","units":null,"outcome":"DROPPED","exchange":null,"exchange_avoided":null,"operator":null,"reason":"the relation carries another claim","verdict":null,"check_ms":null}
ASSUME	spark_catalog.default.sales (dt)	USED	NULL	{"keys":"dt","relation":"spark_catalog.default.sales","proof":"structural","units":3,"outcome":"USED","exchange":"k","exchange_avoided":true,"operator":"HashAggregate","reason":null,"verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (k) for HashAggregate	SAVED	spark_catalog.default.sales is partitioned by (dt)	{"kind":"SHUFFLE","keys":"k","operator":"HashAggregate","outcome":"SAVED","reason":"spark_catalog.default.sales is partitioned by (dt)","saved_by":"ASSUME","partitions":null,"rows":null,"bytes":null}

-- query
-- a claim in a subquery
EXPLAIN CLAUSES SELECT (SELECT max(n) FROM (
  SELECT count(*) AS n FROM sales ASSUME PARTITIONED BY (dt) GROUP BY dt)) AS top
-- result
ASSUME	spark_catalog.default.sales (dt)	USED	NULL	{"keys":"dt","relation":"spark_catalog.default.sales","proof":"structural","units":3,"outcome":"USED","exchange":"dt","exchange_avoided":true,"operator":"HashAggregate","reason":null,"verdict":null,"check_ms":null}
ASSUME	spark_catalog.default.sales (dt)	NOT_USED	all rows are needed in one task	{"keys":"dt","relation":"spark_catalog.default.sales","proof":"structural","units":3,"outcome":"NOT_USED","exchange":"single","exchange_avoided":false,"operator":"HashAggregate","reason":"all rows are needed in one task","verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (dt) for HashAggregate	SAVED	spark_catalog.default.sales is partitioned by (dt)	{"kind":"SHUFFLE","keys":"dt","operator":"HashAggregate","outcome":"SAVED","reason":"spark_catalog.default.sales is partitioned by (dt)","saved_by":"ASSUME","partitions":null,"rows":null,"bytes":null}
EXCHANGE	SHUFFLE (single) for HashAggregate	KEPT	all rows are needed in one task	{"kind":"SHUFFLE","keys":"single","operator":"HashAggregate","outcome":"KEPT","reason":"all rows are needed in one task","saved_by":null,"partitions":1,"rows":null,"bytes":null}

-- query
EXPLAIN CLAUSES SELECT dt FROM sales GROUP BY dt
-- result
EXCHANGE	SHUFFLE (dt) for HashAggregate	KEPT	no claim says that the rows of a key lie together	{"kind":"SHUFFLE","keys":"dt","operator":"HashAggregate","outcome":"KEPT","reason":"no claim says that the rows of a key lie together","saved_by":null,"partitions":2,"rows":null,"bytes":null}

-- statement
CREATE TABLE files USING parquet AS SELECT /*+ REPARTITION(4, k) */ id % 20 AS k, id AS v, named_struct('x', id % 20) AS st FROM range(100)

-- query
EXPLAIN CLAUSES SELECT k, count(*) FROM files ASSUME PARTITIONED BY (k) GROUP BY k
-- result
ASSUME	spark_catalog.default.files (k)	USED	NULL	{"keys":"k","relation":"spark_catalog.default.files","proof":"checked","units":4,"outcome":"USED","exchange":"k","exchange_avoided":true,"operator":"HashAggregate","reason":null,"verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (k) for HashAggregate	SAVED	spark_catalog.default.files is partitioned by (k)	{"kind":"SHUFFLE","keys":"k","operator":"HashAggregate","outcome":"SAVED","reason":"spark_catalog.default.files is partitioned by (k)","saved_by":"ASSUME","partitions":null,"rows":null,"bytes":null}

-- query
EXPLAIN CLAUSES SELECT st.x % 7, count(*) FROM files ASSUME PARTITIONED BY (st.x) GROUP BY st.x, v
-- result
ASSUME	spark_catalog.default.files (st.x)	USED	NULL	{"keys":"st.x","relation":"spark_catalog.default.files","proof":"checked","units":4,"outcome":"USED","exchange":"st.x","exchange_avoided":true,"operator":"HashAggregate","reason":null,"verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (st.x) for HashAggregate	SAVED	spark_catalog.default.files is partitioned by (st.x)	{"kind":"SHUFFLE","keys":"st.x","operator":"HashAggregate","outcome":"SAVED","reason":"spark_catalog.default.files is partitioned by (st.x)","saved_by":"ASSUME","partitions":null,"rows":null,"bytes":null}

-- query
EXPLAIN CLAUSES SELECT DISTINCT abs(k) FROM files ASSUME PARTITIONED BY (abs(k)) ENFORCED ON VIOLATION FAIL
-- result
ASSUME	spark_catalog.default.files (abs(k))	USED	NULL	{"keys":"abs(k)","relation":"spark_catalog.default.files","proof":"checked","units":4,"outcome":"USED","exchange":"abs(k)","exchange_avoided":true,"operator":"HashAggregate","reason":null,"verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (abs(k)) for HashAggregate	SAVED	spark_catalog.default.files is partitioned by (abs(k))	{"kind":"SHUFFLE","keys":"abs(k)","operator":"HashAggregate","outcome":"SAVED","reason":"spark_catalog.default.files is partitioned by (abs(k))","saved_by":"ASSUME","partitions":null,"rows":null,"bytes":null}

-- query
EXPLAIN CLAUSES SELECT k, count(*) FROM files ASSUME PARTITIONED BY (k) NOT ENFORCED GROUP BY k, v
-- result
ASSUME	spark_catalog.default.files (k)	USED	NULL	{"keys":"k","relation":"spark_catalog.default.files","proof":"trusted","units":4,"outcome":"USED","exchange":"k, v","exchange_avoided":true,"operator":"HashAggregate","reason":null,"verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (k, v) for HashAggregate	SAVED	spark_catalog.default.files is partitioned by (k)	{"kind":"SHUFFLE","keys":"k, v","operator":"HashAggregate","outcome":"SAVED","reason":"spark_catalog.default.files is partitioned by (k)","saved_by":"ASSUME","partitions":null,"rows":null,"bytes":null}

-- query
-- a claim that does not help is not checked either, and regroups nothing
EXPLAIN CLAUSES SELECT v, count(*) FROM files ASSUME PARTITIONED BY (k) GROUP BY v
-- result
ASSUME	spark_catalog.default.files (k)	NOT_USED	(v) does not contain (k)	{"keys":"k","relation":"spark_catalog.default.files","proof":"checked","units":4,"outcome":"NOT_USED","exchange":"v","exchange_avoided":false,"operator":"HashAggregate","reason":"(v) does not contain (k)","verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (v) for HashAggregate	KEPT	(v) does not contain (k)	{"kind":"SHUFFLE","keys":"v","operator":"HashAggregate","outcome":"KEPT","reason":"(v) does not contain (k)","saved_by":null,"partitions":2,"rows":null,"bytes":null}

-- query
EXPLAIN CLAUSES SELECT a.k FROM files a ASSUME PARTITIONED BY (k) JOIN (SELECT k FROM files WHERE v > 1) b ASSUME PARTITIONED BY (k) USING (k)
-- result
ASSUME	spark_catalog.default.files (k)	NOT_USED	the sides of the join are not partitioned alike	{"keys":"k","relation":"spark_catalog.default.files","proof":"checked","units":4,"outcome":"NOT_USED","exchange":"k","exchange_avoided":false,"operator":"SortMergeJoin","reason":"the sides of the join are not partitioned alike","verdict":null,"check_ms":null}
ASSUME	spark_catalog.default.files (k)	NOT_USED	the sides of the join are not partitioned alike	{"keys":"k","relation":"spark_catalog.default.files","proof":"checked","units":4,"outcome":"NOT_USED","exchange":"k","exchange_avoided":false,"operator":"SortMergeJoin","reason":"the sides of the join are not partitioned alike","verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (k) for SortMergeJoin	KEPT	the sides of the join are not partitioned alike	{"kind":"SHUFFLE","keys":"k","operator":"SortMergeJoin","outcome":"KEPT","reason":"the sides of the join are not partitioned alike","saved_by":null,"partitions":2,"rows":null,"bytes":null}
EXCHANGE	SHUFFLE (k) for SortMergeJoin	KEPT	the sides of the join are not partitioned alike	{"kind":"SHUFFLE","keys":"k","operator":"SortMergeJoin","outcome":"KEPT","reason":"the sides of the join are not partitioned alike","saved_by":null,"partitions":2,"rows":null,"bytes":null}

-- query
EXPLAIN CLAUSES SELECT k, count(*) FROM (
  SELECT k FROM files ASSUME PARTITIONED BY (k) UNION ALL SELECT k FROM files ASSUME PARTITIONED BY (k)) GROUP BY k
-- result
ASSUME	spark_catalog.default.files (k)	NOT_USED	the claim on (k) ends at Union, whose branches are not all partitioned so	{"keys":"k","relation":"spark_catalog.default.files","proof":"checked","units":4,"outcome":"NOT_USED","exchange":"k","exchange_avoided":false,"operator":"HashAggregate","reason":"the claim on (k) ends at Union, whose branches are not all partitioned so","verdict":null,"check_ms":null}
ASSUME	spark_catalog.default.files (k)	NOT_USED	the claim on (k) ends at Union, whose branches are not all partitioned so	{"keys":"k","relation":"spark_catalog.default.files","proof":"checked","units":4,"outcome":"NOT_USED","exchange":"k","exchange_avoided":false,"operator":"HashAggregate","reason":"the claim on (k) ends at Union, whose branches are not all partitioned so","verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (k) for HashAggregate	KEPT	the claim on (k) ends at Union, whose branches are not all partitioned so	{"kind":"SHUFFLE","keys":"k","operator":"HashAggregate","outcome":"KEPT","reason":"the claim on (k) ends at Union, whose branches are not all partitioned so","saved_by":null,"partitions":2,"rows":null,"bytes":null}

-- statement
SET spark.sql.requireAllClusterKeysForDistribution = true

-- query
EXPLAIN CLAUSES SELECT dt, item FROM sales ASSUME PARTITIONED BY (dt) GROUP BY dt, item
-- result
ASSUME	spark_catalog.default.sales (dt)	NOT_USED	Spark needs another partitioning than by (dt)	{"keys":"dt","relation":"spark_catalog.default.sales","proof":"structural","units":3,"outcome":"NOT_USED","exchange":"dt, item","exchange_avoided":false,"operator":"HashAggregate","reason":"Spark needs another partitioning than by (dt)","verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (dt, item) for HashAggregate	KEPT	Spark needs another partitioning than by (dt)	{"kind":"SHUFFLE","keys":"dt, item","operator":"HashAggregate","outcome":"KEPT","reason":"Spark needs another partitioning than by (dt)","saved_by":null,"partitions":2,"rows":null,"bytes":null}

-- query
EXPLAIN CLAUSES SELECT dt FROM sales ASSUME PARTITIONED BY (dt) GROUP BY dt
-- result
ASSUME	spark_catalog.default.sales (dt)	USED	NULL	{"keys":"dt","relation":"spark_catalog.default.sales","proof":"structural","units":3,"outcome":"USED","exchange":"dt","exchange_avoided":true,"operator":"HashAggregate","reason":null,"verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (dt) for HashAggregate	SAVED	spark_catalog.default.sales is partitioned by (dt)	{"kind":"SHUFFLE","keys":"dt","operator":"HashAggregate","outcome":"SAVED","reason":"spark_catalog.default.sales is partitioned by (dt)","saved_by":"ASSUME","partitions":null,"rows":null,"bytes":null}

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
