-- Kinds of keys: what GROUP BY takes for equal, the check must take for equal.
-- conf spark.sql.ansi.enabled=true,false
-- conf spark.sql.adaptive.enabled=true,false
-- conf spark.sql.codegen.wholeStage=true,false

-- statement
CREATE TABLE words USING parquet AS
SELECT if(id % 2 = 0, 'Key', 'KEY') || id % 10 AS plain, (if(id % 2 = 0, 'Key', 'KEY') || id % 10) COLLATE UTF8_LCASE AS s, id % 2 AS half
FROM range(200)

-- statement
-- a file for each spelling: true of strings, false under the collation
CREATE TABLE spelled USING parquet AS SELECT /*+ REPARTITION(4, plain) */ * FROM (
  SELECT if(id < 100, 'Key', 'KEY') || id % 10 AS plain, (if(id < 100, 'Key', 'KEY') || id % 10) COLLATE UTF8_LCASE AS s FROM range(200))

-- query equals
SELECT lower(s) AS s, n FROM (SELECT s, count(*) AS n FROM spelled ASSUME PARTITIONED BY (s) GROUP BY s)
-- to
SELECT lower(s) AS s, n FROM (SELECT s, count(*) AS n FROM spelled GROUP BY s)

-- query equals
SELECT plain, count(*) AS n FROM spelled ASSUME PARTITIONED BY (plain) ENFORCED ON VIOLATION FAIL GROUP BY plain
-- to
SELECT plain, count(*) AS n FROM spelled GROUP BY plain

-- query error(EDDYLINE_ASSUME.VIOLATED, 22000)
  SELECT s, count(*) AS n FROM spelled ASSUME PARTITIONED BY (s) ENFORCED ON VIOLATION FAIL GROUP BY s
--                                     ^^^^^^^^^^^^^^^^^^^^^

-- statement
CREATE TABLE kinds USING parquet AS SELECT /*+ REPARTITION(3, v) */ * FROM (
  SELECT id AS v, CAST(id % 5 AS DECIMAL(20, 2)) AS d, array(id % 5, NULL) AS a, struct(id % 5 AS x, CAST(NULL AS INT) AS y) AS st,
         CAST(CAST(id % 5 AS STRING) AS BINARY) AS b, DATE'2020-01-01' + CAST(id % 5 AS INT) AS dt, id % 5 = 1 AS t,
         make_dt_interval(CAST(id % 5 AS INT)) AS i, CAST(id % 5 AS CHAR(3)) AS c,
         CAST(NULL AS STRING) AS n
  FROM range(100))

-- query equals
SELECT d, count(*) AS n FROM kinds ASSUME PARTITIONED BY (d) GROUP BY d
-- to
SELECT d, count(*) AS n FROM kinds GROUP BY d

-- query equals
SELECT a, count(*) AS n FROM kinds ASSUME PARTITIONED BY (a) GROUP BY a
-- to
SELECT a, count(*) AS n FROM kinds GROUP BY a

-- query equals
SELECT st, count(*) AS n FROM kinds ASSUME PARTITIONED BY (st) GROUP BY st
-- to
SELECT st, count(*) AS n FROM kinds GROUP BY st

-- query equals
SELECT hex(b) AS b, count(*) AS n FROM kinds ASSUME PARTITIONED BY (b) GROUP BY b
-- to
SELECT hex(b) AS b, count(*) AS n FROM kinds GROUP BY b

-- query equals
SELECT dt, t, count(*) AS n FROM kinds ASSUME PARTITIONED BY (dt, t) GROUP BY t, dt
-- to
SELECT dt, t, count(*) AS n FROM kinds GROUP BY t, dt

-- query equals
SELECT CAST(i AS STRING) AS i, c, count(*) AS n FROM kinds ASSUME PARTITIONED BY (c, i) GROUP BY i, c
-- to
SELECT CAST(i AS STRING) AS i, c, count(*) AS n FROM kinds GROUP BY i, c

-- query equals
-- NULL is one key
SELECT n, count(*) AS c FROM kinds ASSUME PARTITIONED BY (n) GROUP BY n
-- to
SELECT n, count(*) AS c FROM kinds GROUP BY n

-- query error(EDDYLINE_ASSUME.VIOLATED, 22000)
  SELECT n, count(*) FROM kinds ASSUME PARTITIONED BY (n) ENFORCED ON VIOLATION FAIL GROUP BY n
--                              ^^^^^^^^^^^^^^^^^^^^^

-- statement
-- the same kinds of keys, each in one file
CREATE TABLE kept USING parquet AS SELECT /*+ REPARTITION(3, x) */ * FROM (
  SELECT id AS v, id % 5 AS x, CAST(id % 5 AS DECIMAL(20, 2)) AS d, array(id % 5, NULL) AS a, struct(id % 5 AS x, CAST(NULL AS INT) AS y) AS st,
         CAST(CAST(id % 5 AS STRING) AS BINARY) AS b, DATE'2020-01-01' + CAST(id % 5 AS INT) AS dt, id % 5 = 1 AS t,
         make_dt_interval(CAST(id % 5 AS INT)) AS i, make_ym_interval(CAST(id % 5 AS INT)) AS y, CAST(id % 5 AS CHAR(3)) AS c,
         CAST(id % 5 AS STRING) AS s, timestamp_seconds(id % 5) AS ts, TIMESTAMP_NTZ'2020-01-01 00:00:00' + make_dt_interval(CAST(id % 5 AS INT)) AS tn
  FROM range(100))

-- query
SELECT count(DISTINCT _metadata.file_name) > 1 AS several FROM kept
-- result
true

