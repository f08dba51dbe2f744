-- Every named error, at its place in the text as typed.

-- statement
CREATE TABLE events (k INT, v INT, ts TIMESTAMP) USING parquet

-- statement
CREATE TABLE copy (k INT, v INT) USING parquet

-- query error(EDDYLINE_STREAMING_QUERY.SYNTAX_ERROR, 42601)
  START STREAMING QUERY
--

-- query error(EDDYLINE_STREAMING_QUERY.SYNTAX_ERROR, 42601)
  START STREAMING QUERY `` AS INSERT INTO copy SELECT k, v FROM STREAM events
--                      ^^

-- query error(EDDYLINE_STREAMING_QUERY.INVALID_CHECKPOINT, 22023)
  START STREAMING QUERY q CHECKPOINT 'a:b' AS INSERT INTO copy SELECT k, v FROM STREAM events
--                      ^

-- query error(EDDYLINE_STREAMING_QUERY.SYNTAX_ERROR, 42601)
  START STREAMING QUERIES q
--                ^^^^^^^

-- query error(EDDYLINE_STREAMING_QUERY.SYNTAX_ERROR, 42601)
-- the name is missing
  START STREAMING QUERY AS INSERT INTO copy SELECT k, v FROM STREAM events
--                      ^^

-- query error(EDDYLINE_STREAMING_QUERY.SYNTAX_ERROR, 42601)
  START STREAMING QUERY IF NOT EXISTS TRIGGER AVAILABLE NOW AS INSERT INTO copy SELECT k, v FROM STREAM events
--                                    ^^^^^^^

-- query error(EDDYLINE_STREAMING_QUERY.SYNTAX_ERROR, 42601)
-- AS is missing
  START STREAMING QUERY q INSERT INTO copy SELECT k, v FROM STREAM events
--                        ^^^^^^

-- query error(EDDYLINE_STREAMING_QUERY.SYNTAX_ERROR, 42601)
  SHOW STREAMING QUERY q
--                     ^

-- query error(EDDYLINE_STREAMING_QUERY.SYNTAX_ERROR, 42601)
  START STREAMING QUERY q TRIGGER 10 SECONDS AS INSERT INTO copy SELECT 1, 2
--                                ^^

-- query error(EDDYLINE_STREAMING_QUERY.SYNTAX_ERROR, 42601)
  START STREAMING QUERY q CHECKPOINT path AS INSERT INTO copy SELECT 1, 2
--                                   ^^^^

-- query error(EDDYLINE_STREAMING_QUERY.SYNTAX_ERROR, 42601)
  START STREAMING QUERY q COMMENT 'a' COMMENT 'b' AS INSERT INTO copy SELECT 1, 2
--                                    ^^^^^^^

-- query error(EDDYLINE_STREAMING_QUERY.SYNTAX_ERROR, 42601)
  START STREAMING QUERY q OPTIONS ('a' 'b' 'c') AS INSERT INTO copy SELECT 1, 2
--                                         ^^^

-- query error(EDDYLINE_STREAMING_QUERY.SYNTAX_ERROR, 42601)
  START STREAMING QUERY q OPTIONS (maxFilesPerTrigger ten) AS INSERT INTO copy SELECT 1, 2
--                                                    ^^^

-- query error(EDDYLINE_STREAMING_QUERY.OPTION_RESERVED, 42601)
  START STREAMING QUERY q OPTIONS ('checkpointLocation' 'x') AS INSERT INTO copy SELECT 1, 2
--                                 ^^^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_STREAMING_QUERY.SYNTAX_ERROR, 42601)
  START STREAMING QUERY q AS INSERT INTO copy PARTITION (k = 1) SELECT 2
--                                            ^^^^^^^^^

-- query error(EDDYLINE_STREAMING_QUERY.SYNTAX_ERROR, 42601)
  START STREAMING QUERY q AS SELECT k FROM STREAM events
--                           ^^^^^^

-- query error(EDDYLINE_STREAMING_QUERY.SYNTAX_ERROR, 42601)
  START STREAMING QUERY q AS INSERT INTO copy
--

