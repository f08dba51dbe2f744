-- The options of ON CHANGE. In batch TOLERANCE and HEARTBEAT change nothing, as each key comes once.

-- statement
CREATE TABLE t (k INT, v INT, d DOUBLE, s STRING, ts TIMESTAMP, day DATE, m MAP<INT, INT>) USING parquet

-- statement
INSERT INTO t VALUES (1, 10, 0.5, 'a', TIMESTAMP'2026-01-01 00:00:00', DATE'2026-01-01', map()), (1, 20, 1.5, 'b', TIMESTAMP'2026-01-01 00:00:09', DATE'2026-01-02', map()), (2, 5, NULL, NULL, NULL, NULL, NULL)

-- query equals
SELECT k, avg(d) AS mean FROM t GROUP BY k EMIT ON CHANGE TOLERANCE 0.5
-- to
SELECT k, avg(d) AS mean FROM t GROUP BY k

-- query equals
-- an amount for each column, before a heartbeat
SELECT k, max(v) AS top, max(ts) AS at, max(day) AS day FROM t GROUP BY k
EMIT EVERY 10 SECONDS ON CHANGE EXCEPT (day) TOLERANCE (top 2, `at` 1 MINUTE 30 SECONDS) HEARTBEAT '1 hour'
-- to
SELECT k, max(v) AS top, max(ts) AS at, max(day) AS day FROM t GROUP BY k

-- query equals
COGROUP t BY k, t AS u BY k AGGREGATE count(t.*) AS n, max(u.d) AS top
EMIT ON CHANGE
  OF (top) -- the one that counts
  TOLERANCE (top /* half */ .5)
  HEARTBEAT INTERVAL '1' DAY
-- to
COGROUP t BY k, t AS u BY k AGGREGATE count(t.*) AS n, max(u.d) AS top

-- query equals
-- the words of the options are names as well
SELECT k AS key, max(v) AS tolerance, max(ts) AS heartbeat, count(*) AS expire FROM t GROUP BY k
EMIT ON CHANGE OF (tolerance, heartbeat) TOLERANCE (tolerance 1, heartbeat INTERVAL 1 SECOND) HEARTBEAT 1 DAY
-- to
SELECT k AS key, max(v) AS tolerance, max(ts) AS heartbeat, count(*) AS expire FROM t GROUP BY k

-- query equals
-- a date takes whole days and parts of them
SELECT k, max(day) AS day, max(ts) - min(ts) AS span FROM t GROUP BY k EMIT ON CHANGE TOLERANCE 36 HOURS
-- to
SELECT k, max(day) AS day, max(ts) - min(ts) AS span FROM t GROUP BY k

-- query error(EDDYLINE_EMIT.OPTION_WITHOUT_CHANGE, 42601)
  SELECT k, max(v) AS top FROM t GROUP BY k EMIT ON UPDATE TOLERANCE 1
--                                                         ^^^^^^^^^

-- query error(EDDYLINE_EMIT.OPTION_WITHOUT_CHANGE, 42601)
  SELECT k, max(v) AS top FROM t GROUP BY k EMIT ON WINDOW CLOSE HEARTBEAT 1 HOUR
--                                                               ^^^^^^^^^

-- query error(EDDYLINE_EMIT.OPTION_WITHOUT_CHANGE, 42601)
  SELECT k, max(v) AS top FROM t GROUP BY k EMIT EVERY 10 SECONDS KEY (k)
--                                                                ^^^

-- query error(EDDYLINE_EMIT.OPTION_WITHOUT_CHANGE, 42601)
  SELECT k, max(v) AS top FROM t GROUP BY k EMIT ON UPDATE EXCEPT (top)
--                                                         ^^^^^^

-- query error(EDDYLINE_EMIT.OPTION_WITHOUT_CHANGE, 42601)
  SELECT k, max(v) AS top FROM t GROUP BY k EMIT ON UPDATE EXPIRE AFTER 1 DAY
--                                                         ^^^^^^

-- query error(EDDYLINE_EMIT.OPTION_WITHOUT_KEY, 42601)
  SELECT k, max(v) AS top FROM t GROUP BY k EMIT ON CHANGE EXPIRE AFTER 1 DAY
--                                                         ^^^^^^

-- query error(EDDYLINE_EMIT.SYNTAX_ERROR, 42601)
-- the options have an order
  SELECT k, max(v) AS top FROM t GROUP BY k EMIT ON CHANGE HEARTBEAT 1 HOUR TOLERANCE 1
--                                                                          ^^^^^^^^^

-- query error(EDDYLINE_EMIT.SYNTAX_ERROR, 42601)
  SELECT k, max(v) AS top FROM t GROUP BY k EMIT ON CHANGE TOLERANCE 1 TOLERANCE 2
--                                                                     ^^^^^^^^^

-- query error(EDDYLINE_EMIT.SYNTAX_ERROR, 42601)
  SELECT k, max(v) AS top FROM t GROUP BY k EMIT ON CHANGE OF (top) EXCEPT (k)
