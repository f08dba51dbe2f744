-- What a check, or the shuffle in the place of a false claim, could show to the query: the rows are those without the clause.
-- conf spark.eddyline.assume.force=true
-- conf spark.sql.adaptive.enabled=true,false

-- statement
-- each key in each file
CREATE TABLE t USING parquet AS SELECT /*+ REPARTITION(3, id) */ id % 7 AS k, id % 3 AS dv, IF(id % 3 = 0, 'x', '' || id % 5) AS s, id AS v FROM range(60)

-- query equals
-- a key that is not deterministic is another one in each reading
SELECT r, count(*) AS n FROM (SELECT monotonically_increasing_id() % 2 AS r FROM t) AS s ASSUME PARTITIONED BY (r) GROUP BY r
-- to
SELECT r, count(*) AS n FROM (SELECT monotonically_increasing_id() % 2 AS r FROM t) AS s GROUP BY r

-- query equals
SELECT count(*) AS groups, sum(n) AS n FROM (
  SELECT r, count(*) AS n FROM (SELECT CAST(rand(1) * 3 AS INT) AS r FROM t) AS s ASSUME PARTITIONED BY (r) NOT ENFORCED GROUP BY r)
-- to
SELECT count(*) AS groups, sum(n) AS n FROM (SELECT r, count(*) AS n FROM (SELECT CAST(rand(1) * 3 AS INT) AS r FROM t) AS s GROUP BY r)

