-- A claim over what is not read as files of a table is dropped, with its reason, and changes no row.
-- conf spark.sql.adaptive.enabled=true,false
-- conf spark.sql.autoBroadcastJoinThreshold=-1

-- statement
CREATE TABLE facts USING parquet PARTITIONED BY (day) AS SELECT id AS v, CAST(id % 3 AS INT) AS day FROM range(12)

-- statement
CREATE GLOBAL TABLE items PRIMARY KEY (v) REFRESH MANUAL AS SELECT * FROM facts

-- query equals
SELECT day, count(*) AS n, sum(v) AS s FROM items ASSUME PARTITIONED BY (day) NOT ENFORCED WHERE v > 3 GROUP BY day
-- to
SELECT day, count(*) AS n, sum(v) AS s FROM facts WHERE v > 3 GROUP BY day

-- query equals
SELECT f.day, count(*) AS n FROM facts AS f ASSUME PARTITIONED BY (day)
JOIN items AS i ASSUME PARTITIONED BY (v) ON f.v = i.v GROUP BY f.day
-- to
SELECT f.day, count(*) AS n FROM facts AS f JOIN facts AS i ON f.v = i.v GROUP BY f.day

-- query equals
SELECT f.v, i.day FROM facts AS f LEFT JOIN (
  SELECT v + 1 AS w, day FROM items AS i ASSUME PARTITIONED BY (v) NOT ENFORCED WHERE day > 0) AS i ON f.v = i.w
-- to
SELECT f.v, i.day FROM facts AS f LEFT JOIN (SELECT v + 1 AS w, day FROM facts WHERE day > 0) AS i ON f.v = i.w

-- query error(EDDYLINE_ASSUME.NOT_CHECKABLE, 0A000)
CHECK ASSUMPTION ON items PARTITIONED BY (day)

-- statement
CACHE TABLE remembered AS SELECT v, day FROM facts

-- query
EXPLAIN CLAUSES SELECT day, count(*) FROM remembered ASSUME PARTITIONED BY (day) GROUP BY day
-- result
ASSUME	Scan In-memory table remembered (day)	DROPPED	the relation is cached, as it was partitioned then	{"keys":"day","relation":"Scan In-memory table remembered","proof":"none","units":null,"outcome":"DROPPED","exchange":null,"exchange_avoided":null,"operator":null,"reason":"the relation is cached, as it was partitioned then","verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (day) for HashAggregate	KEPT	the claim (day) was dropped: the relation is cached, as it was partitioned then	{"kind":"SHUFFLE","keys":"day","operator":"HashAggregate","outcome":"KEPT","reason":"the claim (day) was dropped: the relation is cached, as it was partitioned then","saved_by":null,"partitions":2,"rows":null,"bytes":null}

-- query equals
SELECT day, count(*) AS n, sum(v) AS s FROM remembered ASSUME PARTITIONED BY (day) NOT ENFORCED GROUP BY day
-- to
SELECT day, count(*) AS n, sum(v) AS s FROM facts GROUP BY day

-- statement
UNCACHE TABLE remembered

-- statement
DROP VIEW remembered

-- statement
CREATE TABLE lake.assumed.t (v BIGINT, day INT)

-- statement
INSERT INTO lake.assumed.t SELECT * FROM facts

-- query
EXPLAIN CLAUSES SELECT day, count(*) FROM lake.assumed.t ASSUME PARTITIONED BY (day) GROUP BY day
-- result
ASSUME	BatchScan assumed.t (day)	DROPPED	the source is a DataSource V2, which tells Spark nothing of its partitions	{"keys":"day","relation":"BatchScan assumed.t","proof":"none","units":null,"outcome":"DROPPED","exchange":null,"exchange_avoided":null,"operator":null,"reason":"the source is a DataSource V2, which tells Spark nothing of its partitions","verdict":null,"check_ms":null}
EXCHANGE	SHUFFLE (day) for HashAggregate	KEPT	the claim (day) was dropped: the source is a DataSource V2, which tells Spark nothing of its partitions	{"kind":"SHUFFLE","keys":"day","operator":"HashAggregate","outcome":"KEPT","reason":"the claim (day) was dropped: the source is a DataSource V2, which tells Spark nothing of its partitions","saved_by":null,"partitions":2,"rows":null,"bytes":null}

-- query equals
SELECT day, count(*) AS n, sum(v) AS s FROM lake.assumed.t ASSUME PARTITIONED BY (day) NOT ENFORCED GROUP BY day
-- to
SELECT day, count(*) AS n, sum(v) AS s FROM facts GROUP BY day

-- statement
DROP TABLE lake.assumed.t

-- statement
SET spark.eddyline.assume.strict = true

-- query error(EDDYLINE_ASSUME.NOT_USED, 0A000)
  SELECT f.day FROM facts AS f JOIN items AS i ASSUME PARTITIONED BY (v) ON f.v = i.v
--                                             ^^^^^^^^^^^^^^^^^^^^^
