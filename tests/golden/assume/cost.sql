-- A claim that would cost parallelism is dropped, unless it is forced. The suite has two cores.
-- conf spark.sql.files.maxPartitionBytes=2000
-- conf spark.sql.files.openCostInBytes=1

-- statement
CREATE TABLE one USING json PARTITIONED BY (d) AS SELECT id AS n, 1 AS d FROM range(800)

-- statement
CREATE TABLE skewed USING json PARTITIONED BY (d) AS SELECT id AS n, if(id < 900, 0, id % 5) AS d FROM range(1000)

-- query
EXPLAIN CLAUSES SELECT d, count(*) FROM one ASSUME PARTITIONED BY (d) GROUP BY d
-- result
ASSUME	spark_catalog.default.one (d)	DROPPED	too few units: 1 for 2 tasks	{"keys":"d","relation":"spark_catalog.default.one","proof":"none","units":null,"outcome":"DROPPED","exchange":null,"exchange_avoided":null,"operator":null,"reason":"too few units: 1 for 2 tasks","verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (d) for HashAggregate	KEPT	the claim (d) was dropped: too few units: 1 for 2 tasks	{"kind":"SHUFFLE","keys":"d","operator":"HashAggregate","outcome":"KEPT","reason":"the claim (d) was dropped: too few units: 1 for 2 tasks","saved_by":null,"partitions":2,"rows":null,"bytes":null}

-- query
SELECT d, count(*) FROM one ASSUME PARTITIONED BY (d) GROUP BY d
-- result
1	800

-- query
EXPLAIN CLAUSES SELECT d, count(*) FROM skewed ASSUME PARTITIONED BY (d) GROUP BY d
-- result
ASSUME	spark_catalog.default.skewed (d)	DROPPED	the largest unit has 9090 bytes, half of them have at most 200	{"keys":"d","relation":"spark_catalog.default.skewed","proof":"none","units":null,"outcome":"DROPPED","exchange":null,"exchange_avoided":null,"operator":null,"reason":"the largest unit has 9090 bytes, half of them have at most 200","verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (d) for HashAggregate	KEPT	the claim (d) was dropped: the largest unit has 9090 bytes, half of them have at most 200	{"kind":"SHUFFLE","keys":"d","operator":"HashAggregate","outcome":"KEPT","reason":"the claim (d) was dropped: the largest unit has 9090 bytes, half of them have at most 200","saved_by":null,"partitions":2,"rows":null,"bytes":null}

-- query
SELECT d, count(*) FROM skewed ASSUME PARTITIONED BY (d) GROUP BY d
-- result
0	920
1	20
2	20
3	20
4	20

-- statement
SET spark.eddyline.assume.strict = true

-- query error(EDDYLINE_ASSUME.NOT_USED, 0A000)
  SELECT d, count(*) FROM skewed ASSUME PARTITIONED BY (d) GROUP BY d
--                               ^^^^^^^^^^^^^^^^^^^^^

-- statement
SET spark.eddyline.assume.force = true

-- query
SELECT d, count(*) FROM skewed ASSUME PARTITIONED BY (d) GROUP BY d
-- result
0	920
1	20
2	20
3	20
4	20

-- query
EXPLAIN CLAUSES SELECT d, count(*) FROM one ASSUME PARTITIONED BY (d) GROUP BY d
-- result
ASSUME	spark_catalog.default.one (d)	USED	NULL	{"keys":"d","relation":"spark_catalog.default.one","proof":"structural","units":1,"outcome":"USED","exchange":"d","exchange_avoided":true,"operator":"HashAggregate","reason":null,"verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (d) for HashAggregate	SAVED	spark_catalog.default.one is partitioned by (d)	{"kind":"SHUFFLE","keys":"d","operator":"HashAggregate","outcome":"SAVED","reason":"spark_catalog.default.one is partitioned by (d)","saved_by":"ASSUME","partitions":null,"rows":null,"bytes":null}
