-- A claim about rows that the query has shuffled, by keys derived from those of the shuffle.
-- conf spark.sql.adaptive.enabled=true,false
-- conf spark.sql.autoBroadcastJoinThreshold=-1

-- statement
CREATE TABLE plain USING parquet AS SELECT nullif(id % 50, 7) AS k, id % 3 AS item, id AS v FROM range(1000)

-- query equals
SELECT u, count(*) AS n, sum(v) AS v
FROM (SELECT concat(k, '-', item) AS u, v FROM plain DISTRIBUTE BY k) AS s ASSUME PARTITIONED BY (u) NOT ENFORCED GROUP BY u
-- to
SELECT concat(k, '-', item) AS u, count(*) AS n, sum(v) AS v FROM plain GROUP BY concat(k, '-', item)

-- query equals
-- the keys of the shuffle stay good for others
SELECT a.k, a.n, b.m FROM (
  SELECT k, count(*) AS n FROM (SELECT /*+ REPARTITION(3, k) */ * FROM plain) AS s ASSUME PARTITIONED BY (k + item) NOT ENFORCED GROUP BY k) a
JOIN (SELECT k, count(*) AS m FROM plain GROUP BY k) b ON a.k = b.k
-- to
SELECT k, count(*) AS n, count(*) AS m FROM plain WHERE k IS NOT NULL GROUP BY k

-- query equals
-- above an aggregation, a join and a filter
SELECT u, max(n) AS n FROM (
  SELECT concat('u', a.k) AS u, a.n FROM (SELECT k, count(*) AS n FROM plain GROUP BY k) a JOIN plain b ON a.k = b.k WHERE b.v > 20)
  AS s ASSUME PARTITIONED BY (u) NOT ENFORCED
GROUP BY u
-- to
SELECT concat('u', k) AS u, 20L AS n FROM plain WHERE k IS NOT NULL GROUP BY k

-- query equals
-- an IN that becomes a join, and shuffles by its own column, in a list with a nested field
SELECT k, f, count(x) AS n FROM (
  SELECT k, s.v AS x, v IN (SELECT v FROM plain WHERE item = 1) AS f
  FROM (SELECT k, v, struct(v) AS s FROM plain DISTRIBUTE BY k) AS p ASSUME PARTITIONED BY (k) NOT ENFORCED)
GROUP BY k, f
-- to
SELECT k, item = 1 AS f, count(v) AS n FROM plain GROUP BY k, item = 1

-- query equals
-- two that are derived are not alike
SELECT a.u, count(*) AS n
FROM (SELECT concat('u', k) AS u FROM plain DISTRIBUTE BY k) a ASSUME PARTITIONED BY (u) NOT ENFORCED
JOIN (SELECT concat('u', k) AS u FROM plain DISTRIBUTE BY k) b ASSUME PARTITIONED BY (u) NOT ENFORCED ON a.u = b.u GROUP BY a.u
-- to
SELECT concat('u', a.k) AS u, count(*) AS n FROM plain a JOIN plain b ON a.k = b.k GROUP BY a.k

-- query equals
-- a range, one partition, no shuffle
SELECT u, count(*) AS n FROM (SELECT /*+ REPARTITION_BY_RANGE(3, k) */ concat(k, '-', item) AS u FROM plain)
AS s ASSUME PARTITIONED BY (u) NOT ENFORCED GROUP BY u
-- to
SELECT concat(k, '-', item) AS u, count(*) AS n FROM plain GROUP BY concat(k, '-', item)

-- query equals
-- a limit above the number of rows, since a lower one takes any of them
SELECT u, count(*) AS n FROM (SELECT concat(k, '-', item) AS u FROM plain LIMIT 1001) AS s ASSUME PARTITIONED BY (u) NOT ENFORCED GROUP BY u
-- to
SELECT concat(k, '-', item) AS u, count(*) AS n FROM plain GROUP BY concat(k, '-', item)

-- query equals
-- what is enforced cannot be checked, so it is not used
SELECT k, count(*) AS n FROM (SELECT /*+ REPARTITION(3, item) */ * FROM plain) AS s ASSUME PARTITIONED BY (k) GROUP BY k
-- to
SELECT k, count(*) AS n FROM plain GROUP BY k

-- query
-- what trust gives: a group for each partition that the key is in
SELECT count(*) > 50 AS wrong, sum(n) FROM (
  SELECT k, count(*) AS n FROM (SELECT /*+ REPARTITION(3, item) */ * FROM plain) AS s ASSUME PARTITIONED BY (k) NOT ENFORCED GROUP BY k)
-- result
true	1000

-- statement
-- more partitions than one, also after adaptive execution
SET spark.sql.shuffle.partitions = 4

-- statement
SET spark.sql.adaptive.coalescePartitions.enabled = false

