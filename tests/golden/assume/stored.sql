-- A claim in a cache or a view stays with it: a checked one is right, one that is trusted is wrong for every query.
-- conf spark.sql.adaptive.enabled=true,false
-- conf spark.sql.autoBroadcastJoinThreshold=-1

-- statement
CREATE TABLE bad USING parquet AS SELECT /*+ REPARTITION(3, v) */ id % 20 AS k, id AS v FROM range(200)

-- statement
CACHE TABLE read AS SELECT k, v FROM bad ASSUME PARTITIONED BY (k)

-- query equals
SELECT k, count(*) AS n FROM read GROUP BY k
-- to
SELECT k, count(*) AS n FROM bad GROUP BY k

-- statement
CACHE TABLE ranked AS SELECT k, v, row_number() OVER (PARTITION BY k ORDER BY v) AS r FROM bad ASSUME PARTITIONED BY (k)

-- query equals
-- partitioned by k after all, by the shuffle that took the claim's place
SELECT k, count(*) AS n, max(r) AS r FROM ranked GROUP BY k
-- to
SELECT k, count(*) AS n, 10 AS r FROM bad GROUP BY k

-- query equals
SELECT a.k, a.r, b.v FROM ranked a JOIN ranked b ON a.k = b.k WHERE a.v < 50
-- to
SELECT a.k, INT(ceil((a.v + 1) / 20)) AS r, b.v FROM bad a JOIN bad b ON a.k = b.k WHERE a.v < 50

-- query equals
SELECT a.k, b.r, b.v FROM bad a ASSUME PARTITIONED BY (k) JOIN ranked b ON a.k = b.k WHERE b.r = 1
-- to
SELECT a.k, 1 AS r, a.k AS v FROM bad a

-- statement
CACHE TABLE trusted AS SELECT k, v, row_number() OVER (PARTITION BY k ORDER BY v) AS r FROM bad ASSUME PARTITIONED BY (k) NOT ENFORCED

-- query
-- the rows of the cache, and what a query takes its partitions for
SELECT max(r) < 10 AS wrong, count(*) AS n FROM trusted
-- result
true	200

-- query
SELECT count(*) > 20 AS wrong, sum(n) AS n FROM (SELECT k, count(*) AS n FROM trusted GROUP BY k)
-- result
true	200

-- statement
UNCACHE TABLE read

-- statement
UNCACHE TABLE ranked

-- statement
UNCACHE TABLE trusted

-- query equals
-- files are not alike by a claim, even those of one table
SELECT a.k, count(*) AS n FROM bad a ASSUME PARTITIONED BY (k) JOIN bad b ASSUME PARTITIONED BY (k) ON a.k = b.k GROUP BY a.k
-- to
SELECT a.k, count(*) AS n FROM bad a JOIN bad b ON a.k = b.k GROUP BY a.k

-- query equals
SELECT a.k, a.v, b.v AS w FROM bad a ASSUME PARTITIONED BY (k) LEFT JOIN (SELECT * FROM bad WHERE v % 3 = 0) b ASSUME PARTITIONED BY (k)
ON a.k = b.k AND a.v < b.v
-- to
SELECT a.k, a.v, b.v AS w FROM bad a LEFT JOIN bad b ON a.k = b.k AND a.v < b.v AND b.v % 3 = 0

-- statement
CREATE VIEW stored AS SELECT k, v FROM bad ASSUME PARTITIONED BY (k)

-- query equals
SELECT k, count(*) AS n FROM stored GROUP BY k
-- to
SELECT k, count(*) AS n FROM bad GROUP BY k

-- query equals
SELECT a.k, count(*) AS n FROM stored a JOIN stored b ON a.k = b.k GROUP BY a.k
-- to
SELECT a.k, count(*) AS n FROM bad a JOIN bad b ON a.k = b.k GROUP BY a.k
