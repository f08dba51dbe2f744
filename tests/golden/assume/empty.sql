-- Relations without rows, of no file and of an empty file: no claim about them is false, and none changes a row.
-- conf spark.sql.adaptive.enabled=true,false
-- conf spark.sql.autoBroadcastJoinThreshold=-1

-- statement
CREATE TABLE nothing (k BIGINT, v BIGINT) USING parquet

-- statement
CREATE TABLE hollow USING parquet AS SELECT id AS k, id AS v FROM range(5) WHERE id > 9

-- statement
CREATE TABLE no_days (k BIGINT, v BIGINT, day INT) USING parquet PARTITIONED BY (day)

-- statement
CREATE TABLE visits USING parquet AS SELECT /*+ REPARTITION(3, k) */ id % 5 AS k, id AS v FROM range(20)

-- statement
CREATE TABLE days USING parquet PARTITIONED BY (day) AS SELECT id AS v, CAST(id % 3 AS INT) AS day FROM range(9)

-- query
SELECT k, count(*) AS n FROM nothing ASSUME PARTITIONED BY (k) ENFORCED ON VIOLATION FAIL GROUP BY k
-- result

-- query
SELECT k, count(*) AS n FROM hollow ASSUME PARTITIONED BY (k) LAYOUT l GROUP BY k
-- result

-- query
SELECT day, k, row_number() OVER (PARTITION BY day ORDER BY v) AS r FROM no_days ASSUME PARTITIONED BY (day)
-- result

-- query equals
-- no keys: one row without a group
SELECT count(*) AS n, sum(v) AS v FROM nothing ASSUME PARTITIONED BY (k)
-- to
SELECT count(*) AS n, sum(v) AS v FROM nothing

-- query equals
-- totals over no group, of each kind of claim
SELECT 1 AS c, count(*) AS n, sum(m) AS m FROM (SELECT count(*) AS m FROM nothing ASSUME PARTITIONED BY (k) GROUP BY k)
UNION ALL
SELECT 2, count(*), sum(m) FROM (SELECT count(*) AS m FROM hollow ASSUME PARTITIONED BY (k) ENFORCED ON VIOLATION FAIL GROUP BY k)
UNION ALL
SELECT 3, count(*), sum(m) FROM (SELECT count(*) AS m FROM nothing ASSUME PARTITIONED BY (k) NOT ENFORCED GROUP BY k)
UNION ALL
SELECT 4, count(*), sum(m) FROM (SELECT count(*) AS m FROM hollow ASSUME PARTITIONED BY (v) ENFORCED GROUP BY v)
UNION ALL
SELECT 5, count(*), sum(m) FROM (SELECT count(*) AS m FROM nothing ASSUME PARTITIONED BY (k) INTO 4 PARTITIONS GROUP BY k)
UNION ALL
SELECT 6, count(*), sum(m) FROM (SELECT count(*) AS m FROM nothing ASSUME PARTITIONED BY (k) LAYOUT l GROUP BY k)
UNION ALL
SELECT 7, count(*), sum(m) FROM (
  SELECT count(*) AS m FROM hollow ASSUME PARTITIONED BY (k) INTO 4 PARTITIONS USING HASH SPARK ENFORCED ON VIOLATION FAIL GROUP BY k)
UNION ALL
SELECT 8, count(*), sum(m) FROM (SELECT count(*) AS m FROM no_days ASSUME PARTITIONED BY (day) GROUP BY day)
UNION ALL
SELECT 9, count(*), sum(m) FROM (SELECT count(*) AS m FROM no_days ASSUME PARTITIONED BY (k) ENFORCED ON VIOLATION FAIL GROUP BY k)
-- to
SELECT INT(id + 1) AS c, 0L AS n, CAST(NULL AS BIGINT) AS m FROM range(9)

-- query equals
SELECT v.k, e.v AS w FROM visits v ASSUME PARTITIONED BY (k) INTO 3 PARTITIONS USING HASH SPARK
LEFT JOIN nothing e ASSUME PARTITIONED BY (k) INTO 3 PARTITIONS USING HASH SPARK ON v.k = e.k
-- to
SELECT v.k, e.v AS w FROM visits v LEFT JOIN nothing e ON v.k = e.k

-- query equals
-- units of one layout, of which a side has none
SELECT v.k, e.v AS w FROM visits v ASSUME PARTITIONED BY (k) LAYOUT l LEFT JOIN nothing e ASSUME PARTITIONED BY (k) LAYOUT l ON v.k = e.k
UNION ALL
SELECT v.k, e.v FROM hollow e ASSUME PARTITIONED BY (k) LAYOUT l FULL JOIN visits v ASSUME PARTITIONED BY (k) LAYOUT l ON v.k = e.k
-- to
SELECT v.k, e.v AS w FROM visits v LEFT JOIN nothing e ON v.k = e.k
UNION ALL
SELECT v.k, e.v FROM hollow e FULL JOIN visits v ON v.k = e.k

