-- Kinds of keys: what GROUP BY takes for equal, the check must take for equal.
-- conf spark.sql.ansi.enabled=true,false

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

-- query equals
-- CAST depends on the time zone, so its verdict is not kept
SELECT date(ts) AS day, count(*) AS n
FROM (SELECT timestamp_seconds(v * 3600) AS ts FROM kinds) ASSUME PARTITIONED BY (date(ts)) GROUP BY date(ts)
-- to
SELECT date(ts) AS day, count(*) AS n FROM (SELECT timestamp_seconds(v * 3600) AS ts FROM kinds) GROUP BY date(ts)
