-- A claim over a relation that is not read from files as they lie is dropped, with its reason, and changes no row.
-- conf spark.sql.adaptive.enabled=true,false
-- conf spark.sql.autoBroadcastJoinThreshold=-1

-- statement
CREATE TABLE facts USING parquet PARTITIONED BY (day) AS SELECT id AS v, CAST(id % 3 AS INT) AS day FROM range(12)

-- statement
CREATE GLOBAL TABLE items PRIMARY KEY (v) REFRESH MANUAL AS SELECT * FROM facts

-- query
EXPLAIN ASSUMPTIONS SELECT day, count(*) FROM items ASSUME PARTITIONED BY (day) GROUP BY day
-- result
