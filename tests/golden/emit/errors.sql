-- Every named error of the clause's meaning, at its place in the text as typed.

-- statement
CREATE TABLE t (k INT, v INT, s STRING, ts TIMESTAMP, m MAP<INT, INT>, st STRUCT<p: INT>) USING parquet

-- statement
CREATE TABLE u (k INT, name STRING) USING parquet

-- query error(EDDYLINE_EMIT.UNRESOLVED_COLUMN, 42703)
  SELECT k, max(v) AS top FROM STREAM t GROUP BY k EMIT ON CHANGE OF (tops)
--                                                                    ^^^^

-- query error(EDDYLINE_EMIT.UNRESOLVED_COLUMN, 42703)
-- a column of the table that is not selected
  SELECT max(v) AS top FROM STREAM t GROUP BY k EMIT ON CHANGE KEY (k)
--                                                                  ^

-- query error(EDDYLINE_EMIT.UNRESOLVED_COLUMN, 42703)
-- a field is no column
  SELECT k, st FROM STREAM t EMIT ON CHANGE KEY (st.p)
--                                               ^^^^

-- query error(EDDYLINE_EMIT.UNRESOLVED_COLUMN, 42703)
-- also in batch
  SELECT k, max(v) AS top FROM t GROUP BY k EMIT ON CHANGE EXCEPT (v)
--                                                                 ^

-- query error(EDDYLINE_EMIT.NOTHING_COMPARED, 22023)
  SELECT k, max(v) AS top FROM STREAM t GROUP BY k EMIT ON CHANGE EXCEPT (k, top)
--                                                 ^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.KEY_IN_BATCH, 0A000)
  SELECT k, v FROM t EMIT ON CHANGE KEY (k)
--                   ^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.KEY_TYPE_NOT_SUPPORTED, 42K09)
  SELECT m, k FROM STREAM t EMIT ON CHANGE KEY (k, m)
--                          ^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.KEY_TYPE_NOT_SUPPORTED, 42K09)
  SELECT s COLLATE UTF8_LCASE AS s, k FROM STREAM t EMIT ON CHANGE KEY (s)
--                                                  ^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.NON_DETERMINISTIC, 42K0E)
  SELECT k, max(v) + rand() AS x FROM STREAM t GROUP BY k EMIT ON CHANGE
--                   ^^^^^^

-- query error(EDDYLINE_EMIT.NON_DETERMINISTIC, 42K0E)
  SELECT k, max(v) AS x, current_timestamp() AS at FROM STREAM t GROUP BY k EMIT ON CHANGE
--                       ^^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.NON_DETERMINISTIC_CONDITION, 42K0E)
  SELECT k, max(ts) AS x FROM STREAM t GROUP BY k HAVING max(ts) > now() EMIT ON CHANGE
--                                                                 ^^^^^

-- query error(EDDYLINE_EMIT.NON_DETERMINISTIC, 42K0E)
-- below a projection
  SELECT k, x + 1 AS y FROM (SELECT k, max(v) + rand() AS x FROM STREAM t GROUP BY k) EMIT ON CHANGE
--                                              ^^^^^^

-- query error(EDDYLINE_EMIT.NON_DETERMINISTIC, 42K0E)
  SELECT k, uuid() AS id FROM STREAM t EMIT ON CHANGE KEY (k)
--          ^^^^^^

-- query error(EDDYLINE_EMIT.NON_DETERMINISTIC, 42K0E)
-- a time that Spark reads anew in each micro-batch
  SELECT k, max(ts) > CAST('now' AS TIMESTAMP) AS live FROM STREAM t GROUP BY k EMIT ON CHANGE
--                    ^^^^^^^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.NON_DETERMINISTIC, 42K0E)
-- in a branch of what KEY compares
  SELECT k, v AS x FROM STREAM t UNION ALL SELECT k, rand() FROM STREAM t EMIT ON CHANGE KEY (k)
--                                                   ^^^^^^

-- query error(EDDYLINE_EMIT.NON_DETERMINISTIC, 42K0E)
-- below a join
  SELECT k, at, name FROM (SELECT k, now() AS at FROM STREAM t) JOIN u USING (k) EMIT ON CHANGE KEY (k)
--                                   ^^^^^

-- query error(EDDYLINE_EMIT.SUBQUERY_IN_RESULT, 0A000)
  SELECT k, max(v) + (SELECT max(k) FROM u) AS x FROM STREAM t GROUP BY k EMIT ON CHANGE
--                   ^^^^^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.NOT_OVER_AGGREGATION, 0A000)
  SELECT k, v FROM STREAM t EMIT ON CHANGE
--                          ^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.NOT_OVER_AGGREGATION, 0A000)
  SELECT name, top FROM (SELECT k, max(v) AS top FROM STREAM t GROUP BY k) JOIN u USING (k) EMIT ON CHANGE
--                                                                                          ^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.NOT_OVER_AGGREGATION, 0A000)
  SELECT k, explode(collect_list(v)) AS x FROM STREAM t GROUP BY k EMIT ON CHANGE
