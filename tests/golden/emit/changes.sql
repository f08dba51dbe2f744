-- WITH CHANGE TYPE and APPLY AS DELETE. In batch each row of a result is an insert.

-- statement
CREATE TABLE t (k INT, v INT, op STRING, gone BOOLEAN, ts TIMESTAMP) USING parquet

-- statement
INSERT INTO t VALUES (1, 10, 'u', false, TIMESTAMP'2026-01-01 00:00:00'), (1, 20, 'd', true, NULL), (2, 5, NULL, NULL, NULL)

-- query equals
SELECT k, max(v) AS top FROM t GROUP BY k EMIT ON CHANGE WITH CHANGE TYPE
-- to
SELECT k, max(v) AS top, 'insert' AS _change_type FROM t GROUP BY k

-- query equals
SELECT k, kind FROM (SELECT k, max(v) AS top FROM t GROUP BY k HAVING max(v) > 5
EMIT EVERY 10 SECONDS ON CHANGE OF (top) TOLERANCE 2 HEARTBEAT 1 DAY WITH CHANGE TYPE kind BEFORE) WHERE kind LIKE 'in%'
-- to
SELECT k, 'insert' AS kind FROM t GROUP BY k HAVING max(v) > 5

-- query equals
COGROUP t BY k, t AS u BY k AGGREGATE count(t.*) AS n EMIT ON CHANGE /* all */ WITH CHANGE TYPE `the kind`
-- to
SELECT k, count(*) AS n, 'insert' AS `the kind` FROM t GROUP BY k

-- query equals
-- the words are names as well
SELECT k AS change, max(v) AS type, min(v) AS before, count(*) AS apply FROM t GROUP BY k EMIT ON CHANGE OF (type, before, apply) WITH CHANGE TYPE `before_`
-- to
SELECT k AS change, max(v) AS type, min(v) AS before, count(*) AS apply, 'insert' AS before_ FROM t GROUP BY k

-- query error(EDDYLINE_EMIT.CHANGE_TYPE_EXISTS, 42711)
  SELECT k, max(op) AS _CHANGE_TYPE FROM t GROUP BY k EMIT ON CHANGE WITH CHANGE TYPE
--                                                    ^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.CHANGE_TYPE_MISSING, 42601)
  SELECT k, v FROM STREAM t EMIT ON CHANGE KEY (k) APPLY AS DELETE WHEN v = 1
--                          ^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.CHANGE_TYPE_OVER_FILTER, 0A000)
  SELECT k, max(v) AS top FROM STREAM t GROUP BY k HAVING max(v) > 1 EMIT ON CHANGE HEARTBEAT 1 DAY WITH CHANGE TYPE
--                                                                   ^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.HEARTBEAT_OVER_FILTER, 0A000)
  SELECT k, max(v) AS top FROM STREAM t GROUP BY k HAVING max(v) > 1 EMIT ON CHANGE HEARTBEAT 1 DAY
--                                                                   ^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.CHANGE_TYPE_OVER_FILTER, 0A000)
  SELECT s.k, top FROM (SELECT k, max(v) AS top FROM STREAM t GROUP BY k) AS s JOIN t USING (k) EMIT ON CHANGE KEY (k) WITH CHANGE TYPE
--                                                                                              ^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.CHANGE_TYPE_OVER_FILTER, 0A000)
  SELECT * FROM ((SELECT k, max(v) AS top FROM STREAM t GROUP BY k) EXCEPT ALL SELECT k, v FROM t) EMIT ON CHANGE KEY (k) WITH CHANGE TYPE
--                                                                                                 ^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.CHANGE_TYPE_OVER_FILTER, 0A000)
  SELECT k, max(v) AS top FROM STREAM t GROUP BY k MINUS SELECT k, v FROM t EMIT ON CHANGE KEY (k) WITH CHANGE TYPE
--                                                                          ^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.HEARTBEAT_OVER_FILTER, 0A000)
  SELECT * FROM ((SELECT k, max(v) AS top FROM STREAM t GROUP BY k) INTERSECT SELECT k, v FROM t) EMIT ON CHANGE KEY (k) HEARTBEAT 1 DAY
--                                                                                                ^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.CHANGE_TYPE_OVER_FILTER, 0A000)
  SELECT * FROM (SELECT k, max(v) AS top FROM STREAM t GROUP BY k ORDER BY top DESC LIMIT 2) EMIT ON CHANGE KEY (k) WITH CHANGE TYPE
