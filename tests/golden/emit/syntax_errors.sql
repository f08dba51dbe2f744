-- What the lowering refuses, at the offending word.

-- statement
CREATE TABLE t USING parquet AS SELECT 1 AS k, 10 AS v

-- query error(EDDYLINE_EMIT.SYNTAX_ERROR, 42601)
  SELECT k FROM t WHERE v > 0 EMIT CHANGES
--                                 ^^^^^^^

-- query error(EDDYLINE_EMIT.SYNTAX_ERROR, 42601)
  SELECT k FROM t GROUP BY k EMIT FINAL
--                                ^^^^^

-- query error(EDDYLINE_EMIT.SYNTAX_ERROR, 42601)
  SELECT k FROM t GROUP BY k EMIT ON CHNAGE
--                                   ^^^^^^

-- query error(EDDYLINE_EMIT.SYNTAX_ERROR, 42601)
  SELECT k FROM t GROUP BY k EMIT ON WINDOW CLOSED
--                                          ^^^^^^

-- query error(EDDYLINE_EMIT.SYNTAX_ERROR, 42601)
  SELECT k FROM t GROUP BY k EMIT EVERY 10 SECONDS ON WINDOW CLOSE
--                                                    ^^^^^^

-- query error(EDDYLINE_EMIT.SYNTAX_ERROR, 42601)
  SELECT k FROM t GROUP BY k EMIT EVERY SECOND
--                                      ^^^^^^

-- query error(EDDYLINE_EMIT.SYNTAX_ERROR, 42601)
  SELECT k FROM t GROUP BY k EMIT EVERY 10
--

-- query error(EDDYLINE_EMIT.SYNTAX_ERROR, 42601)
  SELECT k FROM t GROUP BY k EMIT ON CHANGE OF k
--                                             ^

-- query error(EDDYLINE_EMIT.SYNTAX_ERROR, 42601)
  SELECT k FROM t GROUP BY k EMIT ON CHANGE EXCEPT ()
--                                                  ^

-- query error(EDDYLINE_EMIT.SYNTAX_ERROR, 42601)
  SELECT k FROM t GROUP BY k EMIT ON CHANGE KEY (k, 1)
--                                                  ^

-- query error(EDDYLINE_EMIT.SYNTAX_ERROR, 42601)
  SELECT k FROM t GROUP BY k EMIT ON CHANGE KEY (k + v)
--                                                 ^

-- query error(EDDYLINE_EMIT.SYNTAX_ERROR, 42601)
  SELECT k FROM t GROUP BY k EMIT ON CHANGE OF (k) EXCEPT (v)
--                                                 ^^^^^^

-- query error(EDDYLINE_EMIT.OPTION_WITHOUT_CHANGE, 42601)
  SELECT k FROM t GROUP BY k EMIT ON UPDATE KEY (k)
--                                          ^^^

-- query error(EDDYLINE_EMIT.NOT_AT_END, 42601)
  SELECT k FROM t GROUP BY k EMIT ON CHANGE ORDER BY k
--                                          ^^^^^^^^

-- query error(EDDYLINE_EMIT.NOT_AT_END, 42601)
  SELECT k FROM t GROUP BY k EMIT ON CHANGE UNION ALL SELECT 2
--                                          ^^^^^

-- query error(EDDYLINE_EMIT.NOT_AT_END, 42601)
  COGROUP t BY k, t AS u BY k AGGREGATE count(*) AS n EMIT ON CHANGE HAVING n > 1
--                                                                   ^^^^^^

-- query error(EDDYLINE_EMIT.DUPLICATE_EMIT, 42601)
  SELECT k FROM t GROUP BY k EMIT ON CHANGE EMIT ON UPDATE
--                                          ^^^^

-- query error(EDDYLINE_EMIT.NO_QUERY, 42601)
  DROP TABLE t EMIT ON CHANGE
--             ^^^^

-- query error(EDDYLINE_EMIT.NOT_IN_DML, 42K0E)
  MERGE INTO t USING (SELECT k FROM t GROUP BY k EMIT ON CHANGE) AS s ON s.k = t.k WHEN MATCHED THEN DELETE
--                                               ^^^^

-- query error(EDDYLINE_EMIT.NOT_IN_DML, 42K0E)
  DELETE FROM t WHERE k IN (SELECT k FROM t WHERE v = 1 EMIT ON CHANGE)
--                                                      ^^^^

-- query error(EDDYLINE_EMIT.NOT_IN_DML, 42K0E)
  WITH x AS (SELECT 1) UPDATE t SET v = 1 WHERE v = 1 EMIT ON CHANGE
--                                                    ^^^^

-- query error(EDDYLINE_EMIT.INVALID_INTERVAL, 22023)
  SELECT k FROM t GROUP BY k EMIT EVERY 1 MONTH
--                                      ^^^^^^^

-- query error(EDDYLINE_EMIT.INVALID_INTERVAL, 22023)
  SELECT k FROM t GROUP BY k EMIT EVERY INTERVAL 0 SECONDS ON CHANGE
--                                      ^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_PLACEHOLDER, 42601)
  SELECT * FROM __eddyline_emit(TABLE(t), strategy => 'never')
--              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_PLACEHOLDER, 42601)
  SELECT * FROM __eddyline_emit()
--              ^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.NOT_IN_DML, 42K0E)
  FROM t INSERT INTO t SELECT k, v EMIT ON CHANGE
--                                 ^^^^

-- query error(EDDYLINE_EMIT.NOT_IN_DML, 42K0E)
  FROM t INSERT INTO t SELECT k, v INSERT OVERWRITE t SELECT v, k EMIT ON CHANGE
--                                                                ^^^^
