-- A claim about files is checked; a true one, a false one and none give the same rows.
-- conf spark.sql.adaptive.enabled=true,false
-- conf spark.sql.files.maxPartitionBytes=3000,134217728
-- conf spark.sql.autoBroadcastJoinThreshold=-1

-- statement
CREATE TABLE good USING parquet AS SELECT /*+ REPARTITION(5, k) */ * FROM (
  SELECT nullif(id % 50, 7) AS k, id % 3 AS item, id AS v, named_struct('x', nullif(id % 50, 7), 'y', id) AS st FROM range(2000))

-- statement
CREATE TABLE bad USING parquet AS SELECT /*+ REPARTITION(5, v) */ * FROM good

-- query equals
SELECT k, count(*) AS n, sum(v) AS v FROM good ASSUME PARTITIONED BY (k) GROUP BY k
-- to
SELECT k, count(*) AS n, sum(v) AS v FROM good GROUP BY k

-- query equals
SELECT k, count(*) AS n, sum(v) AS v FROM bad ASSUME PARTITIONED BY (k) GROUP BY k
-- to
SELECT k, count(*) AS n, sum(v) AS v FROM bad GROUP BY k

-- query equals
SELECT k, item, count(DISTINCT v) AS n FROM bad AS b ASSUME PARTITIONED BY (b.k) WHERE v > 30 GROUP BY k, item
-- to
SELECT k, item, count(DISTINCT v) AS n FROM bad WHERE v > 30 GROUP BY k, item

-- query equals since 4.2
SELECT k, v, row_number() OVER (PARTITION BY k ORDER BY v) AS r FROM bad ASSUME PARTITIONED BY (k) QUALIFY r < 4
-- to
SELECT k, v, row_number() OVER (PARTITION BY k ORDER BY v) AS r FROM bad QUALIFY r < 4

-- query equals since 4.2
SELECT k, v, row_number() OVER (PARTITION BY k ORDER BY v) AS r FROM good ASSUME PARTITIONED BY (k) QUALIFY r < 4
-- to
SELECT k, v, row_number() OVER (PARTITION BY k ORDER BY v) AS r FROM good QUALIFY r < 4

-- query equals
SELECT DISTINCT st.x AS x FROM bad ASSUME PARTITIONED BY (st.x)
-- to
SELECT DISTINCT st.x AS x FROM bad

-- query equals
SELECT st.x AS x, max(st.y) AS y FROM good ASSUME PARTITIONED BY (st.x) GROUP BY st.x
-- to
SELECT st.x AS x, max(st.y) AS y FROM good GROUP BY st.x

-- query equals
-- a key that is computed: k and k + 25 lie in two files
SELECT k % 25 AS m, count(*) AS n FROM good ASSUME PARTITIONED BY (k % 25) GROUP BY k % 25
-- to
SELECT k % 25 AS m, count(*) AS n FROM good GROUP BY k % 25

-- query equals
SELECT m, count(*) AS n FROM (SELECT k AS m FROM good WHERE v > 9) ASSUME PARTITIONED BY (m) GROUP BY m
-- to
SELECT k AS m, count(*) AS n FROM good WHERE v > 9 GROUP BY k

-- query equals
SELECT g.k, count(*) AS n FROM good g ASSUME PARTITIONED BY (k) JOIN bad b ASSUME PARTITIONED BY (k) ON g.k = b.k AND g.v < b.v
GROUP BY g.k
-- to
SELECT g.k, count(*) AS n FROM good g JOIN bad b ON g.k = b.k AND g.v < b.v GROUP BY g.k

-- query equals
SELECT k, count(*) AS n FROM (
  SELECT k FROM good ASSUME PARTITIONED BY (k) WHERE k < 20 UNION ALL SELECT k FROM good ASSUME PARTITIONED BY (k)
  UNION ALL SELECT k FROM bad ASSUME PARTITIONED BY (k)) GROUP BY k
