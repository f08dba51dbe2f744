-- A claim by Spark's hash changes no row, whether it is true, false or about files of other numbers.
-- conf spark.sql.adaptive.enabled=true,false
-- conf spark.sql.files.maxPartitionBytes=3000
-- conf spark.sql.autoBroadcastJoinThreshold=-1

-- statement
CREATE TABLE plain USING parquet AS
SELECT nullif(id % 50, 7) AS k, id % 3 AS item, id AS v, concat('u', id % 50) AS name FROM range(2000)

-- statement
CREATE TABLE good USING parquet AS SELECT /*+ REPARTITION(5, k) */ * FROM plain

-- statement
-- whole keys in each file, but by another function
CREATE TABLE ranged USING parquet AS SELECT /*+ REPARTITION_BY_RANGE(5, k) */ * FROM plain

-- statement
-- fewer keys than parts
CREATE TABLE sparse USING parquet AS SELECT /*+ REPARTITION(16, k) */ k, v FROM plain WHERE k IN (1, 2, 30)

-- statement
CREATE TABLE pairs USING parquet PARTITIONED BY (item) AS SELECT /*+ REPARTITION(4, item, k) */ k, v, item FROM plain

-- statement
CREATE TABLE names USING parquet AS SELECT /*+ REPARTITION(4, name) */ name COLLATE UTF8_LCASE AS name, k FROM plain

-- query equals
SELECT k, count(*) AS n, sum(v) AS v FROM good ASSUME PARTITIONED BY (k) INTO 5 PARTITIONS USING HASH SPARK GROUP BY k
-- to
SELECT k, count(*) AS n, sum(v) AS v FROM plain GROUP BY k

-- query equals
SELECT k, count(*) AS n FROM ranged ASSUME PARTITIONED BY (k) INTO 5 PARTITIONS USING HASH SPARK GROUP BY k
-- to
SELECT k, count(*) AS n FROM plain GROUP BY k

-- query equals
-- another number of parts than the files were written from
SELECT k, count(*) AS n FROM good ASSUME PARTITIONED BY (k) INTO 9 PARTITIONS USING HASH SPARK GROUP BY k
-- to
SELECT k, count(*) AS n FROM plain GROUP BY k

-- query equals
SELECT k, count(*) AS n FROM good ASSUME PARTITIONED BY (k) INTO 2 PARTITIONS USING HASH SPARK GROUP BY k
-- to
SELECT k, count(*) AS n FROM plain GROUP BY k

-- query equals
-- a join with a side that nothing is claimed of
SELECT g.k, count(*) AS n, sum(p.v) AS v FROM good g ASSUME PARTITIONED BY (k) INTO 5 PARTITIONS USING HASH SPARK
JOIN plain p ON g.k = p.k WHERE g.v < 200 GROUP BY g.k
-- to
SELECT g.k, count(*) AS n, sum(p.v) AS v FROM plain g JOIN plain p ON g.k = p.k WHERE g.v < 200 GROUP BY g.k

-- query equals
SELECT p.k, g.v FROM plain p LEFT JOIN ranged g ASSUME PARTITIONED BY (k) INTO 5 PARTITIONS USING HASH SPARK
ON g.k = p.k AND g.item = 1 WHERE p.v < 100
-- to
SELECT p.k, g.v FROM plain p LEFT JOIN plain g ON g.k = p.k AND g.item = 1 WHERE p.v < 100

-- query equals
SELECT s.k, p.k AS j, count(*) AS n FROM sparse s ASSUME PARTITIONED BY (k) INTO 16 PARTITIONS USING HASH SPARK
FULL JOIN (SELECT * FROM plain WHERE k > 20) p ON s.k = p.k GROUP BY s.k, p.k
-- to
SELECT s.k, p.k AS j, count(*) AS n FROM (SELECT * FROM plain WHERE k IN (1, 2, 30)) s
FULL JOIN (SELECT * FROM plain WHERE k > 20) p ON s.k = p.k GROUP BY s.k, p.k

-- query equals
-- two claims of the same number of parts, of another number, a false one
SELECT g.k, count(*) AS n FROM good g ASSUME PARTITIONED BY (k) INTO 5 PARTITIONS USING HASH SPARK
JOIN good h ASSUME PARTITIONED BY (k) INTO 5 PARTITIONS USING HASH SPARK ON g.k = h.k
JOIN sparse s ASSUME PARTITIONED BY (k) INTO 16 PARTITIONS USING HASH SPARK ON g.k = s.k
RIGHT JOIN ranged r ASSUME PARTITIONED BY (k) INTO 5 PARTITIONS USING HASH SPARK ON g.k = r.k AND r.v < 100
GROUP BY g.k
-- to
SELECT g.k, count(*) AS n FROM plain g JOIN plain h ON g.k = h.k
JOIN (SELECT * FROM plain WHERE k IN (1, 2, 30)) s ON g.k = s.k RIGHT JOIN plain r ON g.k = r.k AND r.v < 100
GROUP BY g.k

