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

-- query error(EDDYLINE_ASSUME.VIOLATED, 22000)
  SELECT k, count(*) FROM bad ASSUME PARTITIONED BY (k) ENFORCED ON VIOLATION FAIL GROUP BY k
--                            ^^^^^^^^^^^^^^^^^^^^^