-- to
SELECT k, count(*) AS n FROM (
  SELECT k FROM good WHERE k < 20 UNION ALL SELECT k FROM good UNION ALL SELECT k FROM bad) GROUP BY k

-- query equals
WITH c AS (SELECT * FROM bad ASSUME PARTITIONED BY (k))
SELECT a.k, a.n, b.m FROM (SELECT k, count(*) AS n FROM c GROUP BY k) a
JOIN (SELECT k, max(v) AS m FROM c GROUP BY k) b ON a.k = b.k
-- to
SELECT a.k, a.n, b.m FROM (SELECT k, count(*) AS n FROM bad GROUP BY k) a
JOIN (SELECT k, max(v) AS m FROM bad GROUP BY k) b ON a.k = b.k

-- query equals
SELECT /*+ BROADCAST(r) */ k, count(*) AS n FROM bad ASSUME PARTITIONED BY (k) JOIN range(9) AS r ON item = r.id GROUP BY k
-- to
SELECT k, count(*) AS n FROM bad JOIN range(9) AS r ON item = r.id GROUP BY k

-- query equals
COGROUP good ASSUME PARTITIONED BY (k) BY k, bad AS b ASSUME PARTITIONED BY (k) BY k, bad AS c BY k
AGGREGATE count(good.v) AS n, sum(b.v) AS m, count(c.*) AS l
-- to
COGROUP good BY k, bad AS b BY k, bad AS c BY k AGGREGATE count(good.v) AS n, sum(b.v) AS m, count(c.*) AS l

-- query equals
SELECT k, (SELECT count(*) FROM (SELECT DISTINCT k FROM bad ASSUME PARTITIONED BY (k))) AS n FROM good GROUP BY k
-- to
SELECT k, 50L AS n FROM good GROUP BY k

-- query
-- a file is no key: the first 100 rows of a key are not those of a file
SELECT count(*) FROM (SELECT k FROM bad ASSUME PARTITIONED BY (k) GROUP BY k LIMIT 100)
-- result
50

-- query equals
SELECT k, count(*) AS n FROM good ASSUME PARTITIONED BY (k) ENFORCED ON VIOLATION FAIL GROUP BY k
-- to
SELECT k, count(*) AS n FROM good GROUP BY k

-- query error(EDDYLINE_ASSUME.VIOLATED, 22000)
  SELECT k, count(*) AS n FROM bad ASSUME PARTITIONED BY (k) ENFORCED ON VIOLATION FAIL GROUP BY k
--                                 ^^^^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_ASSUME.VIOLATED, 22000)
  SELECT max(n) FROM (SELECT k, count(*) AS n FROM bad ASSUME PARTITIONED BY (k) ENFORCED ON VIOLATION FAIL GROUP BY k)
--                                                     ^^^^^^^^^^^^^^^^^^^^^

-- query
-- unused, so not checked
SELECT count(*) FROM bad ASSUME PARTITIONED BY (k) ENFORCED ON VIOLATION FAIL
-- result
2000

-- query
-- what trust gives: a group for each file that the key is in
SELECT count(*) > 50 AS wrong, sum(n) FROM (
  SELECT k, count(*) AS n FROM bad ASSUME PARTITIONED BY (k) NOT ENFORCED GROUP BY k)
-- result
true	2000

-- query equals
SELECT k, count(*) AS n FROM good ASSUME PARTITIONED BY (k) NOT ENFORCED GROUP BY k
-- to
SELECT k, count(*) AS n FROM good GROUP BY k

-- statement
-- too many keys to check: not proven
SET spark.eddyline.assume.check.maxKeys = 10

-- query equals
SELECT item + k AS s, count(*) AS n FROM bad ASSUME PARTITIONED BY (item + k) GROUP BY item + k
-- to
SELECT item + k AS s, count(*) AS n FROM bad GROUP BY item + k