-- query error(EDDYLINE_STREAMING_QUERY.SYNTAX_ERROR, 42601)
  START STREAMING QUERY q AS UPSERT INTO copy SELECT k FROM STREAM events
--                                            ^^^^^^

-- query error(EDDYLINE_STREAMING_QUERY.SYNTAX_ERROR, 42601)
  STOP STREAMING QUERY q NOW
--                       ^^^

-- query error(EDDYLINE_STREAMING_QUERY.NOT_SUPPORTED_YET, 0A000)
  ALTER STREAMING QUERY q AS INSERT INTO copy SELECT k, v FROM STREAM events
--^^^^^

-- query error(EDDYLINE_STREAMING_QUERY.SYNTAX_ERROR, 42601)
  CREATE STREAMING QUERY q
--

-- query error(EDDYLINE_STREAMING_QUERY.SYNTAX_ERROR, 42601)
  CREATE STREAMING QUERY AS INSERT INTO copy SELECT k, v FROM STREAM events
--                       ^^

-- query error(EDDYLINE_STREAMING_QUERY.SYNTAX_ERROR, 42601)
  CREATE STREAMING QUERY q TRIGGER AVAILABLE NOW SELECT k, v FROM STREAM events
--                                               ^^^^^^

-- query error(EDDYLINE_STREAMING_QUERY.SYNTAX_ERROR, 42601)
  CREATE OR REPLACE STREAMING QUERY IF NOT EXISTS q AS INSERT INTO copy SELECT k, v FROM STREAM events
--                                  ^^

-- query error(EDDYLINE_STREAMING_QUERY.SYNTAX_ERROR, 42601)
  VALIDATE STREAMING QUERY IF NOT EXISTS q AS INSERT INTO copy SELECT k, v FROM STREAM events
--                         ^^

-- query error(EDDYLINE_STREAMING_QUERY.SYNTAX_ERROR, 42601)
  VALIDATE STREAMING QUERY q
--

-- query error(EDDYLINE_STREAMING_QUERY.NOT_FOUND, 42P01)
  VALIDATE STREAMING QUERY nobody AS INSERT INTO copy SELECT k, v FROM STREAM events
--                         ^^^^^^

-- query error(EDDYLINE_STREAMING_QUERY.RESET_WITHOUT_REPLACE, 42601)
  CREATE STREAMING QUERY q RESET CHECKPOINT AS INSERT INTO copy SELECT k, v FROM STREAM events
--                         ^^^^^

-- query error(EDDYLINE_STREAMING_QUERY.SYNTAX_ERROR, 42601)
  CREATE OR REPLACE STREAMING QUERY q RESET AS INSERT INTO copy SELECT k, v FROM STREAM events
--                                          ^^

-- query error(EDDYLINE_STREAMING_QUERY.SECRET_IN_CLEAR, 42501)
  CREATE STREAMING QUERY q OPTIONS ('api_key' 'abcdef') AS INSERT INTO copy SELECT k, v FROM STREAM events
--                       ^

-- query error(EDDYLINE_STREAMING_QUERY.SYNTAX_ERROR, 42601)
  STOP STREAMING QUERY q PURGE
--                       ^^^^^

-- query error(EDDYLINE_STREAMING_QUERY.INVALID_INTERVAL, 22023)
  START STREAMING QUERY q TRIGGER EVERY 0 SECONDS AS INSERT INTO copy SELECT k, v FROM STREAM events
--                                      ^^^^^^^^^

-- query error(EDDYLINE_STREAMING_QUERY.REAL_TIME_SINK, 0A000)
  START STREAMING QUERY q TRIGGER REAL TIME 1 MINUTE AS INSERT INTO copy SELECT k, v FROM STREAM events
--                                                                  ^^^^

-- query error(EDDYLINE_STREAMING_QUERY.REAL_TIME_STREAM, 0A000)
  START STREAMING QUERY q TRIGGER REAL TIME AS INSERT INTO copy
  WITH e AS (SELECT k, v FROM STREAM events) SELECT * FROM e UNION ALL SELECT * FROM e
--                                                                                   ^

-- query error(EDDYLINE_STREAMING_QUERY.NOT_FOUND, 42P01)
  STOP STREAMING QUERY nobody