--                                                                 ^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.SESSION_WINDOW, 0A000)
  SELECT session_window.start, count(*) AS n FROM STREAM t WATERMARK ts DELAY OF INTERVAL 1 MINUTE GROUP BY session_window(ts, '1 minute') EMIT ON CHANGE
--                                                                                                                                         ^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.SESSION_WINDOW, 0A000)
  SELECT session_window.start, count(*) AS n FROM STREAM t WATERMARK ts DELAY OF INTERVAL 1 MINUTE GROUP BY session_window(ts, '1 minute') EMIT ON UPDATE
--                                                                                                                                         ^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.SESSION_WITHOUT_WATERMARK, 0A000)
  SELECT k, session_window.start, count(*) AS n FROM STREAM t GROUP BY k, session_window(ts, '1 minute') EMIT ON CHANGE WITH CHANGE TYPE
--                                                                                                       ^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.SESSION_WINDOW, 0A000)
  SELECT k, session_window.start, count(*) AS n FROM STREAM t WATERMARK ts DELAY OF INTERVAL 1 MINUTE GROUP BY k, session_window(ts, '1 minute') EMIT ON CHANGE HEARTBEAT 1 HOUR WITH CHANGE TYPE
--                                                                                                                                               ^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.WINDOW_MISSING, 0A000)
  SELECT k, max(v) AS top FROM STREAM t GROUP BY k EMIT ON WINDOW CLOSE
--                                                 ^^^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.WINDOW_MISSING, 0A000)
-- a window without a watermark
  SELECT window, max(v) AS top FROM STREAM t GROUP BY window(ts, '1 minute') EMIT ON WINDOW CLOSE
--                                                                           ^^^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.DUPLICATE_EMIT, 42601)
  SELECT k, top FROM (SELECT k, max(v) AS top FROM STREAM t GROUP BY k EMIT ON CHANGE) EMIT ON UPDATE
--                                                                     ^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.STREAM_NOT_STARTED, 0A000)
  SELECT k, max(v) AS top FROM STREAM t GROUP BY k EMIT ON CHANGE
--                                                 ^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.STREAM_NOT_STARTED, 0A000)
-- as a client asks for the first rows
  SELECT * FROM (SELECT k, max(v) AS top FROM STREAM t GROUP BY k EMIT ON CHANGE) LIMIT 5
--                                                                ^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.STREAM_NOT_STARTED, 0A000)
  SELECT count(*) FROM (SELECT k FROM STREAM t EMIT ON UPDATE)
--                                             ^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.STREAM_NOT_STARTED, 0A000)
  CREATE TABLE copy USING parquet AS SELECT k, max(v) AS top FROM STREAM t GROUP BY k EMIT ON CHANGE
--                                                                                    ^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.STREAM_NOT_STARTED, 0A000)
  INSERT INTO u SELECT k, max(s) FROM STREAM t GROUP BY k EMIT ON CHANGE
--                                                        ^^^^^^^^^^^^^^

-- statement
CREATE TEMPORARY VIEW changes AS SELECT k, max(v) AS top FROM STREAM t GROUP BY k EMIT ON CHANGE

-- query error(EDDYLINE_EMIT.STREAM_NOT_STARTED, 0A000)
  SELECT * FROM changes

-- query error(TABLE_OR_VIEW_NOT_FOUND, 42P01)
-- the CREATE TABLE above has left nothing
  SELECT * FROM copy
--              ^^^^

-- query error(EDDYLINE_EMIT.NOT_LAST, 0A000)
  START STREAMING QUERY q AS INSERT INTO u SELECT top, 'x' FROM (SELECT DISTINCT top FROM (SELECT k, max(v) AS top FROM STREAM t GROUP BY k EMIT ON CHANGE))
--                                                                                                                                          ^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.NOT_LAST, 0A000)
  START STREAMING QUERY q AS INSERT INTO u SELECT top, name FROM (SELECT k, max(v) AS top FROM STREAM t GROUP BY k EMIT ON CHANGE) JOIN u USING (k)
--                                                                                                                 ^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.NOT_LAST, 0A000)
  START STREAMING QUERY q AS INSERT INTO u SELECT k, 'x' FROM (SELECT k FROM (SELECT k FROM STREAM t EMIT ON UPDATE) UNION ALL SELECT k FROM STREAM u)
--                                                                                                   ^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.NOT_LAST, 0A000)
  START STREAMING QUERY q AS INSERT INTO u COGROUP (SELECT k, v FROM STREAM t EMIT ON UPDATE) AS a BY k, STREAM u BY k AGGREGATE string(count(*)) AS n
--                                                                            ^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.READ_AS_ALIAS, 42703)
  SELECT * FROM t JOIN u EMIT ON CHANGE
--                               ^^^^^^

-- query error(EDDYLINE_EMIT.READ_AS_ALIAS, 42703)
  SELECT * FROM (SELECT t.k FROM t CROSS JOIN u emit ON update WHERE t.k > 0) AS x
--                                                      ^^^^^^

-- query equals
-- Spark's meaning stands where there is such a column
SELECT count(*) AS n FROM (SELECT 1 AS a) JOIN (SELECT true AS change) EMIT ON CHANGE
-- to
SELECT 1L AS n
