-- A claim below an aggregate and an Exchange, checked by the groups: the rows are those without it.
-- conf spark.sql.adaptive.enabled=true,false

-- statement
CREATE TABLE good (k BIGINT, v BIGINT, s STRUCT<x: STRING>, c STRING COLLATE UTF8_LCASE) USING parquet

-- statement
INSERT INTO good
SELECT /*+ REPARTITION(3, k) */ nullif(id % 20, 19) AS k, id AS v, named_struct('x', nullif(id % 20, 19)), IF(id % 2 = 0, 'a', 'A') || id % 20
FROM range(200)

-- statement
CREATE TABLE bad USING orc AS SELECT /*+ REPARTITION(3, v) */ k, v FROM good

-- query equals
SELECT k, count(*) AS n, sum(v) AS v FROM bad ASSUME PARTITIONED BY (k) GROUP BY k ORDER BY n, k
-- to
SELECT k, count(*) AS n, sum(v) AS v FROM bad GROUP BY k ORDER BY n, k

-- query equals
SELECT count(*) AS groups, sum(n) AS n FROM (SELECT count(*) AS n FROM good ASSUME PARTITIONED BY (k) GROUP BY k)
-- to
SELECT count(*) AS groups, sum(n) AS n FROM (SELECT count(*) AS n FROM good GROUP BY k)

-- query equals
-- known to be false by now
SELECT count(*) AS groups, sum(n) AS n FROM (SELECT count(*) AS n FROM bad ASSUME PARTITIONED BY (k) GROUP BY k)
-- to
SELECT count(*) AS groups, sum(n) AS n FROM (SELECT count(*) AS n FROM bad GROUP BY k)

-- query equals
-- a key that is a field
SELECT n, count(*) AS groups FROM (SELECT s.x, count(*) AS n FROM good ASSUME PARTITIONED BY (s.x) GROUP BY s.x) GROUP BY n
-- to
SELECT n, count(*) AS groups FROM (SELECT s.x, count(*) AS n FROM good GROUP BY s.x) GROUP BY n

-- query equals
-- a key under a collation; the claim is false by v alone
SELECT count(*) AS groups, max(n) AS n FROM (SELECT c, count(DISTINCT v) AS n FROM good ASSUME PARTITIONED BY (c) GROUP BY c HAVING n > 3)
-- to
SELECT count(*) AS groups, max(n) AS n FROM (SELECT c, count(DISTINCT v) AS n FROM good GROUP BY c HAVING n > 3)

-- query equals
-- a key that is computed, below two aggregates
SELECT h, count(*) AS n FROM (SELECT k * 2 AS h, v % 7 AS w FROM bad) AS b ASSUME PARTITIONED BY (h)
GROUP BY h, w DISTRIBUTE BY n
-- to
SELECT h, count(*) AS n FROM (SELECT k * 2 AS h, v % 7 AS w FROM bad) GROUP BY h, w

-- query equals
-- one Exchange that is read twice
WITH g AS (SELECT /*+ REPARTITION(2) */ * FROM (SELECT w, count(*) AS n FROM (SELECT v % 50 AS w FROM bad) AS b ASSUME PARTITIONED BY (w) GROUP BY w))
SELECT a.w, b.n FROM g AS a JOIN g AS b ON a.w = b.w
-- to
SELECT v % 50 AS w, count(*) AS n FROM bad GROUP BY 1

-- query equals
-- a sorted aggregate
SELECT max(m) AS m, count(*) AS n FROM (SELECT k, max(s.x) AS m FROM good ASSUME PARTITIONED BY (k) GROUP BY k)
-- to
SELECT max(m) AS m, count(*) AS n FROM (SELECT k, max(s.x) AS m FROM good GROUP BY k)

-- query error(EDDYLINE_ASSUME.VIOLATED, 22000)
  SELECT k, count(*) AS n FROM (SELECT k, v AS w FROM bad) AS b ASSUME PARTITIONED BY (k) ENFORCED ON VIOLATION FAIL GROUP BY k ORDER BY n
--                                                              ^^^^^^^^^^^^^^^^^^^^^

-- statement
CREATE TABLE worse USING parquet AS SELECT /*+ REPARTITION(3, v) */ k, v FROM good

-- statement
CREATE TABLE nested (s STRUCT<x: STRING, y: STRING>) USING parquet

-- statement
INSERT INTO nested SELECT /*+ REPARTITION(3, x) */ named_struct('x', string(id % 20), 'y', string(id % 7)) FROM (SELECT id, id % 20 AS x FROM range(100))

-- statement
CREATE TABLE lists USING parquet AS SELECT /*+ REPARTITION(3, x) */ array(x) AS a FROM (SELECT id % 20 AS x FROM range(100))

-- query equals
-- a hash without generated code before Spark 4.3
SELECT n, count(*) AS groups FROM (SELECT count(*) AS n FROM lists ASSUME PARTITIONED BY (a) GROUP BY a) GROUP BY n
-- to
SELECT n, count(*) AS groups FROM (SELECT count(*) AS n FROM lists GROUP BY a) GROUP BY n

-- query equals
SELECT n, count(*) AS groups FROM (SELECT count(*) AS n FROM nested ASSUME PARTITIONED BY (s.x) GROUP BY s.x) GROUP BY n
-- to
SELECT n, count(*) AS groups FROM (SELECT count(*) AS n FROM nested GROUP BY s.x) GROUP BY n

-- query equals
-- another field, which is the only one that is read as well
SELECT n, count(*) AS groups FROM (SELECT count(*) AS n FROM nested ASSUME PARTITIONED BY (s.y) GROUP BY s.y) GROUP BY n
-- to
SELECT n, count(*) AS groups FROM (SELECT count(*) AS n FROM nested GROUP BY s.y) GROUP BY n

-- query error(EDDYLINE_ASSUME.VIOLATED, 22000)
  SELECT k, count(*) AS n FROM worse ASSUME PARTITIONED BY (k) ENFORCED ON VIOLATION FAIL GROUP BY k ORDER BY n
--                                   ^^^^^^^^^^^^^^^^^^^^^
