-- Everywhere a relation may stand. Strict: a claim that were lost would be an error.
-- conf spark.eddyline.assume.strict=true
-- conf spark.sql.autoBroadcastJoinThreshold=-1

-- statement
CREATE TABLE t USING parquet PARTITIONED BY (d) AS SELECT id AS n, CAST(id % 3 AS INT) AS d FROM range(30)

-- query
SELECT d, count(*) AS n FROM default.t ASSUME PARTITIONED BY (default.t.d) GROUP BY t.d
-- result
0	10
1	10
2	10

-- query
SELECT y, count(*) AS n FROM t AS x (a, y) ASSUME PARTITIONED BY (x.y) ENFORCED GROUP BY x.y HAVING y > 0
-- result
1	10
2	10

-- query
FROM t assume Partitioned /* a comment */ BY (d) enforced ON VIOLATION repartition SELECT d, max(n) GROUP BY d
-- result
0	27
1	28
2	29

-- query
SELECT d, count(*) FROM (SELECT d FROM t WHERE n > 3) ASSUME PARTITIONED BY (d) GROUP BY d
-- result
0	8
1	9
2	9

-- query
WITH c AS (SELECT d, n FROM t ASSUME PARTITIONED BY (d)), e AS (SELECT d, n FROM c)
SELECT d, sum(n) FROM e AS f ASSUME PARTITIONED BY (d) WHERE false GROUP BY d
-- result

-- query
WITH c AS (SELECT d, n FROM t ASSUME PARTITIONED BY (d)) SELECT d, sum(n) FROM c GROUP BY d
-- result
0	135
1	145
2	155

-- query since 4.2
SELECT a.d, count(*) FROM t a ASSUME PARTITIONED BY (d) JOIN (t ASSUME PARTITIONED BY (d)) b USING (d) GROUP BY a.d
-- result
0	100
1	100
2	100

-- query since 4.2
SELECT a.d, count(*) FROM t AS a ASSUME PARTITIONED BY (d), t AS b ASSUME PARTITIONED BY (d) WHERE a.d = b.d GROUP BY a.d
-- result
0	100
1	100
2	100

-- query
SELECT d, count(*) FROM t ASSUME PARTITIONED BY (d) PIVOT (max(n) FOR n IN (1)) GROUP BY d |> WHERE d > 1
-- result
2	1

-- query
SELECT d, sum(e) FROM t ASSUME PARTITIONED BY (d) LATERAL VIEW explode(array(1, 2)) AS e GROUP BY d
-- result
0	30
1	30
2	30

-- query
SELECT id, (SELECT count(*) FROM (SELECT d FROM t ASSUME PARTITIONED BY (d) GROUP BY d)) AS n FROM range(2)
-- result
0	3
1	3

-- query
SELECT * FROM range(4) WHERE id IN (SELECT d FROM t ASSUME PARTITIONED BY (d) GROUP BY d HAVING d > 0)
-- result
1
2

-- query
SELECT _metadata.file_name IS NOT NULL AS f, d, count(*) FROM t ASSUME PARTITIONED BY (d) GROUP BY ALL
-- result
true	0	10
true	1	10
true	2	10

-- statement
CREATE VIEW v AS SELECT d, n FROM t ASSUME PARTITIONED BY (d) WHERE n > 2

-- query
SELECT d, count(*) FROM v GROUP BY d
-- result
0	9
1	9
2	9

-- query
EXECUTE IMMEDIATE 'SELECT d, max(n) FROM t ASSUME PARTITIONED BY (d) WHERE n < ? GROUP BY d' USING 5
-- result
0	3
1	4
2	2

-- query
BEGIN
  DECLARE x INT DEFAULT 1;
  SELECT d, max(n) FROM t ASSUME PARTITIONED BY (d) WHERE d > x GROUP BY d;
END
-- result
2	29

-- statement
CREATE TABLE copy USING parquet AS SELECT d, count(*) AS c FROM t ASSUME PARTITIONED BY (d) GROUP BY d

-- statement
INSERT INTO copy SELECT d, count(*) FROM t ASSUME PARTITIONED BY (d) GROUP BY d

-- query
SELECT count(*), sum(c) FROM copy
-- result
6	60

-- query
SELECT /*+ ASSUME_PARTITIONED_BY(t, d) */ d, count(*) FROM t GROUP BY d
-- result
0	10
1	10
2	10

-- query since 4.2
SELECT /*+ ASSUME_PARTITIONED_BY(x, d), assume_partitioned_by(y, d) */ x.d, count(*)
FROM t AS x JOIN (SELECT d FROM t) AS y ON x.d = y.d GROUP BY x.d
-- result
0	100
1	100
2	100

-- query
-- a hint for a relation that is not there is lost, as Spark's own are
SELECT /*+ ASSUME_PARTITIONED_BY(nothing, d), ASSUME_PARTITIONED_BY(t), ASSUME_PARTITIONED_BY(t, 1) */ max(n) FROM t
-- result
29

-- query
EXPLAIN CLAUSES SELECT /*+ ASSUME_PARTITIONED_BY(v, d) */ d FROM default.v GROUP BY d
-- result
ASSUME	AssumePartitionedBy (d)	DROPPED	the relation carries another claim	{"keys":"d","relation":"AssumePartitionedBy","proof":"none","units":null,"outcome":"DROPPED","exchange":null,"exchange_avoided":null,"operator":null,"reason":"the relation carries another claim","verdict":null,"check_ms":null}
ASSUME	spark_catalog.default.t (d)	USED	NULL	{"keys":"d","relation":"spark_catalog.default.t","proof":"structural","units":3,"outcome":"USED","exchange":"d","exchange_avoided":true,"operator":"HashAggregate","reason":null,"verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (d) for HashAggregate	SAVED	spark_catalog.default.t is partitioned by (d)	{"kind":"SHUFFLE","keys":"d","operator":"HashAggregate","outcome":"SAVED","reason":"spark_catalog.default.t is partitioned by (d)","saved_by":"ASSUME","partitions":null,"rows":null,"bytes":null}

-- query
SELECT assume, partitioned FROM VALUES (1, 2) AS assume(assume, partitioned) WHERE assume.assume = 1
-- result
1	2