-- query equals
-- what is true the check takes for true
SELECT CAST(d AS STRING) AS k, count(*) AS n FROM kept ASSUME PARTITIONED BY (d) ENFORCED ON VIOLATION FAIL GROUP BY d
UNION ALL SELECT CAST(a AS STRING), count(*) FROM kept ASSUME PARTITIONED BY (a) ENFORCED ON VIOLATION FAIL GROUP BY a
UNION ALL SELECT CAST(st AS STRING), count(*) FROM kept ASSUME PARTITIONED BY (st) ENFORCED ON VIOLATION FAIL GROUP BY st
UNION ALL SELECT hex(b), count(*) FROM kept ASSUME PARTITIONED BY (b) ENFORCED ON VIOLATION FAIL GROUP BY b
UNION ALL SELECT dt || ' ' || t, count(*) FROM kept ASSUME PARTITIONED BY (dt, t) ENFORCED ON VIOLATION FAIL GROUP BY t, dt
UNION ALL SELECT ts || '', count(*) FROM kept ASSUME PARTITIONED BY (ts) ENFORCED ON VIOLATION FAIL GROUP BY ts
UNION ALL SELECT tn || '', count(*) FROM kept ASSUME PARTITIONED BY (tn) ENFORCED ON VIOLATION FAIL GROUP BY tn
UNION ALL SELECT CAST(i AS STRING), count(*) FROM kept ASSUME PARTITIONED BY (i) ENFORCED ON VIOLATION FAIL GROUP BY i
UNION ALL SELECT CAST(y AS STRING), count(*) FROM kept ASSUME PARTITIONED BY (y) ENFORCED ON VIOLATION FAIL GROUP BY y
UNION ALL SELECT c || s, count(*) FROM kept ASSUME PARTITIONED BY (c, s) ENFORCED ON VIOLATION FAIL GROUP BY c, s
-- to
SELECT CAST(d AS STRING) AS k, count(*) AS n FROM kept GROUP BY d
UNION ALL SELECT CAST(a AS STRING), count(*) FROM kept GROUP BY a
UNION ALL SELECT CAST(st AS STRING), count(*) FROM kept GROUP BY st
UNION ALL SELECT hex(b), count(*) FROM kept GROUP BY b
UNION ALL SELECT dt || ' ' || t, count(*) FROM kept GROUP BY t, dt
UNION ALL SELECT ts || '', count(*) FROM kept GROUP BY ts
UNION ALL SELECT tn || '', count(*) FROM kept GROUP BY tn
UNION ALL SELECT CAST(i AS STRING), count(*) FROM kept GROUP BY i
UNION ALL SELECT CAST(y AS STRING), count(*) FROM kept GROUP BY y
UNION ALL SELECT c || s, count(*) FROM kept GROUP BY c, s

-- query error(EDDYLINE_ASSUME.VIOLATED, 22000)
-- what is false it does not: of the kinds that are above in no query
  SELECT ts, count(*) FROM (SELECT v, timestamp_seconds(v % 5) AS ts FROM kinds) ASSUME PARTITIONED BY (ts) ENFORCED ON VIOLATION FAIL GROUP BY ts
--                                                                               ^^^^^^^^^^^^^^^^^^^^^

-- query equals
-- CAST depends on the time zone, so its verdict is not kept
SELECT date(ts) AS day, count(*) AS n
FROM (SELECT timestamp_seconds(v * 3600) AS ts FROM kinds) ASSUME PARTITIONED BY (date(ts)) GROUP BY date(ts)
-- to
SELECT date(ts) AS day, count(*) AS n FROM (SELECT timestamp_seconds(v * 3600) AS ts FROM kinds) GROUP BY date(ts)

-- statement
-- other keys of arrays, each in a file of its own
CREATE TABLE arrays USING parquet PARTITIONED BY (file) AS SELECT * FROM VALUES
  (array(array(1, NULL)), array(1), array(2, 3), 0), (array(array(NULL, 1)), array(1, 2), array(3), 1) AS t(aa, a, b, file)

-- query equals
-- Spark's hash of the two is the same
SELECT CAST(aa AS STRING) AS k, count(*) AS n FROM arrays ASSUME PARTITIONED BY (aa) ENFORCED ON VIOLATION FAIL GROUP BY aa
UNION ALL SELECT CAST(a AS STRING) || CAST(b AS STRING), count(*) FROM arrays ASSUME PARTITIONED BY (a, b) ENFORCED ON VIOLATION FAIL GROUP BY a, b
-- to
SELECT CAST(aa AS STRING) AS k, 1L AS n FROM arrays UNION ALL SELECT CAST(a AS STRING) || CAST(b AS STRING), 1L FROM arrays

-- statement
-- other keys whose NULLs lie in other places, each in a file of its own
CREATE TABLE nulls USING parquet PARTITIONED BY (file) AS SELECT x, y, struct(x, y) AS st, array(x, y) AS a, file
FROM VALUES (1, NULL, 0), (NULL, 1, 1) AS t(x, y, file)

-- query equals
-- Spark's hash of the two is the same
SELECT x, y, count(*) AS n FROM nulls ASSUME PARTITIONED BY (x, y) ENFORCED ON VIOLATION FAIL GROUP BY x, y
UNION ALL SELECT st.x, st.y, count(*) FROM nulls ASSUME PARTITIONED BY (st) ENFORCED ON VIOLATION FAIL GROUP BY st
UNION ALL SELECT a[0], a[1], count(*) FROM nulls ASSUME PARTITIONED BY (a) ENFORCED ON VIOLATION FAIL GROUP BY a
-- to
SELECT x, y, 1L AS n FROM nulls UNION ALL SELECT x, y, 1L FROM nulls UNION ALL SELECT x, y, 1L FROM nulls