--                                                                                           ^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.HEARTBEAT_OVER_FILTER, 0A000)
  SELECT * FROM (SELECT k, max(v) AS top FROM STREAM t GROUP BY k OFFSET 2) EMIT ON CHANGE KEY (k) HEARTBEAT 1 DAY
--                                                                          ^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.CHANGE_TYPE_OVER_FILTER, 0A000)
  WITH s AS (SELECT k, max(v) AS top FROM STREAM t GROUP BY k) SELECT * FROM s TABLESAMPLE (50 PERCENT) EMIT ON CHANGE KEY (k) WITH CHANGE TYPE
--                                                                                                      ^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.SESSION_WITHOUT_KEY, 0A000)
  SELECT session_window.end, count(*) AS n FROM STREAM t WATERMARK ts DELAY OF INTERVAL 1 HOUR GROUP BY session_window(ts, '5 seconds'), 'all' EMIT ON CHANGE WITH CHANGE TYPE
--                                                                                                                                             ^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.DELETE_CONDITION_NOT_SUPPORTED, 42K0E)
  SELECT k, v FROM STREAM t EMIT ON CHANGE KEY (k) APPLY AS DELETE WHEN v + 1 WITH CHANGE TYPE
--                                                                      ^^^^^

-- query error(EDDYLINE_EMIT.DELETE_CONDITION_NOT_SUPPORTED, 42K0E)
-- a column has the position of the first use
  SELECT k, v FROM STREAM t EMIT ON CHANGE KEY (k) APPLY AS DELETE WHEN v WITH CHANGE TYPE
--                          ^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.DELETE_CONDITION_NOT_SUPPORTED, 42K0E)
  SELECT k, ts FROM STREAM t EMIT ON CHANGE KEY (k) APPLY AS DELETE WHEN ts < now() WITH CHANGE TYPE
--                                                                       ^^^^^^^^^^

-- query error(EDDYLINE_EMIT.UNRESOLVED_COLUMN, 42703)
  SELECT k, v FROM STREAM t EMIT ON CHANGE KEY (k) APPLY AS DELETE WHEN op = 'd' WITH CHANGE TYPE
--                                                                      ^^

-- query error(EDDYLINE_EMIT.UNRESOLVED_COLUMN, 42703)
-- the type of a change has no position of its own
  SELECT k, v FROM STREAM t EMIT ON CHANGE KEY (k) APPLY AS DELETE WHEN kind = 'd' WITH CHANGE TYPE kind
--                          ^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.UNRESOLVED_COLUMN, 42703)
  SELECT k, v FROM STREAM t EMIT ON CHANGE KEY (k, kind) WITH CHANGE TYPE kind
--                          ^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.OPTION_WITHOUT_KEY, 42601)
  SELECT k, max(v) AS top FROM t GROUP BY k EMIT ON CHANGE APPLY AS DELETE WHEN k = 1
--                                                         ^^^^^

-- query error(EDDYLINE_EMIT.OPTION_WITHOUT_CHANGE, 42601)
  SELECT k, max(v) AS top FROM t GROUP BY k EMIT ON UPDATE WITH CHANGE TYPE
--                                                         ^^^^

-- query error(EDDYLINE_EMIT.SYNTAX_ERROR, 42601)
  SELECT k, v FROM STREAM t EMIT ON CHANGE KEY (k) APPLY AS DELETE WHEN
--                                                                     ^

-- query error(EDDYLINE_EMIT.SYNTAX_ERROR, 42601)
  SELECT k, v FROM STREAM t EMIT ON CHANGE KEY (k) APPLY AS DELETE op = 'd'
--                                                                 ^^

-- query error(EDDYLINE_EMIT.SYNTAX_ERROR, 42601)
  SELECT k, v FROM STREAM t EMIT ON CHANGE KEY (k) BEFORE
--                                                 ^^^^^^

-- query error(EDDYLINE_EMIT.SYNTAX_ERROR, 42601)
  SELECT k, v FROM STREAM t EMIT ON CHANGE KEY (k) WITH CHANGE TYPE kind KEY (k)
--                                                                       ^^^

-- query error(EDDYLINE_EMIT.KEY_IN_BATCH, 0A000)
  SELECT k, v, op FROM t EMIT ON CHANGE KEY (k) APPLY AS DELETE WHEN op = 'd' WITH CHANGE TYPE
--                       ^^^^^^^^^^^^^^
