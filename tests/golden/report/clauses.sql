-- What became of each clause of a query, as rows: part, subject, outcome, reason, details.
-- conf spark.sql.adaptive.enabled=true,false
-- conf spark.sql.autoBroadcastJoinThreshold=-1

-- statement
CREATE TABLE sales USING parquet PARTITIONED BY (day) AS SELECT id AS buyer, id % 5 AS item, id % 3 AS day FROM range(30)

-- statement
CREATE TABLE visits USING parquet AS SELECT id % 7 AS visitor, id AS page, timestamp_seconds(id) AS at FROM range(30)

-- query
EXPLAIN CLAUSES SELECT day, count(*) FROM sales ASSUME PARTITIONED BY (day) GROUP BY day
-- result
ASSUME	spark_catalog.default.sales (day)	USED	NULL	{"keys":"day","relation":"spark_catalog.default.sales","proof":"structural","units":3,"outcome":"USED","exchange":"day","exchange_avoided":true,"operator":"HashAggregate","reason":null,"verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (day) for HashAggregate	SAVED	spark_catalog.default.sales is partitioned by (day)	{"kind":"SHUFFLE","keys":"day","operator":"HashAggregate","outcome":"SAVED","reason":"spark_catalog.default.sales is partitioned by (day)","saved_by":"ASSUME","partitions":null,"rows":null,"bytes":null}

-- query
EXPLAIN CLAUSES (SELECT item, count(*) FROM sales ASSUME PARTITIONED BY (day) GROUP BY item)
-- result
ASSUME	spark_catalog.default.sales (day)	NOT_USED	(item) does not contain (day)	{"keys":"day","relation":"spark_catalog.default.sales","proof":"structural","units":3,"outcome":"NOT_USED","exchange":"item","exchange_avoided":false,"operator":"HashAggregate","reason":"(item) does not contain (day)","verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (item) for HashAggregate	KEPT	(item) does not contain (day)	{"kind":"SHUFFLE","keys":"item","operator":"HashAggregate","outcome":"KEPT","reason":"(item) does not contain (day)","saved_by":null,"partitions":2,"rows":null,"bytes":null}

-- query
EXPLAIN CLAUSES WITH s AS (SELECT * FROM VALUES (1), (2) AS v(k) ASSUME PARTITIONED BY (k)) SELECT k, count(*) FROM s GROUP BY k
-- result
ASSUME	LocalTableScan (k)	DROPPED	LocalTableScan reads no files of a table	{"keys":"k","relation":"LocalTableScan","proof":"none","units":null,"outcome":"DROPPED","exchange":null,"exchange_avoided":null,"operator":null,"reason":"LocalTableScan reads no files of a table","verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (k) for HashAggregate	KEPT	the claim (k) was dropped: LocalTableScan reads no files of a table	{"kind":"SHUFFLE","keys":"k","operator":"HashAggregate","outcome":"KEPT","reason":"the claim (k) was dropped: LocalTableScan reads no files of a table","saved_by":null,"partitions":2,"rows":null,"bytes":null}

-- query
EXPLAIN CLAUSES COGROUP sales BY buyer, visits BY visitor AGGREGATE count(sales.item) AS n, max(visits.page) AS p EMIT ON CHANGE
-- result
COGROUP	sales, visits	ONE_SHUFFLE	no aggregate is DISTINCT or collects rows into an object	{"branches":["sales BY buyer","visits BY visitor"],"keys":"buyer","outcome":"ONE_SHUFFLE","reason":"no aggregate is DISTINCT or collects rows into an object"}
EMIT	EMIT ON CHANGE	REMOVED	a batch query reports each key once, at its end	{"clause":"EMIT ON CHANGE","outcome":"REMOVED","reason":"a batch query reports each key once, at its end"}
EXCHANGE	SHUFFLE (buyer) for HashAggregate	KEPT	no claim says that the rows of a key lie together	{"kind":"SHUFFLE","keys":"buyer","operator":"HashAggregate","outcome":"KEPT","reason":"no claim says that the rows of a key lie together","saved_by":null,"partitions":2,"rows":null,"bytes":null}

-- query
EXPLAIN CLAUSES COGROUP sales BY (buyer, day), visits BY (visitor, abs(page)) AGGREGATE count(DISTINCT sales.item) AS n, max(visits.page) AS p
-- result
COGROUP	sales, visits	PREAGGREGATED	count(DISTINCT sales.item) would read the rows of all branches	{"branches":["sales BY (buyer, day)","visits BY (visitor, abs(page))"],"keys":"buyer, day","outcome":"PREAGGREGATED","reason":"count(DISTINCT sales.item) would read the rows of all branches"}
EXCHANGE	SHUFFLE (buyer, day) for HashAggregate	KEPT	no claim says that the rows of a key lie together	{"kind":"SHUFFLE","keys":"buyer, day","operator":"HashAggregate","outcome":"KEPT","reason":"no claim says that the rows of a key lie together","saved_by":null,"partitions":2,"rows":null,"bytes":null}
EXCHANGE	SHUFFLE (buyer, day, item) for HashAggregate	KEPT	no claim says that the rows of a key lie together	{"kind":"SHUFFLE","keys":"buyer, day, item","operator":"HashAggregate","outcome":"KEPT","reason":"no claim says that the rows of a key lie together","saved_by":null,"partitions":2,"rows":null,"bytes":null}
EXCHANGE	SHUFFLE (buyer, day) for HashAggregate	KEPT	no claim says that the rows of a key lie together	{"kind":"SHUFFLE","keys":"buyer, day","operator":"HashAggregate","outcome":"KEPT","reason":"no claim says that the rows of a key lie together","saved_by":null,"partitions":2,"rows":null,"bytes":null}

-- query
EXPLAIN CLAUSES SELECT n + 1 AS more FROM (COGROUP sales BY buyer, visits BY visitor AGGREGATE collect_list(visits.page) AS p, count(sales.item) AS n) WHERE n > 1
-- result
COGROUP	sales, visits	PREAGGREGATED	collect_list(visits.page) would read the rows of all branches	{"branches":["sales BY buyer","visits BY visitor"],"keys":"buyer","outcome":"PREAGGREGATED","reason":"collect_list(visits.page) would read the rows of all branches"}
EXCHANGE	SHUFFLE (buyer) for HashAggregate	KEPT	no claim says that the rows of a key lie together	{"kind":"SHUFFLE","keys":"buyer","operator":"HashAggregate","outcome":"KEPT","reason":"no claim says that the rows of a key lie together","saved_by":null,"partitions":2,"rows":null,"bytes":null}
EXCHANGE	SHUFFLE (buyer) for HashAggregate	KEPT	no claim says that the rows of a key lie together	{"kind":"SHUFFLE","keys":"buyer","operator":"HashAggregate","outcome":"KEPT","reason":"no claim says that the rows of a key lie together","saved_by":null,"partitions":2,"rows":null,"bytes":null}

-- query
EXPLAIN CLAUSES COGROUP sales BY buyer, visits BY visitor AGGREGATE count(DISTINCT sales.item) AS n, max(buyer) AS same
-- result
COGROUP	sales, visits	ONE_SHUFFLE	max(buyer) cannot be merged exactly	{"branches":["sales BY buyer","visits BY visitor"],"keys":"buyer","outcome":"ONE_SHUFFLE","reason":"max(buyer) cannot be merged exactly"}
EXCHANGE	SHUFFLE (buyer) for HashAggregate	KEPT	no claim says that the rows of a key lie together	{"kind":"SHUFFLE","keys":"buyer","operator":"HashAggregate","outcome":"KEPT","reason":"no claim says that the rows of a key lie together","saved_by":null,"partitions":2,"rows":null,"bytes":null}
EXCHANGE	SHUFFLE (buyer, item) for HashAggregate	KEPT	no claim says that the rows of a key lie together	{"kind":"SHUFFLE","keys":"buyer, item","operator":"HashAggregate","outcome":"KEPT","reason":"no claim says that the rows of a key lie together","saved_by":null,"partitions":2,"rows":null,"bytes":null}
FALLBACK	sales, visits	ONE_SHUFFLE	max(buyer) cannot be merged exactly	{"clause":"COGROUP","about":"sales, visits","outcome":"ONE_SHUFFLE","reason":"max(buyer) cannot be merged exactly"}

-- query
EXPLAIN CLAUSES COGROUP visits AS a BY window(at, '10 seconds'), visits AS b BY window(at, '10 seconds') AGGREGATE count(DISTINCT a.page) AS n, count(b.page) AS m
-- result
COGROUP	a, b	ONE_SHUFFLE	the time windows are computed from the rows of all branches	{"branches":["a BY at","b BY at"],"keys":"window","outcome":"ONE_SHUFFLE","reason":"the time windows are computed from the rows of all branches"}
EXCHANGE	SHUFFLE (window) for HashAggregate	KEPT	no claim says that the rows of a key lie together	{"kind":"SHUFFLE","keys":"window","operator":"HashAggregate","outcome":"KEPT","reason":"no claim says that the rows of a key lie together","saved_by":null,"partitions":2,"rows":null,"bytes":null}
EXCHANGE	SHUFFLE (window, page) for HashAggregate	KEPT	no claim says that the rows of a key lie together	{"kind":"SHUFFLE","keys":"window, page","operator":"HashAggregate","outcome":"KEPT","reason":"no claim says that the rows of a key lie together","saved_by":null,"partitions":2,"rows":null,"bytes":null}
FALLBACK	a, b	ONE_SHUFFLE	the time windows are computed from the rows of all branches	{"clause":"COGROUP","about":"a, b","outcome":"ONE_SHUFFLE","reason":"the time windows are computed from the rows of all branches"}

-- statement
SET spark.eddyline.cogroup.preaggregate=false

-- query
EXPLAIN CLAUSES COGROUP sales BY buyer, visits BY visitor AGGREGATE count(DISTINCT sales.item) AS n, max(visits.page) AS p
-- result
COGROUP	sales, visits	ONE_SHUFFLE	spark.eddyline.cogroup.preaggregate is false	{"branches":["sales BY buyer","visits BY visitor"],"keys":"buyer","outcome":"ONE_SHUFFLE","reason":"spark.eddyline.cogroup.preaggregate is false"}
EXCHANGE	SHUFFLE (buyer) for HashAggregate	KEPT	no claim says that the rows of a key lie together	{"kind":"SHUFFLE","keys":"buyer","operator":"HashAggregate","outcome":"KEPT","reason":"no claim says that the rows of a key lie together","saved_by":null,"partitions":2,"rows":null,"bytes":null}
EXCHANGE	SHUFFLE (buyer, item) for HashAggregate	KEPT	no claim says that the rows of a key lie together	{"kind":"SHUFFLE","keys":"buyer, item","operator":"HashAggregate","outcome":"KEPT","reason":"no claim says that the rows of a key lie together","saved_by":null,"partitions":2,"rows":null,"bytes":null}

-- statement
RESET spark.eddyline.cogroup.preaggregate

-- query since 4.3
EXPLAIN CLAUSES COGROUP sales ASSUME PARTITIONED BY (day) BY day, sales AS again ASSUME PARTITIONED BY (day) BY day AGGREGATE count(*) AS n
-- result
ASSUME	spark_catalog.default.sales (day)	USED	NULL	{"keys":"day","relation":"spark_catalog.default.sales","proof":"structural","units":3,"outcome":"USED","exchange":"day","exchange_avoided":true,"operator":"HashAggregate","reason":null,"verdict":null,"check_ms":null}
ASSUME	spark_catalog.default.sales (day)	USED	NULL	{"keys":"day","relation":"spark_catalog.default.sales","proof":"structural","units":3,"outcome":"USED","exchange":"day","exchange_avoided":true,"operator":"HashAggregate","reason":null,"verdict":null,"check_ms":null}
COGROUP	sales, again	ONE_SHUFFLE	no aggregate is DISTINCT or collects rows into an object	{"branches":["sales BY day","again BY day"],"keys":"day","outcome":"ONE_SHUFFLE","reason":"no aggregate is DISTINCT or collects rows into an object"}
EXCHANGE	SHUFFLE (day) for HashAggregate	SAVED	spark_catalog.default.sales is partitioned by (day)	{"kind":"SHUFFLE","keys":"day","operator":"HashAggregate","outcome":"SAVED","reason":"spark_catalog.default.sales is partitioned by (day)","saved_by":"ASSUME","partitions":null,"rows":null,"bytes":null}

-- query since 4.2
EXPLAIN CLAUSES SELECT a.day, a.buyer FROM sales AS a ASSUME PARTITIONED BY (day) JOIN sales AS b ASSUME PARTITIONED BY (day) ON a.day = b.day
-- result
ASSUME	spark_catalog.default.sales (day)	USED	NULL	{"keys":"day","relation":"spark_catalog.default.sales","proof":"structural","units":3,"outcome":"USED","exchange":"day","exchange_avoided":true,"operator":"SortMergeJoin","reason":null,"verdict":null,"check_ms":null}
ASSUME	spark_catalog.default.sales (day)	USED	NULL	{"keys":"day","relation":"spark_catalog.default.sales","proof":"structural","units":3,"outcome":"USED","exchange":"day","exchange_avoided":true,"operator":"SortMergeJoin","reason":null,"verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (day) for SortMergeJoin	SAVED	spark_catalog.default.sales is partitioned by (day)	{"kind":"SHUFFLE","keys":"day","operator":"SortMergeJoin","outcome":"SAVED","reason":"spark_catalog.default.sales is partitioned by (day)","saved_by":"ASSUME","partitions":null,"rows":null,"bytes":null}
EXCHANGE	SHUFFLE (day) for SortMergeJoin	SAVED	spark_catalog.default.sales is partitioned by (day)	{"kind":"SHUFFLE","keys":"day","operator":"SortMergeJoin","outcome":"SAVED","reason":"spark_catalog.default.sales is partitioned by (day)","saved_by":"ASSUME","partitions":null,"rows":null,"bytes":null}

-- query
EXPLAIN CLAUSES SELECT /*+ REPARTITION(3) */ * FROM sales ORDER BY item
-- result
EXCHANGE	SHUFFLE (range(item)) for Sort	KEPT	all rows are sorted	{"kind":"SHUFFLE","keys":"range(item)","operator":"Sort","outcome":"KEPT","reason":"all rows are sorted","saved_by":null,"partitions":2,"rows":null,"bytes":null}
EXCHANGE	SHUFFLE (round robin) for Sort	KEPT	the query asks for it	{"kind":"SHUFFLE","keys":"round robin","operator":"Sort","outcome":"KEPT","reason":"the query asks for it","saved_by":null,"partitions":3,"rows":null,"bytes":null}

-- query
EXPLAIN CLAUSES SELECT /*+ BROADCAST(v) */ item, page FROM sales JOIN visits v ON buyer = visitor
-- result
EXCHANGE	BROADCAST (all rows) for BroadcastHashJoin	KEPT	Spark sends this side of the join to each executor	{"kind":"BROADCAST","keys":"all rows","operator":"BroadcastHashJoin","outcome":"KEPT","reason":"Spark sends this side of the join to each executor","saved_by":null,"partitions":null,"rows":null,"bytes":null}

-- query
EXPLAIN CLAUSES TABLE sales
-- result

-- query
EXPLAIN CLAUSES VALUES (1)
-- result

-- statement
CREATE TABLE days (day BIGINT, n BIGINT) USING parquet

-- query
EXPLAIN CLAUSES INSERT INTO days SELECT day, count(*) FROM sales ASSUME PARTITIONED BY (day) GROUP BY day
-- result
ASSUME	spark_catalog.default.sales (day)	USED	NULL	{"keys":"day","relation":"spark_catalog.default.sales","proof":"structural","units":3,"outcome":"USED","exchange":"day","exchange_avoided":true,"operator":"HashAggregate","reason":null,"verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (day) for HashAggregate	SAVED	spark_catalog.default.sales is partitioned by (day)	{"kind":"SHUFFLE","keys":"day","operator":"HashAggregate","outcome":"SAVED","reason":"spark_catalog.default.sales is partitioned by (day)","saved_by":"ASSUME","partitions":null,"rows":null,"bytes":null}

-- query
EXPLAIN CLAUSES WITH s AS (SELECT * FROM sales ASSUME PARTITIONED BY (day)) INSERT OVERWRITE days (n, day) SELECT count(*), day FROM s GROUP BY day
-- result
ASSUME	spark_catalog.default.sales (day)	USED	NULL	{"keys":"day","relation":"spark_catalog.default.sales","proof":"structural","units":3,"outcome":"USED","exchange":"day","exchange_avoided":true,"operator":"HashAggregate","reason":null,"verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (day) for HashAggregate	SAVED	spark_catalog.default.sales is partitioned by (day)	{"kind":"SHUFFLE","keys":"day","operator":"HashAggregate","outcome":"SAVED","reason":"spark_catalog.default.sales is partitioned by (day)","saved_by":"ASSUME","partitions":null,"rows":null,"bytes":null}

-- query
EXPLAIN CLAUSES CREATE TABLE more USING parquet AS WITH s AS (SELECT * FROM sales ASSUME PARTITIONED BY (day)) SELECT day, count(*) AS n FROM s GROUP BY day
-- result
ASSUME	spark_catalog.default.sales (day)	USED	NULL	{"keys":"day","relation":"spark_catalog.default.sales","proof":"structural","units":3,"outcome":"USED","exchange":"day","exchange_avoided":true,"operator":"HashAggregate","reason":null,"verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (day) for HashAggregate	SAVED	spark_catalog.default.sales is partitioned by (day)	{"kind":"SHUFFLE","keys":"day","operator":"HashAggregate","outcome":"SAVED","reason":"spark_catalog.default.sales is partitioned by (day)","saved_by":"ASSUME","partitions":null,"rows":null,"bytes":null}

-- query
EXPLAIN CLAUSES UPSERT INTO TABLE days KEY (day) SELECT day, count(*) FROM sales ASSUME PARTITIONED BY (day) GROUP BY day
-- result
ASSUME	spark_catalog.default.sales (day)	USED	NULL	{"keys":"day","relation":"spark_catalog.default.sales","proof":"structural","units":3,"outcome":"USED","exchange":"day","exchange_avoided":true,"operator":"HashAggregate","reason":null,"verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (day) for HashAggregate	SAVED	spark_catalog.default.sales is partitioned by (day)	{"kind":"SHUFFLE","keys":"day","operator":"HashAggregate","outcome":"SAVED","reason":"spark_catalog.default.sales is partitioned by (day)","saved_by":"ASSUME","partitions":null,"rows":null,"bytes":null}

-- query
SELECT count(*) FROM days
-- result
0

-- query error(TABLE_OR_VIEW_NOT_FOUND, 42P01)
  SELECT * FROM more
--              ^^^^

-- statement
CACHE TABLE kept AS SELECT day, count(*) AS n FROM sales ASSUME PARTITIONED BY (day) GROUP BY day

-- query
EXPLAIN CLAUSES TABLE kept
-- result
FALLBACK	spark_catalog.default.sales (day)	CACHED	its rows are read from the cache	{"clause":"ASSUME","about":"spark_catalog.default.sales (day)","outcome":"CACHED","reason":"its rows are read from the cache"}

-- statement
CACHE TABLE total AS SELECT sum(n) AS n FROM kept

-- query
EXPLAIN CLAUSES TABLE total
-- result
FALLBACK	spark_catalog.default.sales (day)	CACHED	its rows are read from the cache	{"clause":"ASSUME","about":"spark_catalog.default.sales (day)","outcome":"CACHED","reason":"its rows are read from the cache"}

-- statement
UNCACHE TABLE total

-- statement
UNCACHE TABLE kept

-- query error(EDDYLINE_STREAMING_QUERY.NOT_FOUND, 42P01)
  EXPLAIN CLAUSES STREAMING QUERY nobody
--                                ^^^^^^