--                                                                  ^^^^^^

-- query error(EDDYLINE_EMIT.NOT_AT_END, 42601)
  SELECT k FROM t GROUP BY k EMIT ON CHANGE EXCEPT (SELECT 1)
--                                          ^^^^^^

-- query error(EDDYLINE_EMIT.SYNTAX_ERROR, 42601)
  SELECT k, max(v) AS top FROM t GROUP BY k EMIT ON CHANGE TOLERANCE much
--                                                                   ^^^^

-- query error(EDDYLINE_EMIT.SYNTAX_ERROR, 42601)
  SELECT k, max(v) AS top FROM t GROUP BY k EMIT ON CHANGE TOLERANCE
--                                                                  ^

-- query error(EDDYLINE_EMIT.SYNTAX_ERROR, 42601)
  SELECT k, max(v) AS top FROM t GROUP BY k EMIT ON CHANGE TOLERANCE (top)
--                                                                       ^

-- query error(EDDYLINE_EMIT.SYNTAX_ERROR, 42601)
  SELECT k, max(v) AS top FROM t GROUP BY k EMIT ON CHANGE TOLERANCE (top 1 k 2)
--                                                                          ^

-- query error(EDDYLINE_EMIT.SYNTAX_ERROR, 42601)
  SELECT k, max(v) AS top FROM t GROUP BY k EMIT ON CHANGE TOLERANCE (1)
--                                                                    ^

-- query error(EDDYLINE_EMIT.SYNTAX_ERROR, 42601)
  SELECT k, max(v) AS top FROM t GROUP BY k EMIT ON CHANGE TOLERANCE (top 1
--                                                                         ^

-- query error(EDDYLINE_EMIT.SYNTAX_ERROR, 42601)
  SELECT k, max(v) AS top FROM t GROUP BY k EMIT ON CHANGE HEARTBEAT 10
--                                                                     ^

-- query error(EDDYLINE_EMIT.SYNTAX_ERROR, 42601)
  SELECT k, v FROM STREAM t EMIT ON CHANGE KEY (k) EXPIRE 1 DAY
--                                                        ^

-- query error(EDDYLINE_EMIT.SYNTAX_ERROR, 42601)
  SELECT k, v FROM STREAM t EMIT ON CHANGE KEY (k) ORDER BY ts DESC
--                                                             ^^^^

-- query error(EDDYLINE_EMIT.SYNTAX_ERROR, 42601)
  SELECT k, v FROM STREAM t EMIT ON CHANGE KEY (k) ORDER BY ts, v EXPIRE AFTER 1 DAY
--                                                            ^

-- query error(EDDYLINE_EMIT.SYNTAX_ERROR, 42601)
  SELECT k, v FROM STREAM t EMIT ON CHANGE KEY (k) ORDER BY
--                                                         ^

-- query error(EDDYLINE_EMIT.NOT_AT_END, 42601)
-- an order without KEY would be that of the query
  SELECT k, max(v) AS top FROM t GROUP BY k EMIT ON CHANGE ORDER BY top
--                                                         ^^^^^^^^

-- query error(EDDYLINE_EMIT.INVALID_INTERVAL, 22023)
  SELECT k, max(v) AS top FROM t GROUP BY k EMIT ON CHANGE HEARTBEAT 1 MONTH
--                                                                   ^^^^^^^

-- query error(EDDYLINE_EMIT.INVALID_INTERVAL, 22023)
  SELECT k, v FROM STREAM t EMIT ON CHANGE KEY (k) EXPIRE AFTER INTERVAL 0 SECONDS
--                                                              ^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.INVALID_TOLERANCE, 22023)
  SELECT k, max(v) AS top FROM t GROUP BY k EMIT ON CHANGE TOLERANCE -1
--                                                                   ^^

-- query error(EDDYLINE_EMIT.INVALID_TOLERANCE, 22023)
  SELECT k, max(v) AS top FROM STREAM t GROUP BY k EMIT ON CHANGE TOLERANCE (top -0.5)
--                                                                               ^^^^

-- query error(EDDYLINE_EMIT.INVALID_TOLERANCE, 22023)
  SELECT k, max(ts) AS at FROM t GROUP BY k EMIT ON CHANGE TOLERANCE (at INTERVAL '-1' HOUR)
--                                                                       ^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.INVALID_TOLERANCE, 22023)
  SELECT k, max(ts) AS at FROM t GROUP BY k EMIT ON CHANGE TOLERANCE 1 MONTH
--                                                                   ^^^^^^^

-- query error(EDDYLINE_EMIT.TOLERANCE_TYPE_MISMATCH, 42K09)
  SELECT k, max(s) AS name FROM t GROUP BY k EMIT ON CHANGE TOLERANCE (name 1)
--                                                                          ^