--                     ^^^^^^

-- query error(EDDYLINE_STREAMING_QUERY.NOT_FOUND, 42P01)
  DESCRIBE STREAMING QUERY `no body`
--                         ^^^^^^^^^

-- query error(EDDYLINE_STREAMING_QUERY.NOT_STREAMING, 0A000)
  START STREAMING QUERY q AS INSERT INTO copy SELECT k, v FROM events
--                      ^

-- query error(EDDYLINE_STREAMING_QUERY.EMIT_MISSING, 42601)
  START STREAMING QUERY q AS INSERT INTO copy SELECT k, max(v) FROM STREAM events GROUP BY k
--                                                                                ^^^^^^^^^^

-- query error(EDDYLINE_STREAMING_QUERY.TRIGGER_MISMATCH, 42601)
  START STREAMING QUERY q TRIGGER EVERY 5 SECONDS AS INSERT INTO copy SELECT k, v FROM STREAM events EMIT EVERY 10 SECONDS
--                                                                                                   ^^^^^^^^^^

-- query error(EDDYLINE_STREAMING_QUERY.TRIGGER_MISMATCH, 42601)
  START STREAMING QUERY q TRIGGER AVAILABLE NOW AS INSERT INTO copy SELECT k, v FROM STREAM events EMIT EVERY 10 SECONDS
--                                                                                                 ^^^^^^^^^^

-- query error(EDDYLINE_STREAMING_QUERY.UNRESOLVED_COLUMN, 42703)
  START STREAMING QUERY q AS INSERT INTO copy WITH BATCH ID batch SELECT k FROM STREAM events
--                                       ^^^^

-- query error(EDDYLINE_STREAMING_QUERY.UPSERT_KEY_MISSING, 42703)
  START STREAMING QUERY q AS UPSERT INTO copy KEY (k, id) SELECT k, v FROM STREAM events
--                                                    ^^

-- query error(EDDYLINE_STREAMING_QUERY.UNRESOLVED_COLUMN, 42703)
  START STREAMING QUERY q AS UPSERT INTO copy KEY (k) SELECT k, v AS w FROM STREAM events
--                                       ^^^^

-- query error(EDDYLINE_STREAMING_QUERY.CHANGES_KEY, 42K0E)
  START STREAMING QUERY q AS UPSERT INTO copy KEY (v) SELECT k, max(v) AS v FROM STREAM events GROUP BY k EMIT ON CHANGE WITH CHANGE TYPE
--                                                 ^

-- query error(EDDYLINE_STREAMING_QUERY.CHANGES_KEY, 42K0E)
  START STREAMING QUERY q AS UPSERT INTO copy KEY (k) SELECT 1 AS k, max(v) AS v FROM STREAM events EMIT ON CHANGE WITH CHANGE TYPE
--                                                 ^

-- query error(EDDYLINE_STREAMING_QUERY.CHANGES_KEY, 42K0E)
  START STREAMING QUERY q AS UPSERT INTO copy KEY (k) SELECT k, max(v) AS v FROM STREAM events GROUP BY ROLLUP (k) EMIT ON CHANGE WITH CHANGE TYPE
--                                                 ^

-- query error(EDDYLINE_STREAMING_QUERY.CHANGES_KEY_TYPE, 42K0E)
  START STREAMING QUERY q AS UPSERT INTO copy KEY (k) SELECT k / 2D AS k, max(v) AS v FROM STREAM events GROUP BY k / 2D EMIT ON CHANGE WITH CHANGE TYPE
--                                                 ^

-- query error(EDDYLINE_STREAMING_QUERY.CHANGES_FILTERED, 42K0E)
  START STREAMING QUERY q AS UPSERT INTO copy KEY (k) SELECT * FROM (SELECT k, max(v) AS v FROM STREAM events GROUP BY k EMIT ON CHANGE WITH CHANGE TYPE) WHERE v > 1
--                                       ^^^^

-- query error(EDDYLINE_STREAMING_QUERY.UPSERT_NOT_SUPPORTED, 0A000)
  START STREAMING QUERY q AS UPSERT INTO copy KEY (k) SELECT k, v FROM STREAM events
