-- What became of the clauses of a statement that writes to another catalog.
-- conf spark.sql.adaptive.enabled=true,false
-- conf spark.sql.autoBroadcastJoinThreshold=-1

-- statement
CREATE TABLE sales USING parquet PARTITIONED BY (day) AS SELECT id AS buyer, id % 5 AS item, id % 3 AS day FROM range(30)

-- query
EXPLAIN CLAUSES CREATE OR REPLACE TABLE lake.report.more AS SELECT day, count(*) AS n FROM sales ASSUME PARTITIONED BY (day) GROUP BY day
-- result
ASSUME	spark_catalog.default.sales (day)	USED	NULL	{"keys":"day","relation":"spark_catalog.default.sales","proof":"structural","units":3,"outcome":"USED","exchange":"day","exchange_avoided":true,"operator":"HashAggregate","reason":null,"verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (day) for HashAggregate	SAVED	spark_catalog.default.sales is partitioned by (day)	{"kind":"SHUFFLE","keys":"day","operator":"HashAggregate","outcome":"SAVED","reason":"spark_catalog.default.sales is partitioned by (day)","saved_by":"ASSUME","partitions":null,"rows":null,"bytes":null}

-- statement
CREATE TABLE lake.report.target (day BIGINT, n BIGINT)

-- query since 4.3
EXPLAIN CLAUSES MERGE INTO lake.report.target AS t USING sales AS s ASSUME PARTITIONED BY (day) ON t.day = s.day
WHEN MATCHED THEN UPDATE SET n = s.item WHEN NOT MATCHED THEN INSERT (day, n) VALUES (s.day, s.item)
-- result
ASSUME	spark_catalog.default.sales (day)	NOT_USED	the sides of the join are not partitioned alike	{"keys":"day","relation":"spark_catalog.default.sales","proof":"structural","units":3,"outcome":"NOT_USED","exchange":"day","exchange_avoided":false,"operator":"SortMergeJoin","reason":"the sides of the join are not partitioned alike","verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (day) for SortMergeJoin	KEPT	no claim says that the rows of a key lie together	{"kind":"SHUFFLE","keys":"day","operator":"SortMergeJoin","outcome":"KEPT","reason":"no claim says that the rows of a key lie together","saved_by":null,"partitions":2,"rows":null,"bytes":null}
EXCHANGE	SHUFFLE (day) for SortMergeJoin	KEPT	the sides of the join are not partitioned alike	{"kind":"SHUFFLE","keys":"day","operator":"SortMergeJoin","outcome":"KEPT","reason":"the sides of the join are not partitioned alike","saved_by":null,"partitions":2,"rows":null,"bytes":null}

-- query
SELECT count(*) FROM lake.report.target
-- result
0

-- statement
DROP TABLE lake.report.target
