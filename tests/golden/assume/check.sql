-- CHECK ASSUMPTION names the keys that lie in several units: key, units, rows, files.
-- conf spark.sql.files.maxPartitionBytes=3000,134217728

-- statement
CREATE TABLE good USING parquet AS SELECT /*+ REPARTITION(4, k) */ id % 20 AS k, id AS v, named_struct('x', id % 20) AS st FROM range(400)

-- statement
CREATE TABLE bad USING parquet PARTITIONED BY (d) AS SELECT /*+ REPARTITION(2, k) */ k, v, if(k = 3, CAST(NULL AS BIGINT), k) AS n,
  if(k IN (3, 5) AND v > 300, 2, 1) AS d FROM good

-- query
CHECK ASSUMPTION ON good PARTITIONED BY (k)
-- result

-- query
CHECK ASSUMPTION ON (SELECT st.x AS x FROM good WHERE v > 4) AS g PARTITIONED /* by what */ BY (g.x) LIMIT 5
-- result

-- statement
CREATE TEMPORARY VIEW checked AS SELECT 1 AS one

-- query error(EDDYLINE_ASSUME.VIOLATED, 22000)
  SELECT k, count(*) FROM bad ASSUME PARTITIONED BY (k) ENFORCED ON VIOLATION FAIL GROUP BY k
--                            ^^^^^^^^^^^^^^^^^^^^^

-- query
-- by the days that it is partitioned by it is true
CHECK ASSUMPTION ON bad PARTITIONED BY (d, k)
-- result

-- query
CHECK ASSUMPTION ON (SELECT k % 2 AS h FROM good) PARTITIONED BY (h) LIMIT 0
-- result

-- query error(EDDYLINE_ASSUME.UNRESOLVED_COLUMN, 42703)
  CHECK ASSUMPTION ON good PARTITIONED BY (nope)
--                                         ^^^^

-- query error(EDDYLINE_ASSUME.KEY_TYPE_NOT_SUPPORTED, 42K09)
  CHECK ASSUMPTION ON good PARTITIONED BY (CAST(k AS DOUBLE))
--                                         ^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_ASSUME.NOT_CHECKABLE, 0A000)
  CHECK ASSUMPTION ON checked PARTITIONED BY (one)
--^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_ASSUME.NOT_CHECKABLE, 0A000)
  CHECK ASSUMPTION ON (SELECT DISTINCT k FROM good) PARTITIONED BY (k)
--^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

-- query error(TABLE_OR_VIEW_NOT_FOUND, 42P01)
  CHECK ASSUMPTION ON nothing PARTITIONED BY (k)
--                    ^^^^^^^