-- query equals
-- a join that is broadcast leaves its rows as another operator has shuffled them
SELECT u, sum(item) AS n FROM (
  SELECT /*+ BROADCAST(b) */ concat('u', a.k) AS u, a.item
  FROM (SELECT DISTINCT k, item FROM plain) a JOIN (SELECT DISTINCT k FROM plain) b ON a.k = b.k)
  AS s ASSUME PARTITIONED BY (u) NOT ENFORCED
GROUP BY u
-- to
SELECT concat('u', k) AS u, 3L AS n FROM plain WHERE k IS NOT NULL GROUP BY k

-- statement
-- adaptive execution broadcasts what was planned otherwise
SET spark.sql.adaptive.autoBroadcastJoinThreshold = 10MB

-- query equals
SELECT u, sum(item) AS n FROM (
  SELECT concat('u', a.k) AS u, a.item
  FROM (SELECT DISTINCT k, item FROM plain) a JOIN (SELECT DISTINCT k FROM plain) b ON a.k = b.k)
  AS s ASSUME PARTITIONED BY (u) NOT ENFORCED
GROUP BY u
-- to
SELECT concat('u', k) AS u, 3L AS n FROM plain WHERE k IS NOT NULL GROUP BY k

-- statement
RESET spark.sql.adaptive.autoBroadcastJoinThreshold

-- query equals
-- a claim below it is used
SELECT /*+ BROADCAST(b) */ u, count(*) AS n
FROM (SELECT concat('u', k) AS u, item FROM (SELECT k, item FROM plain DISTRIBUTE BY k)) AS s ASSUME PARTITIONED BY (u) NOT ENFORCED
JOIN (SELECT DISTINCT item FROM plain) b USING (item) GROUP BY u
-- to
SELECT concat('u', k) AS u, count(*) AS n FROM plain GROUP BY k

-- statement
-- Spark 4.3: a join spreads the rows that have no key
SET spark.sql.shuffle.spreadNullJoinKeys.enabled = true

-- query equals
SELECT u, count(*) AS n FROM (SELECT concat('u', a.k) AS u FROM plain a LEFT JOIN (SELECT id AS k FROM range(40)) b ON a.k = b.k)
AS s ASSUME PARTITIONED BY (u) NOT ENFORCED GROUP BY u
-- to
SELECT concat('u', k) AS u, count(*) AS n FROM plain GROUP BY k

-- statement
RESET spark.sql.adaptive.coalescePartitions.enabled

-- statement
-- small partitions, which adaptive execution merges
SET spark.sql.adaptive.advisoryPartitionSizeInBytes = 300

-- query equals
SELECT u, count(*) AS n FROM (SELECT concat('u', k) AS u, k % 2 AS half FROM plain DISTRIBUTE BY half)
AS s ASSUME PARTITIONED BY (u) NOT ENFORCED GROUP BY u
-- to
SELECT concat('u', k) AS u, count(*) AS n FROM plain GROUP BY k

-- statement
SET spark.sql.adaptive.enabled = false

