-- A check is part of the code of a stage, or of none: true and false claims give the same rows.
-- conf spark.sql.adaptive.enabled=true,false
-- conf spark.sql.codegen.wholeStage=true,false

-- statement
CREATE TABLE good USING parquet AS SELECT /*+ REPARTITION(3, k) */ id % 20 AS k, id AS v FROM range(200)

-- statement
CREATE TABLE bad USING json AS SELECT /*+ REPARTITION(3, v) */ k, v FROM good

-- query equals
SELECT k, count(*) AS n, sum(v) AS v FROM good ASSUME PARTITIONED BY (k) WHERE v > 20 GROUP BY k
-- to
SELECT k, count(*) AS n, sum(v) AS v FROM good WHERE v > 20 GROUP BY k

-- query equals
SELECT b.k, count(*) AS n, sum(g.v) AS v FROM bad AS b ASSUME PARTITIONED BY (k)
JOIN (SELECT k, max(v) AS v FROM good ASSUME PARTITIONED BY (k) GROUP BY k) AS g ON b.k = g.k GROUP BY b.k
-- to
SELECT b.k, count(*) AS n, sum(g.v) AS v FROM bad AS b JOIN (SELECT k, max(v) AS v FROM good GROUP BY k) AS g ON b.k = g.k
GROUP BY b.k

-- query equals
-- each row is compared with the number of its file
SELECT k, count(*) AS n, sum(v) AS v FROM good ASSUME PARTITIONED BY (k) INTO 3 PARTITIONS USING HASH SPARK GROUP BY k
-- to
SELECT k, count(*) AS n, sum(v) AS v FROM good GROUP BY k

-- query equals
SELECT k, count(*) AS n, sum(v) AS v FROM bad ASSUME PARTITIONED BY (k) INTO 3 PARTITIONS USING HASH SPARK GROUP BY k
-- to
SELECT k, count(*) AS n, sum(v) AS v FROM bad GROUP BY k

-- query equals
-- a relation whose files have each key lies beside another by the numbers of their units
SELECT a.k, count(*) AS n, sum(b.v) AS v
FROM good a ASSUME PARTITIONED BY (k) LAYOUT twin JOIN good b ASSUME PARTITIONED BY (k) LAYOUT twin ON a.k = b.k GROUP BY a.k
-- to
SELECT a.k, count(*) AS n, sum(b.v) AS v FROM good a JOIN good b ON a.k = b.k GROUP BY a.k

-- query equals
-- keys that are derived from those of the query's own shuffle
SELECT u, count(*) AS n FROM (SELECT concat('u', k) AS u FROM bad DISTRIBUTE BY k) AS s ASSUME PARTITIONED BY (u) NOT ENFORCED
GROUP BY u
-- to
SELECT concat('u', k) AS u, count(*) AS n FROM bad GROUP BY k

-- query error(EDDYLINE_ASSUME.VIOLATED, 22000)
  SELECT k, count(*) FROM bad ASSUME PARTITIONED BY (k) ENFORCED ON VIOLATION FAIL GROUP BY k
--                            ^^^^^^^^^^^^^^^^^^^^^