-- query error(EDDYLINE_EMIT.TOLERANCE_TYPE_MISMATCH, 42K09)
  SELECT k, max(ts) AS at FROM t GROUP BY k EMIT ON CHANGE TOLERANCE (at 10)
--                                                                       ^^

-- query error(EDDYLINE_EMIT.TOLERANCE_TYPE_MISMATCH, 42K09)
  SELECT k, max(v) AS top FROM t GROUP BY k EMIT ON CHANGE TOLERANCE (top 1 DAY)
--                                                                        ^^^^^

-- query error(EDDYLINE_EMIT.NOTHING_TOLERATED, 42K09)
  SELECT k, max(s) AS name FROM STREAM t GROUP BY k EMIT ON CHANGE TOLERANCE 1
--                                                                           ^

-- query error(EDDYLINE_EMIT.NOTHING_TOLERATED, 42K09)
-- the key is not compared
  SELECT k, max(s) AS name FROM STREAM t GROUP BY k EMIT ON CHANGE KEY (k) TOLERANCE 1
--                                                                                   ^

-- query error(EDDYLINE_EMIT.TOLERANCE_NOT_COMPARED, 42K0E)
  SELECT k, max(v) AS top FROM STREAM t GROUP BY k EMIT ON CHANGE TOLERANCE (k 1)
--                                                                           ^

-- query error(EDDYLINE_EMIT.TOLERANCE_NOT_COMPARED, 42K0E)
  SELECT k, max(v) AS top, min(v) AS low FROM t GROUP BY k EMIT ON CHANGE OF (top) TOLERANCE (low 1)
--                                                                                            ^^^

-- query error(EDDYLINE_EMIT.UNRESOLVED_COLUMN, 42703)
  SELECT k, max(v) AS top FROM t GROUP BY k EMIT ON CHANGE TOLERANCE (tops 1)
--                                                                    ^^^^

-- query error(EDDYLINE_EMIT.DUPLICATE_TOLERANCE, 42701)
  SELECT k, max(v) AS top FROM t GROUP BY k EMIT ON CHANGE TOLERANCE (top 1, top 2)
--                                                                           ^^^

-- query error(EDDYLINE_EMIT.KEY_IN_BATCH, 0A000)
  SELECT k, v FROM t EMIT ON CHANGE KEY (k) ORDER BY v EXPIRE AFTER 7 DAYS
--                   ^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.EXPIRY_WITHOUT_WATERMARK, 0A000)
  SELECT k, v, ts FROM STREAM t EMIT ON CHANGE KEY (k) EXPIRE AFTER 7 DAYS
--                              ^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.EXPIRY_WITHOUT_WATERMARK, 0A000)
-- the column with the watermark is not selected
  SELECT k, v FROM STREAM t WATERMARK ts DELAY OF INTERVAL 1 MINUTE EMIT ON CHANGE KEY (k) EXPIRE AFTER 7 DAYS
--                                                                  ^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.ORDERING_NOT_SUPPORTED, 42K0E)
  SELECT k, v, m FROM STREAM t EMIT ON CHANGE OF (v) KEY (k) ORDER BY m
--                                                                    ^

-- query error(EDDYLINE_EMIT.ORDERING_NOT_SUPPORTED, 42K0E)
  SELECT k, v FROM STREAM t EMIT ON CHANGE KEY (k) ORDER BY v + rand()
--                                                          ^^^^^^^^^^

-- query error(EDDYLINE_EMIT.UNRESOLVED_COLUMN, 42703)
  SELECT k, v FROM STREAM t EMIT ON CHANGE KEY (k) ORDER BY unix_seconds(ts)
--                                                                       ^^

-- query error(EDDYLINE_EMIT.GROUPING_COLUMN_MISSING, 42K0E)
-- the state of a window is removed at its end
  SELECT window.start AS s, max(v) AS top FROM STREAM t WATERMARK ts DELAY OF INTERVAL 1 MINUTE GROUP BY window(ts, '1 minute') EMIT ON CHANGE TOLERANCE 1
--                                                                                                                              ^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.GROUPING_COLUMN_MISSING, 42K0E)
  SELECT max(v) AS top FROM STREAM t GROUP BY k, s EMIT ON CHANGE TOLERANCE 1
--                                                 ^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.NOT_OVER_AGGREGATION, 0A000)
  SELECT k, v FROM STREAM t EMIT ON CHANGE HEARTBEAT 1 HOUR
--                          ^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.SESSION_WINDOW, 0A000)
  SELECT session_window.start AS start, k, max(v) AS top FROM STREAM t WATERMARK ts DELAY OF INTERVAL 1 MINUTE GROUP BY session_window(ts, '1 minute'), k EMIT ON CHANGE TOLERANCE 1
--                                                                                                                                                        ^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.NON_DETERMINISTIC, 42K0E)
  SELECT k, max(v) AS top, now() AS at FROM STREAM t GROUP BY k EMIT ON CHANGE TOLERANCE (at 1 MINUTE)
--                         ^^^^^