-- query
EXPLAIN CLAUSES SELECT r, count(*) FROM (SELECT CAST(rand(1) * 3 AS INT) AS r FROM t) AS s ASSUME PARTITIONED BY (r) GROUP BY r
-- result
ASSUME	spark_catalog.default.t (r)	DROPPED	its keys are not deterministic	{"keys":"r","relation":"spark_catalog.default.t","proof":"none","units":null,"outcome":"DROPPED","exchange":null,"exchange_avoided":null,"operator":null,"reason":"its keys are not deterministic","verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (r) for HashAggregate	KEPT	the claim (r) was dropped: its keys are not deterministic	{"kind":"SHUFFLE","keys":"r","operator":"HashAggregate","outcome":"KEPT","reason":"the claim (r) was dropped: its keys are not deterministic","saved_by":null,"partitions":2,"rows":null,"bytes":null}

-- query equals
SELECT DISTINCT k, input_file_name() AS name FROM t ASSUME PARTITIONED BY (k)
-- to
SELECT DISTINCT k, input_file_name() AS name FROM t

-- query equals
-- below the claim, in a window and in a join
SELECT k, count(DISTINCT name) AS n FROM (SELECT k, input_file_name() AS name FROM t) AS q ASSUME PARTITIONED BY (k) GROUP BY k
-- to
SELECT k, count(DISTINCT name) AS n FROM (SELECT k, input_file_name() AS name FROM t) AS q GROUP BY k

-- query equals
SELECT k, v, input_file_block_start() AS start, input_file_block_length() > 0 AS b, row_number() OVER (PARTITION BY k ORDER BY v) AS r
FROM t ASSUME PARTITIONED BY (k)
-- to
SELECT k, v, input_file_block_start() AS start, input_file_block_length() > 0 AS b, row_number() OVER (PARTITION BY k ORDER BY v) AS r FROM t

-- query equals
SELECT a.k, b.n, count(DISTINCT name) AS names
FROM (SELECT k, input_file_name() AS name FROM t ASSUME PARTITIONED BY (k)) a JOIN (SELECT k, count(*) AS n FROM t GROUP BY k) b ON a.k = b.k
GROUP BY a.k, b.n
-- to
SELECT a.k, b.n, count(DISTINCT name) AS names
FROM (SELECT k, input_file_name() AS name FROM t) a JOIN (SELECT k, count(*) AS n FROM t GROUP BY k) b ON a.k = b.k
GROUP BY a.k, b.n

-- query
EXPLAIN CLAUSES SELECT DISTINCT k, input_file_name() FROM t ASSUME PARTITIONED BY (k)
-- result
ASSUME	spark_catalog.default.t (k)	DROPPED	input_file_name() and similar functions depend on where rows are shuffled; _metadata.file_path does not	{"keys":"k","relation":"spark_catalog.default.t","proof":"none","units":null,"outcome":"DROPPED","exchange":null,"exchange_avoided":null,"operator":null,"reason":"input_file_name() and similar functions depend on where rows are shuffled; _metadata.file_path does not","verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (k, input_file_name()) for HashAggregate	KEPT	the claim (k) was dropped: input_file_name() and similar functions depend on where rows are shuffled; _metadata.file_path does not	{"kind":"SHUFFLE","keys":"k, input_file_name()","operator":"HashAggregate","outcome":"KEPT","reason":"the claim (k) was dropped: input_file_name() and similar functions depend on where rows are shuffled; _metadata.file_path does not","saved_by":null,"partitions":2,"rows":null,"bytes":null}

-- query equals
-- the name of the metadata column does not depend on it
SELECT DISTINCT k, _metadata.file_name AS name FROM t ASSUME PARTITIONED BY (k)
-- to
SELECT DISTINCT k, _metadata.file_name AS name FROM t

-- query equals
-- the check sees rows that the query leaves out before it computes a key
SELECT k, count(*) AS n FROM (SELECT CAST(s AS INT) AS k FROM t WHERE dv = 1) AS q ASSUME PARTITIONED BY (k) GROUP BY k
-- to
SELECT k, count(*) AS n FROM (SELECT CAST(s AS INT) AS k FROM t WHERE dv = 1) AS q GROUP BY k

-- query equals
SELECT 12 div dv AS q, count(*) AS n FROM t ASSUME PARTITIONED BY (12 div dv) WHERE dv <> 0 GROUP BY 12 div dv
-- to
SELECT 12 div dv AS q, count(*) AS n FROM t WHERE dv <> 0 GROUP BY 12 div dv

-- query equals
-- of such rows nothing is claimed: no group is theirs, here not that of NULL
SELECT CAST(s AS INT) AS i, count(*) AS n FROM (SELECT /*+ BROADCAST(u) */ t.* FROM
  (SELECT s, dv FROM t) AS t ASSUME PARTITIONED BY (CAST(s AS INT)) JOIN (SELECT DISTINCT dv FROM t WHERE dv <> 0) AS u ON t.dv = u.dv)
GROUP BY CAST(s AS INT)
-- to
SELECT CAST(s AS INT) AS i, count(*) AS n FROM t WHERE dv <> 0 GROUP BY CAST(s AS INT)

-- statement
-- a true claim, but for rows without a key, which lie in both files
CREATE TABLE mixed USING parquet AS SELECT /*+ REPARTITION(4, s) */ IF(id % 2 = 0, 'x' || id % 9, '' || id % 5) AS s, id % 2 AS d FROM range(60)

-- query equals
SELECT k, count(*) AS n FROM (SELECT CAST(s AS INT) AS k FROM mixed WHERE d = 1) AS q ASSUME PARTITIONED BY (k) ENFORCED ON VIOLATION FAIL GROUP BY k
-- to
SELECT k, count(*) AS n FROM (SELECT CAST(s AS INT) AS k FROM mixed WHERE d = 1) AS q GROUP BY k

-- query error(CAST_INVALID_INPUT, 22018)
-- what the query does compute fails as ever
  SELECT k, count(*) AS n FROM (SELECT CAST(s AS INT) AS k FROM mixed) AS q ASSUME PARTITIONED BY (k) GROUP BY k
--                                     ^^^^^^^^^^^^^^

-- query equals
-- outer columns below a claim
SELECT a.id, b.n FROM range(2) AS a, LATERAL (SELECT count(*) AS n FROM (SELECT * FROM t WHERE k = a.id) AS q ASSUME PARTITIONED BY (k)) AS b
-- to
SELECT a.id, b.n FROM range(2) AS a, LATERAL (SELECT count(*) AS n FROM (SELECT * FROM t WHERE k = a.id) AS q) AS b

-- query equals
SELECT a.id, (SELECT max(v) FROM (SELECT v, k + 1 AS j FROM t WHERE k = a.id) AS q ASSUME PARTITIONED BY (j)) AS m FROM range(9) AS a
-- to
SELECT a.id, (SELECT max(v) FROM (SELECT v, k + 1 AS j FROM t WHERE k = a.id) AS q) AS m FROM range(9) AS a

-- query equals
-- one that needs what the outer column computes is given up
SELECT a.id, b.n FROM range(2) AS a, LATERAL (SELECT count(*) AS n FROM (SELECT k + a.id AS j FROM t) AS q ASSUME PARTITIONED BY (j)) AS b
-- to
SELECT a.id, b.n FROM range(2) AS a, LATERAL (SELECT count(*) AS n FROM (SELECT k + a.id AS j FROM t) AS q) AS b

-- query equals
-- REBALANCE shuffles nothing without adaptive execution: the claim is none about files
SELECT k, count(*) AS n FROM (SELECT /*+ REBALANCE(k) */ * FROM t) AS s ASSUME PARTITIONED BY (k) NOT ENFORCED GROUP BY k
-- to
SELECT k, count(*) AS n FROM t GROUP BY k
