-- What is nearly a clause or a statement of eddyline, and a quote or comment that is not closed.

-- statement
CREATE TABLE a (k INT, v INT) USING parquet

-- query error(EDDYLINE_SYNTAX.NEAR_MISS, 42601)
  SELECT k FROM a EMIT ONCHANGE
--                ^^^^^^^^^^^^^

-- query error(EDDYLINE_SYNTAX.NEAR_MISS, 42601)
  SELECT k FROM a GROUP BY k EMTI ON CHANGE
--                           ^^^^^^^^^^^^^^

-- query error(EDDYLINE_SYNTAX.NEAR_MISS, 42601)
  SELECT * FROM a ASSUME SORTED BY (k)
--                ^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_SYNTAX.NEAR_MISS, 42601)
-- after an emoji and a clause that is right
  SELECT '🌊', k FROM (COGROUP a BY k, a AS b BY k AGGREGATE count(*) AS n) EMITT ON CHANGE
--                                                                         ^^^^^^^^^^^^^^^

-- query error(EDDYLINE_SYNTAX.NEAR_MISS, 42601)
  COGRUOP a BY k, a AS b BY k AGGREGATE count(*) AS n
--^^^^^^^

-- query error(EDDYLINE_SYNTAX.NEAR_MISS, 42601)
  SELECT * FROM (COGRUOP a BY k, a AS b BY k AGGREGATE count(*) AS n)
--               ^^^^^^^

-- query error(EDDYLINE_SYNTAX.NEAR_MISS, 42601)
-- Spark reads LIST, and refuses its object
  LIST QUERIES
--^^^^^^^^^^^^

-- query error(EDDYLINE_SYNTAX.NEAR_MISS, 42601)
  EXPLAIN ASSUMPTION SELECT * FROM a ASSUME PARTITIONED BY (k)
--^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_SYNTAX.FEATURE_REMOVED, 0A000)
  EXPLAIN ASSUMPTIONS SELECT * FROM a ASSUME PARTITIONED BY (k)
--^^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_SYNTAX.FEATURE_REMOVED, 0A000)
  EXPLAIN ASSUMPTIONS COGROUP a BY k, a AS b BY k AGGREGATE count(*) AS n
--^^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_SYNTAX.FEATURE_REMOVED, 0A000)
  explain eddyline VALUES (1)
--^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_SYNTAX.FEATURE_REMOVED, 0A000)
  EXPLAIN EDDYLINE WITH one AS (SELECT 1 AS k) (SELECT k FROM one)
--^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_SYNTAX.FEATURE_REMOVED, 0A000)
  EXPLAIN EDDYLINE TABLE a
--^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_SYNTAX.FEATURE_REMOVED, 0A000)
  BEGIN EXPLAIN EDDYLINE SELECT k FROM STREAM a EMIT ON CHANGE; END
--      ^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_SYNTAX.NEAR_MISS, 42601)
  BEGIN
    SHOW STREAMS;
--  ^^^^^^^^^^^^
  END

-- query error(EDDYLINE_SYNTAX.NEAR_MISS, 42601)
  START STREMING QUERY q AS INSERT INTO a SELECT * FROM STREAM a
--^^^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_SYNTAX.NEAR_MISS, 42601)
  STOP STREMING QUERY q
--     ^^^^^^^^^^^^^^

-- query error(EDDYLINE_SYNTAX.UNCLOSED_QUOTE, 42601)
  COGROUP a BY k, a AS b BY k AGGREGATE count_if(a.v = 'x) AS n
--                                                     ^

-- query error(EDDYLINE_SYNTAX.UNCLOSED_QUOTE, 42601)
  COGROUP a BY k, a AS `b BY k AGGREGATE count(*) AS n
--                     ^

-- query error(EDDYLINE_SYNTAX.UNCLOSED_COMMENT, 42601)
  COGROUP a BY k /* the cart
--               ^^^^^^^^^^^

-- query error(PARSE_SYNTAX_ERROR, 42601)
-- Spark's own error where the quote stands before the words, or the error elsewhere
  SELECT 'a, k FROM a GROUP BY k EMIT ON CHANGE
--       ^

-- query error(PARSE_SYNTAX_ERROR, 42601)
  SELECT emitt.on FRM a emitt ON change
--                    ^

-- query error(PARSE_SYNTAX_ERROR, 42601)
  SELECT * FROM a cogrup b BY c
--                       ^