-- query equals
SELECT d.day, d.v, e.k FROM days d ASSUME PARTITIONED BY (day) LEFT JOIN no_days e ASSUME PARTITIONED BY (day) ON d.day = e.day
UNION ALL
SELECT d.day, d.v, e.k FROM days d ASSUME PARTITIONED BY (day) LEFT JOIN no_days e ON d.day = e.day
-- to
SELECT d.day, d.v, e.k FROM days d LEFT JOIN no_days e ON d.day = e.day
UNION ALL
SELECT d.day, d.v, e.k FROM days d LEFT JOIN no_days e ON d.day = e.day

-- query
SELECT d.day FROM no_days e ASSUME PARTITIONED BY (day) JOIN days d ASSUME PARTITIONED BY (day) ON d.day = e.day
-- result

-- query equals
COGROUP no_days ASSUME PARTITIONED BY (day) BY day, days ASSUME PARTITIONED BY (day) BY day
AGGREGATE count(no_days.k) AS n, sum(days.v) AS v
-- to
COGROUP no_days BY day, days BY day AGGREGATE count(no_days.k) AS n, sum(days.v) AS v

-- query equals
COGROUP nothing ASSUME PARTITIONED BY (k) BY k, visits ASSUME PARTITIONED BY (k) ENFORCED ON VIOLATION FAIL BY k,
        hollow ASSUME PARTITIONED BY (k) BY k
AGGREGATE count(nothing.v) AS n, sum(visits.v) AS v, max(hollow.v) AS m
-- to
COGROUP nothing BY k, visits BY k, hollow BY k AGGREGATE count(nothing.v) AS n, sum(visits.v) AS v, max(hollow.v) AS m

-- query equals
SELECT day, count(*) AS n FROM (
  SELECT day FROM days ASSUME PARTITIONED BY (day) UNION ALL SELECT day FROM no_days ASSUME PARTITIONED BY (day)
  UNION ALL SELECT INT(k) FROM hollow ASSUME PARTITIONED BY (k)) GROUP BY day
-- to
SELECT day, count(*) AS n FROM days GROUP BY day

-- query
CHECK ASSUMPTION ON nothing PARTITIONED BY (k)
-- result

-- query
CHECK ASSUMPTION ON hollow PARTITIONED BY (k) LIMIT 3
-- result

-- query
CHECK ASSUMPTION ON no_days PARTITIONED BY (day, k)
-- result

-- query
EXPLAIN CLAUSES SELECT k FROM nothing ASSUME PARTITIONED BY (k) GROUP BY k
-- result
ASSUME	spark_catalog.default.nothing (k)	USED	NULL	{"keys":"k","relation":"spark_catalog.default.nothing","proof":"checked","units":0,"outcome":"USED","exchange":"k","exchange_avoided":true,"operator":"HashAggregate","reason":null,"verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (k) for HashAggregate	SAVED	spark_catalog.default.nothing is partitioned by (k)	{"kind":"SHUFFLE","keys":"k","operator":"HashAggregate","outcome":"SAVED","reason":"spark_catalog.default.nothing is partitioned by (k)","saved_by":"ASSUME","partitions":null,"rows":null,"bytes":null}

-- query since 4.2
EXPLAIN CLAUSES SELECT day FROM no_days ASSUME PARTITIONED BY (day) GROUP BY day
-- result
ASSUME	spark_catalog.default.no_days (day)	USED	NULL	{"keys":"day","relation":"spark_catalog.default.no_days","proof":"structural","units":0,"outcome":"USED","exchange":"day","exchange_avoided":true,"operator":"HashAggregate","reason":null,"verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (day) for HashAggregate	SAVED	spark_catalog.default.no_days is partitioned by (day)	{"kind":"SHUFFLE","keys":"day","operator":"HashAggregate","outcome":"SAVED","reason":"spark_catalog.default.no_days is partitioned by (day)","saved_by":"ASSUME","partitions":null,"rows":null,"bytes":null}

-- statement
-- the verdict on no rows is none on the rows that come
INSERT INTO nothing SELECT /*+ REPARTITION(3, v) */ * FROM visits

-- query error(EDDYLINE_ASSUME.VIOLATED, 22000)
  SELECT k, count(*) AS n FROM nothing ASSUME PARTITIONED BY (k) ENFORCED ON VIOLATION FAIL GROUP BY k
--                                     ^^^^^^^^^^^^^^^^^^^^^

-- query equals
SELECT k, count(*) AS n FROM nothing ASSUME PARTITIONED BY (k) GROUP BY k
-- to
SELECT k, count(*) AS n FROM visits GROUP BY k