-- query equals
-- all keys, of which one is a partition column
SELECT item, k, count(*) AS n, sum(v) AS v FROM pairs ASSUME PARTITIONED BY (item, k) INTO 4 PARTITIONS USING HASH SPARK GROUP BY k, item
-- to
SELECT item, k, count(*) AS n, sum(v) AS v FROM plain GROUP BY k, item

-- query equals
SELECT a.item, a.k, count(*) AS n FROM pairs a ASSUME PARTITIONED BY (item, k) INTO 4 PARTITIONS USING HASH SPARK
JOIN plain b ON b.k = a.k AND a.item = b.item GROUP BY a.item, a.k
-- to
SELECT a.item, a.k, count(*) AS n FROM plain a JOIN plain b ON b.k = a.k AND a.item = b.item GROUP BY a.item, a.k

-- query equals
-- written by the bytes of the strings, read under a collation
SELECT CAST(lower(name) AS STRING) AS name, count(*) AS n FROM names ASSUME PARTITIONED BY (name) INTO 4 PARTITIONS USING HASH SPARK GROUP BY name
-- to
SELECT name, count(*) AS n FROM plain GROUP BY name

-- query equals
COGROUP good ASSUME PARTITIONED BY (k) INTO 5 PARTITIONS USING HASH SPARK BY k,
        ranged ASSUME PARTITIONED BY (k) INTO 5 PARTITIONS USING HASH SPARK BY k,
        good AS again ASSUME PARTITIONED BY (k) INTO 5 PARTITIONS USING HASH SPARK WHERE v < 30 BY k
AGGREGATE count(good.v) AS n, sum(ranged.v) AS m, count(again.*) AS l
-- to
COGROUP plain BY k, plain AS p BY k, plain AS again WHERE v < 30 BY k
AGGREGATE count(plain.v) AS n, sum(p.v) AS m, count(again.*) AS l

-- query equals
-- units by their number alone: a key that is in two files of one number is in one unit
SELECT k, count(*) AS n FROM good ASSUME PARTITIONED BY (k) INTO 5 PARTITIONS GROUP BY k
-- to
SELECT k, count(*) AS n FROM plain GROUP BY k

-- query equals
-- what remains where nothing is left after pruning
SELECT a.k, b.v FROM (SELECT * FROM pairs ASSUME PARTITIONED BY (k) INTO 4 PARTITIONS USING HASH SPARK WHERE item = 17) a
RIGHT JOIN sparse b ON a.k = b.k
-- to
SELECT CAST(NULL AS BIGINT) AS k, v FROM sparse

-- query
-- Spark takes the claim for the REPARTITION, and the partitions are those that were asked for
SELECT count(DISTINCT p) AS n FROM (SELECT spark_partition_id() AS p FROM (
  SELECT /*+ REPARTITION(5, k) */ k FROM good ASSUME PARTITIONED BY (k) INTO 5 PARTITIONS USING HASH SPARK))
-- result
5

-- query equals
-- also below an Exchange by something else
SELECT DISTINCT p FROM (SELECT spark_partition_id() AS p FROM (
  SELECT /*+ REPARTITION(16, k) */ k FROM sparse ASSUME PARTITIONED BY (k) INTO 16 PARTITIONS USING HASH SPARK))
-- to
SELECT DISTINCT p FROM (SELECT spark_partition_id() AS p FROM (SELECT /*+ REPARTITION(16, k) */ k FROM sparse))

-- query equals
-- a false claim that nothing needs is not checked, and a REPARTITION by something else needs none
SELECT k FROM ranged ASSUME PARTITIONED BY (k) INTO 5 PARTITIONS USING HASH SPARK ENFORCED ON VIOLATION FAIL
UNION ALL SELECT /*+ REPARTITION(5, v) */ k FROM ranged ASSUME PARTITIONED BY (k) INTO 5 PARTITIONS USING HASH SPARK ENFORCED ON VIOLATION FAIL
-- to
SELECT k FROM plain UNION ALL SELECT k FROM plain

-- query error(EDDYLINE_ASSUME.WRONG_UNIT, 22000)
  SELECT k, count(*) FROM ranged ASSUME PARTITIONED BY (k) INTO 5 PARTITIONS USING HASH SPARK ENFORCED ON VIOLATION FAIL GROUP BY k
--                               ^^^^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_ASSUME.INVALID_OPTION, 22023)
-- files of more parts
  SELECT k, count(*) FROM good ASSUME PARTITIONED BY (k) INTO 2 PARTITIONS USING HASH SPARK ENFORCED ON VIOLATION FAIL GROUP BY k
--                             ^^^^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_ASSUME.INVALID_OPTION, 22023)
-- a value is no number
  SELECT item, count(*) FROM pairs ASSUME PARTITIONED BY (item) INTO 3 PARTITIONS GROUP BY item