--                                       ^^^^

-- query error(TABLE_OR_VIEW_NOT_FOUND, 42P01)
  START STREAMING QUERY q AS INSERT INTO nowhere SELECT k, v FROM STREAM events
--                                       ^^^^^^^

-- query error(TABLE_OR_VIEW_NOT_FOUND, 42P01)
  START STREAMING QUERY q AS INSERT INTO copy SELECT k, v FROM STREAM nothing
--                                                             ^^^^^^^^^^^^^^

-- query error(UNRESOLVED_COLUMN.WITH_SUGGESTION, 42703)
  START STREAMING QUERY q AS INSERT INTO copy SELECT k, w FROM STREAM events
--                                                      ^

-- query error(INSERT_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS, 21S01)
  START STREAMING QUERY q AS INSERT INTO copy SELECT k FROM STREAM events

-- query error(EDDYLINE_EMIT.SESSION_WITHOUT_KEY, 0A000)
  START STREAMING QUERY q AS INSERT INTO copy SELECT 1, count(*) FROM STREAM events WATERMARK ts DELAY OF INTERVAL 1 HOUR GROUP BY session_window(ts, '5 seconds')
--                                                                                                                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.STATE_ENCODING, 0A000)
  START STREAMING QUERY q OPTIONS ('spark.sql.streaming.stateStore.encodingFormat' 'avro') AS INSERT INTO copy SELECT k, v FROM STREAM events EMIT ON CHANGE KEY (k)
--                                                                                                                                            ^^^^^^^^^^^^^^

-- query error(EDDYLINE_EMIT.NOT_OVER_AGGREGATION, 0A000)
  START STREAMING QUERY q AS INSERT INTO copy SELECT k, v FROM STREAM events EMIT ON CHANGE
--                                                                           ^^^^^^^^^^^^^^

-- query error(EDDYLINE_PLACEHOLDER, 42601)
  SELECT * FROM __eddyline_streaming_query(name => 'q')
--              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_PLACEHOLDER, 42601)
  SELECT * FROM __eddyline_streaming_query(action => 'pause', name => 'q')
--              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_PLACEHOLDER, 42601)
  SELECT * FROM __eddyline_start_streaming_query(name => 'q')
--              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

-- query error(UNRESOLVABLE_TABLE_VALUED_FUNCTION, 42883)
-- never inside of a query
  SELECT * FROM (SELECT * FROM __eddyline_streaming_query(action => 'show'))
--                             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_STREAMING_QUERY.SYNTAX_ERROR, 42601)
  START STREAMING QUERY q TRIGGER ONCE AS INSERT INTO copy SELECT k, v FROM STREAM events
--                                ^^^^

-- query error(EDDYLINE_STREAMING_QUERY.SYNTAX_ERROR, 42601)
  START STREAMING QUERY q AS INSERT OVERWRITE copy SELECT k, v FROM STREAM events
--                                  ^^^^^^^^^

-- query error(EDDYLINE_SYNTAX.NEAR_MISS, 42601)
  START STREAMING QUERY q AS INSERT INTO copy SELECT k, v FROM STREAM events CHECKPOINT '/c'
--                                                                           ^^^^^^^^^^

-- query error(EDDYLINE_EMIT.SYNTAX_ERROR, 42601)
  START STREAMING QUERY q AS INSERT INTO copy SELECT k, v FROM STREAM events EMIT ON CHANGE KEY (k) TRIGGER AVAILABLE NOW
--                                                                                                  ^^^^^^^

-- query error(EDDYLINE_SYNTAX.NEAR_MISS, 42601)
-- in batch
  UPSERT INTO copy KEY (k) SELECT k, v FROM events
--^^^^^^^^^^^

-- query error(EDDYLINE_STREAMING_QUERY.INVALID_NAME, 42601)
  STOP STREAMING QUERY IDENTIFIER('db.q')
--                     ^^^^^^^^^^^^^^^^^^

-- query
-- none of these has left a query behind; the words are no reserved ones
SELECT streaming.start AS stop FROM (SELECT 1 AS start) streaming
-- result
1
