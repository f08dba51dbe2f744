-- A claim over what is not read as files of a table is dropped, with its reason, and changes no row.
-- conf spark.sql.adaptive.enabled=true,false
-- conf spark.sql.autoBroadcastJoinThreshold=-1

-- statement
CREATE TABLE facts USING parquet PARTITIONED BY (day) AS SELECT id AS v, CAST(id % 3 AS INT) AS day FROM range(12)

-- statement
CREATE GLOBAL TABLE items PRIMARY KEY (v) REFRESH MANUAL AS SELECT * FROM facts

-- query
EXPLAIN ASSUMPTIONS SELECT day, count(*) FROM items ASSUME PARTITIONED BY (day) GROUP BY day
-- result
ASSUME	default.items (day)	DROPPED	a global table is read from a snapshot, as that was written	{"keys":"day","relation":"default.items","proof":"none","units":null,"outcome":"DROPPED","exchange":null,"exchange_avoided":null,"operator":null,"reason":"a global table is read from a snapshot, as that was written","verdict":null,"check_ms":null}

-- query
EXPLAIN ASSUMPTIONS SELECT day, count(*) FROM (SELECT day FROM items WHERE v > 3) AS s ASSUME PARTITIONED BY (day) GROUP BY day
-- result
ASSUME	default.items (day)	DROPPED	a global table is read from a snapshot, as that was written	{"keys":"day","relation":"default.items","proof":"none","units":null,"outcome":"DROPPED","exchange":null,"exchange_avoided":null,"operator":null,"reason":"a global table is read from a snapshot, as that was written","verdict":null,"check_ms":null}

-- query equals
SELECT day, count(*) AS n, sum(v) AS s FROM items ASSUME PARTITIONED BY (day) NOT ENFORCED WHERE v > 3 GROUP BY day
-- to
SELECT day, count(*) AS n, sum(v) AS s FROM facts WHERE v > 3 GROUP BY day

-- query
-- a lookup in a global table shuffles nothing: a claim on the other side lasts, one on the table is dropped
EXPLAIN ASSUMPTIONS SELECT f.day, count(*) FROM facts AS f ASSUME PARTITIONED BY (day)
JOIN items AS i ASSUME PARTITIONED BY (v) ON f.v = i.v GROUP BY f.day
-- result
ASSUME	spark_catalog.default.facts (day)	USED	NULL	{"keys":"day","relation":"spark_catalog.default.facts","proof":"structural","units":3,"outcome":"USED","exchange":"day","exchange_avoided":true,"operator":"HashAggregate","reason":null,"verdict":null,"check_ms":null}
ASSUME	default.items (v)	DROPPED	a global table is read from a snapshot, as that was written	{"keys":"v","relation":"default.items","proof":"none","units":null,"outcome":"DROPPED","exchange":null,"exchange_avoided":null,"operator":null,"reason":"a global table is read from a snapshot, as that was written","verdict":null,"check_ms":null}

-- query equals
SELECT f.day, count(*) AS n FROM facts AS f ASSUME PARTITIONED BY (day)
JOIN items AS i ASSUME PARTITIONED BY (v) ON f.v = i.v GROUP BY f.day
-- to
SELECT f.day, count(*) AS n FROM facts AS f JOIN facts AS i ON f.v = i.v GROUP BY f.day

-- query
EXPLAIN ASSUMPTIONS SELECT f.v FROM facts AS f LEFT ANTI JOIN (
  SELECT v + 1 AS w FROM items ASSUME PARTITIONED BY (v) NOT ENFORCED WHERE day > 0) AS i ON f.v = i.w
-- result
ASSUME	default.items (v)	DROPPED	a global table is read from a snapshot, as that was written	{"keys":"v","relation":"default.items","proof":"none","units":null,"outcome":"DROPPED","exchange":null,"exchange_avoided":null,"operator":null,"reason":"a global table is read from a snapshot, as that was written","verdict":null,"check_ms":null}

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
EXPLAIN ASSUMPTIONS SELECT day, count(*) FROM remembered ASSUME PARTITIONED BY (day) GROUP BY day
-- result
ASSUME	Scan In-memory table remembered (day)	DROPPED	the relation is cached, as it was partitioned then	{"keys":"day","relation":"Scan In-memory table remembered","proof":"none","units":null,"outcome":"DROPPED","exchange":null,"exchange_avoided":null,"operator":null,"reason":"the relation is cached, as it was partitioned then","verdict":null,"check_ms":null}

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
EXPLAIN ASSUMPTIONS SELECT day, count(*) FROM lake.assumed.t ASSUME PARTITIONED BY (day) GROUP BY day
-- result
ASSUME	BatchScan assumed.t (day)	DROPPED	the source is a DataSource V2, which tells Spark nothing of its partitions	{"keys":"day","relation":"BatchScan assumed.t","proof":"none","units":null,"outcome":"DROPPED","exchange":null,"exchange_avoided":null,"operator":null,"reason":"the source is a DataSource V2, which tells Spark nothing of its partitions","verdict":null,"check_ms":null}

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