--                                 ^^^^^^^^^^^^^^^^^^^^^

-- query
-- what trust gives: rows of a key that do not meet
SELECT count(*) < 80000 AS wrong FROM ranged r ASSUME PARTITIONED BY (k) INTO 5 PARTITIONS USING HASH SPARK NOT ENFORCED
JOIN plain p ON r.k = p.k
-- result
true

-- query
EXPLAIN CLAUSES SELECT g.v FROM good g ASSUME PARTITIONED BY (k) INTO 5 PARTITIONS USING HASH SPARK JOIN plain p ON g.k = p.k
-- result
ASSUME	spark_catalog.default.good (k) INTO 5 PARTITIONS USING HASH SPARK	USED	NULL	{"keys":"k INTO 5 PARTITIONS USING HASH SPARK","relation":"spark_catalog.default.good","proof":"hash check","units":5,"outcome":"USED","exchange":"k","exchange_avoided":true,"operator":"SortMergeJoin","reason":null,"verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (k) for SortMergeJoin	SAVED	spark_catalog.default.good is partitioned by (k)	{"kind":"SHUFFLE","keys":"k","operator":"SortMergeJoin","outcome":"SAVED","reason":"spark_catalog.default.good is partitioned by (k)","saved_by":"ASSUME","partitions":null,"rows":null,"bytes":null}
EXCHANGE	SHUFFLE (k) for SortMergeJoin	KEPT	no claim says that the rows of a key lie together	{"kind":"SHUFFLE","keys":"k","operator":"SortMergeJoin","outcome":"KEPT","reason":"no claim says that the rows of a key lie together","saved_by":null,"partitions":5,"rows":null,"bytes":null}

-- query
EXPLAIN CLAUSES SELECT item, k FROM pairs ASSUME PARTITIONED BY (item, k) INTO 4 PARTITIONS USING HASH SPARK NOT ENFORCED GROUP BY item, k
-- result
ASSUME	spark_catalog.default.pairs (item, k) INTO 4 PARTITIONS USING HASH SPARK	USED	NULL	{"keys":"item, k INTO 4 PARTITIONS USING HASH SPARK","relation":"spark_catalog.default.pairs","proof":"trusted","units":4,"outcome":"USED","exchange":"item, k","exchange_avoided":true,"operator":"HashAggregate","reason":null,"verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (item, k) for HashAggregate	SAVED	spark_catalog.default.pairs is partitioned by (item, k)	{"kind":"SHUFFLE","keys":"item, k","operator":"HashAggregate","outcome":"SAVED","reason":"spark_catalog.default.pairs is partitioned by (item, k)","saved_by":"ASSUME","partitions":null,"rows":null,"bytes":null}

-- query
EXPLAIN CLAUSES SELECT v FROM sparse ASSUME PARTITIONED BY (k) INTO 16 PARTITIONS GROUP BY v
-- result
ASSUME	spark_catalog.default.sparse (k) INTO 16 PARTITIONS	NOT_USED	(v) does not contain (k)	{"keys":"k INTO 16 PARTITIONS","relation":"spark_catalog.default.sparse","proof":"checked","units":16,"outcome":"NOT_USED","exchange":"v","exchange_avoided":false,"operator":"HashAggregate","reason":"(v) does not contain (k)","verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (v) for HashAggregate	KEPT	(v) does not contain (k)	{"kind":"SHUFFLE","keys":"v","operator":"HashAggregate","outcome":"KEPT","reason":"(v) does not contain (k)","saved_by":null,"partitions":2,"rows":null,"bytes":null}

-- statement
SET spark.sql.requireAllClusterKeysForDistribution = true

-- query
EXPLAIN CLAUSES SELECT k FROM good ASSUME PARTITIONED BY (k) INTO 5 PARTITIONS USING HASH SPARK GROUP BY k
-- result
ASSUME	spark_catalog.default.good (k) INTO 5 PARTITIONS USING HASH SPARK	USED	NULL	{"keys":"k INTO 5 PARTITIONS USING HASH SPARK","relation":"spark_catalog.default.good","proof":"hash check","units":5,"outcome":"USED","exchange":"k","exchange_avoided":true,"operator":"HashAggregate","reason":null,"verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (k) for HashAggregate	SAVED	spark_catalog.default.good is partitioned by (k)	{"kind":"SHUFFLE","keys":"k","operator":"HashAggregate","outcome":"SAVED","reason":"spark_catalog.default.good is partitioned by (k)","saved_by":"ASSUME","partitions":null,"rows":null,"bytes":null}

-- query equals
SELECT k, item, count(*) AS n FROM good ASSUME PARTITIONED BY (k) INTO 5 PARTITIONS USING HASH SPARK GROUP BY k, item
-- to
SELECT k, item, count(*) AS n FROM plain GROUP BY k, item