-- query
EXPLAIN CLAUSES SELECT u, count(*) FROM (SELECT concat(k, '-', item) AS u FROM plain DISTRIBUTE BY k) AS s
ASSUME PARTITIONED BY (u) NOT ENFORCED GROUP BY u
-- result
ASSUME	Exchange (u)	USED	NULL	{"keys":"u","relation":"Exchange","proof":"trusted","units":null,"outcome":"USED","exchange":"u","exchange_avoided":true,"operator":"HashAggregate","reason":null,"verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (u) for HashAggregate	SAVED	Exchange is partitioned by (u)	{"kind":"SHUFFLE","keys":"u","operator":"HashAggregate","outcome":"SAVED","reason":"Exchange is partitioned by (u)","saved_by":"ASSUME","partitions":null,"rows":null,"bytes":null}
EXCHANGE	SHUFFLE (k) for HashAggregate	KEPT	the query asks for it	{"kind":"SHUFFLE","keys":"k","operator":"HashAggregate","outcome":"KEPT","reason":"the query asks for it","saved_by":null,"partitions":4,"rows":null,"bytes":null}

-- query
EXPLAIN CLAUSES SELECT k, count(*) FROM (SELECT * FROM plain DISTRIBUTE BY k) AS s ASSUME PARTITIONED BY (item) NOT ENFORCED GROUP BY k
-- result
ASSUME	Exchange (item)	NOT_NEEDED	no operator above needs rows of a key together	{"keys":"item","relation":"Exchange","proof":"trusted","units":null,"outcome":"NOT_NEEDED","exchange":null,"exchange_avoided":null,"operator":null,"reason":"no operator above needs rows of a key together","verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (k) for HashAggregate	KEPT	the query asks for it	{"kind":"SHUFFLE","keys":"k","operator":"HashAggregate","outcome":"KEPT","reason":"the query asks for it","saved_by":null,"partitions":4,"rows":null,"bytes":null}

-- query
EXPLAIN CLAUSES SELECT u, count(*) FROM (SELECT /*+ REPARTITION_BY_RANGE(3, k) */ concat(k, '-', item) AS u FROM plain) AS s
ASSUME PARTITIONED BY (u) NOT ENFORCED GROUP BY u
-- result
ASSUME	Exchange (u)	NOT_USED	the rows of Exchange are not partitioned by a hash	{"keys":"u","relation":"Exchange","proof":"trusted","units":null,"outcome":"NOT_USED","exchange":"u","exchange_avoided":false,"operator":"HashAggregate","reason":"the rows of Exchange are not partitioned by a hash","verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (u) for HashAggregate	KEPT	the rows of Exchange are not partitioned by a hash	{"kind":"SHUFFLE","keys":"u","operator":"HashAggregate","outcome":"KEPT","reason":"the rows of Exchange are not partitioned by a hash","saved_by":null,"partitions":4,"rows":null,"bytes":null}
EXCHANGE	SHUFFLE (range(k)) for HashAggregate	KEPT	the query asks for it	{"kind":"SHUFFLE","keys":"range(k)","operator":"HashAggregate","outcome":"KEPT","reason":"the query asks for it","saved_by":null,"partitions":3,"rows":null,"bytes":null}

-- query
EXPLAIN CLAUSES SELECT u, count(*)
FROM (SELECT /*+ BROADCAST(b) */ concat('u', a.k) AS u FROM (SELECT k, v FROM plain DISTRIBUTE BY k) a JOIN plain b ON a.v = b.v)
AS s ASSUME PARTITIONED BY (u) NOT ENFORCED GROUP BY u
-- result
ASSUME	BroadcastHashJoin (u)	NOT_USED	BroadcastHashJoin does not shuffle its rows; a claim below it can be used	{"keys":"u","relation":"BroadcastHashJoin","proof":"trusted","units":null,"outcome":"NOT_USED","exchange":"u","exchange_avoided":false,"operator":"HashAggregate","reason":"BroadcastHashJoin does not shuffle its rows; a claim below it can be used","verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (u) for HashAggregate	KEPT	BroadcastHashJoin does not shuffle its rows; a claim below it can be used	{"kind":"SHUFFLE","keys":"u","operator":"HashAggregate","outcome":"KEPT","reason":"BroadcastHashJoin does not shuffle its rows; a claim below it can be used","saved_by":null,"partitions":4,"rows":null,"bytes":null}
EXCHANGE	SHUFFLE (k) for BroadcastHashJoin	KEPT	the query asks for it	{"kind":"SHUFFLE","keys":"k","operator":"BroadcastHashJoin","outcome":"KEPT","reason":"the query asks for it","saved_by":null,"partitions":4,"rows":null,"bytes":null}
EXCHANGE	BROADCAST (all rows) for BroadcastHashJoin	KEPT	Spark sends this side of the join to each executor	{"kind":"BROADCAST","keys":"all rows","operator":"BroadcastHashJoin","outcome":"KEPT","reason":"Spark sends this side of the join to each executor","saved_by":null,"partitions":null,"rows":null,"bytes":null}

-- query
EXPLAIN CLAUSES SELECT u, count(*) FROM (SELECT concat(k, '-', item) AS u FROM plain DISTRIBUTE BY k) AS s ASSUME PARTITIONED BY (u) GROUP BY u
-- result
ASSUME	Exchange (u)	DROPPED	it cannot be checked above Exchange, only be NOT ENFORCED	{"keys":"u","relation":"Exchange","proof":"none","units":null,"outcome":"DROPPED","exchange":null,"exchange_avoided":null,"operator":null,"reason":"it cannot be checked above Exchange, only be NOT ENFORCED","verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (u) for HashAggregate	KEPT	no claim says that the rows of a key lie together	{"kind":"SHUFFLE","keys":"u","operator":"HashAggregate","outcome":"KEPT","reason":"no claim says that the rows of a key lie together","saved_by":null,"partitions":4,"rows":null,"bytes":null}
EXCHANGE	SHUFFLE (k) for HashAggregate	KEPT	the query asks for it	{"kind":"SHUFFLE","keys":"k","operator":"HashAggregate","outcome":"KEPT","reason":"the query asks for it","saved_by":null,"partitions":4,"rows":null,"bytes":null}

-- query
EXPLAIN CLAUSES SELECT k, count(*) FROM (SELECT * FROM plain DISTRIBUTE BY k) AS s ASSUME PARTITIONED BY (k) LAYOUT l NOT ENFORCED GROUP BY k
-- result
ASSUME	Exchange (k) LAYOUT l	DROPPED	the rows of Exchange lie in no files with a number	{"keys":"k LAYOUT l","relation":"Exchange","proof":"none","units":null,"outcome":"DROPPED","exchange":null,"exchange_avoided":null,"operator":null,"reason":"the rows of Exchange lie in no files with a number","verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (k) for HashAggregate	KEPT	the query asks for it	{"kind":"SHUFFLE","keys":"k","operator":"HashAggregate","outcome":"KEPT","reason":"the query asks for it","saved_by":null,"partitions":4,"rows":null,"bytes":null}
