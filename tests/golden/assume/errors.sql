-- Every named error of the clause's meaning, at its place in the text as typed.

-- statement
CREATE TABLE t (k INT, s STRING, f FLOAT, m MAP<INT, INT>, v VARIANT, a ARRAY<STRUCT<x: DOUBLE>>, ts TIMESTAMP, d INT)
USING parquet PARTITIONED BY (d)

-- query error(EDDYLINE_ASSUME.UNRESOLVED_COLUMN, 42703)
  SELECT * FROM t ASSUME PARTITIONED BY (d, nope)
--                                          ^^^^

-- query error(EDDYLINE_ASSUME.UNRESOLVED_COLUMN, 42703)
-- 🌊 a name of another relation
  SELECT '🌊' FROM t AS x, t AS y ASSUME PARTITIONED BY (abs(x.k)) WHERE x.d = y.d
--                                                          ^^^

-- query error(EDDYLINE_ASSUME.UNRESOLVED_COLUMN, 42703)
-- of the query around
  SELECT * FROM range(3) AS r WHERE EXISTS (SELECT 1 FROM t ASSUME PARTITIONED BY (r.id))
--                                                                                 ^^^^

-- query error(EDDYLINE_ASSUME.KEY_TYPE_NOT_SUPPORTED, 42K09)
  SELECT * FROM t ASSUME PARTITIONED BY (f)
--                                       ^

-- query error(EDDYLINE_ASSUME.KEY_TYPE_NOT_SUPPORTED, 42K09)
  SELECT * FROM t ASSUME PARTITIONED BY (d, CAST(k AS DOUBLE))
--                                          ^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_ASSUME.KEY_TYPE_NOT_SUPPORTED, 42K09)
  SELECT * FROM t ASSUME PARTITIONED BY (m)
--                                       ^

-- query error(EDDYLINE_ASSUME.KEY_TYPE_NOT_SUPPORTED, 42K09)
  SELECT * FROM t ASSUME PARTITIONED BY (v)
--                                       ^

-- query error(EDDYLINE_ASSUME.KEY_TYPE_NOT_SUPPORTED, 42K09)
  SELECT * FROM t ASSUME PARTITIONED BY (a)
--                                       ^

-- query error(EDDYLINE_ASSUME.KEY_NOT_ALLOWED, 42K0E)
  SELECT * FROM t ASSUME PARTITIONED BY (k + rand())
--                                           ^^^^^^

-- query error(EDDYLINE_ASSUME.KEY_NOT_ALLOWED, 42K0E)
  SELECT * FROM t ASSUME PARTITIONED BY (d, 1)
--                                          ^

-- query error(EDDYLINE_ASSUME.KEY_NOT_ALLOWED, 42K0E)
  SELECT * FROM t ASSUME PARTITIONED BY (max(k))
--                                       ^^^^^^

-- query error(EDDYLINE_ASSUME.KEY_NOT_ALLOWED, 42K0E)
  SELECT * FROM t ASSUME PARTITIONED BY (k + (SELECT 1))
--                                           ^^^^^^^^^^

-- query error(EDDYLINE_ASSUME.STREAMING_NOT_SUPPORTED, 0A000)
  SELECT d, count(*) FROM STREAM t ASSUME PARTITIONED BY (d) GROUP BY d
--                                 ^^^^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_ASSUME.STREAMING_NOT_SUPPORTED, 0A000)
  SELECT d, count(*) FROM (SELECT * FROM STREAM t WATERMARK ts DELAY OF INTERVAL 1 SECOND) ASSUME PARTITIONED BY (d) GROUP BY d
--                                                                                         ^^^^^^^^^^^^^^^^^^^^^

-- query error(UNRESOLVED_COLUMN.WITH_SUGGESTION, 42703)
-- Spark's own errors keep their place
  SELECT nope FROM t AS x ASSUME PARTITIONED BY (d) ENFORCED WHERE x.k > 1
--       ^^^^

-- query error(TABLE_OR_VIEW_NOT_FOUND, 42P01)
  EXPLAIN CLAUSES SELECT 1 FROM nothing ASSUME PARTITIONED BY (d)
--                              ^^^^^^^

-- query error(EDDYLINE_ASSUME.LAYOUT_MISMATCH, 22023)
  SELECT 1 FROM t AS a ASSUME PARTITIONED BY (k) LAYOUT l INTO 4 PARTITIONS JOIN t AS b ASSUME PARTITIONED BY (k) LAYOUT l ON a.k = b.k
--                                                                                      ^^^^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_ASSUME.LAYOUT_MISMATCH, 22023)
-- in a subquery, and with a name in other letters
  SELECT 1 FROM t ASSUME PARTITIONED BY (k) LAYOUT l WHERE k IN (SELECT k FROM t ASSUME PARTITIONED BY (k, s) LAYOUT L)
--                                                                               ^^^^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_ASSUME.LAYOUT_MISMATCH, 22023)
  COGROUP t ASSUME PARTITIONED BY (k) LAYOUT `l` INTO 4 PARTITIONS BY k,
          t AS u ASSUME PARTITIONED BY (k) LAYOUT l INTO 4 PARTITIONS USING HASH SPARK BY k AGGREGATE count(*)
--               ^^^^^^^^^^^^^^^^^^^^^
