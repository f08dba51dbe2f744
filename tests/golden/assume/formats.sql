-- Every file format; files that are split, and files that are packed.
-- conf spark.sql.files.maxPartitionBytes=700,134217728
-- conf spark.sql.files.openCostInBytes=1

-- statement
CREATE TEMPORARY VIEW numbers AS SELECT id AS n, repeat('x', 20) AS s, id % 3 AS d FROM range(400)

-- statement
CREATE TABLE p USING parquet PARTITIONED BY (d) AS SELECT * FROM numbers

-- statement
CREATE TABLE o USING orc PARTITIONED BY (d) AS SELECT * FROM numbers

-- statement
CREATE TABLE j USING json PARTITIONED BY (d) AS SELECT * FROM numbers

-- statement
CREATE TABLE c USING csv PARTITIONED BY (d) AS SELECT * FROM numbers

-- query equals
SELECT d, count(*) AS c, sum(n) AS n, count(DISTINCT n) AS m, max(s) AS s FROM p ASSUME PARTITIONED BY (d) GROUP BY d
-- to
SELECT d, count(*) AS c, sum(n) AS n, count(DISTINCT n) AS m, max(s) AS s FROM p GROUP BY d

-- query equals
SELECT d, count(*) AS c, sum(n) AS n, count(DISTINCT n) AS m, max(s) AS s FROM o ASSUME PARTITIONED BY (d) GROUP BY d
-- to
SELECT d, count(*) AS c, sum(n) AS n, count(DISTINCT n) AS m, max(s) AS s FROM o GROUP BY d

-- query equals
SELECT d, count(*) AS c, sum(n) AS n, count(DISTINCT n) AS m, max(s) AS s FROM j ASSUME PARTITIONED BY (d) GROUP BY d
-- to
SELECT d, count(*) AS c, sum(n) AS n, count(DISTINCT n) AS m, max(s) AS s FROM j GROUP BY d

-- query equals
SELECT d, count(*) AS c, sum(n) AS n, count(DISTINCT n) AS m, max(s) AS s FROM c ASSUME PARTITIONED BY (d) GROUP BY d
-- to
SELECT d, count(*) AS c, sum(n) AS n, count(DISTINCT n) AS m, max(s) AS s FROM c GROUP BY d

-- query equals
-- what a file knows of itself
SELECT d, count(DISTINCT _metadata.file_name) AS f, count(DISTINCT _metadata.row_index) AS r
FROM p ASSUME PARTITIONED BY (d) GROUP BY d
-- to
SELECT d, count(DISTINCT _metadata.file_name) AS f, count(DISTINCT _metadata.row_index) AS r FROM p GROUP BY d

-- query
EXPLAIN CLAUSES SELECT d, count(*) FROM o ASSUME PARTITIONED BY (d) GROUP BY d
-- result
ASSUME	spark_catalog.default.o (d)	USED	NULL	{"keys":"d","relation":"spark_catalog.default.o","proof":"structural","units":3,"outcome":"USED","exchange":"d","exchange_avoided":true,"operator":"HashAggregate","reason":null,"verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (d) for HashAggregate	SAVED	spark_catalog.default.o is partitioned by (d)	{"kind":"SHUFFLE","keys":"d","operator":"HashAggregate","outcome":"SAVED","reason":"spark_catalog.default.o is partitioned by (d)","saved_by":"ASSUME","partitions":null,"rows":null,"bytes":null}

-- query
EXPLAIN CLAUSES SELECT d, count(*) FROM j ASSUME PARTITIONED BY (d) GROUP BY d
-- result
ASSUME	spark_catalog.default.j (d)	USED	NULL	{"keys":"d","relation":"spark_catalog.default.j","proof":"structural","units":3,"outcome":"USED","exchange":"d","exchange_avoided":true,"operator":"HashAggregate","reason":null,"verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (d) for HashAggregate	SAVED	spark_catalog.default.j is partitioned by (d)	{"kind":"SHUFFLE","keys":"d","operator":"HashAggregate","outcome":"SAVED","reason":"spark_catalog.default.j is partitioned by (d)","saved_by":"ASSUME","partitions":null,"rows":null,"bytes":null}

-- query
EXPLAIN CLAUSES SELECT d, count(*) FROM c ASSUME PARTITIONED BY (d) GROUP BY d
-- result
ASSUME	spark_catalog.default.c (d)	USED	NULL	{"keys":"d","relation":"spark_catalog.default.c","proof":"structural","units":3,"outcome":"USED","exchange":"d","exchange_avoided":true,"operator":"HashAggregate","reason":null,"verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (d) for HashAggregate	SAVED	spark_catalog.default.c is partitioned by (d)	{"kind":"SHUFFLE","keys":"d","operator":"HashAggregate","outcome":"SAVED","reason":"spark_catalog.default.c is partitioned by (d)","saved_by":"ASSUME","partitions":null,"rows":null,"bytes":null}
