-- What is wrong with a text, at the word where it is wrong.

-- query error(EDDYLINE_GLOBAL_TABLE.SYNTAX_ERROR, 42601)
  CREATE GLOBAL TABLE
--

-- query error(EDDYLINE_GLOBAL_TABLE.SYNTAX_ERROR, 42601)
  CREATE GLOBAL TABLE g SELECT 1
--                      ^^^^^^

-- query error(EDDYLINE_GLOBAL_TABLE.SYNTAX_ERROR, 42601)
  CREATE OR REPLACE GLOBAL TABLE g USING parquet
--       ^^

-- query error(EDDYLINE_GLOBAL_TABLE.SYNTAX_ERROR, 42601)
  CREATE OR REPLACE GLOBAL TABLE IF NOT EXISTS g AS SELECT 1
--                               ^^

-- query error(EDDYLINE_GLOBAL_TABLE.SYNTAX_ERROR, 42601)
  CREATE GLOBAL TABLE g USING parquet AS SELECT 1
--                                    ^^

-- query error(EDDYLINE_GLOBAL_TABLE.SYNTAX_ERROR, 42601)
  CREATE GLOBAL TABLE g (k INT) AS SELECT 1
--                              ^^

-- query error(EDDYLINE_GLOBAL_TABLE.SYNTAX_ERROR, 42601)
  CREATE GLOBAL TABLE g PRIMARY KEY k AS SELECT 1 AS k
--                                  ^

-- query error(EDDYLINE_GLOBAL_TABLE.SYNTAX_ERROR, 42601)
  CREATE GLOBAL TABLE g MAX ROWS 1 MAX ROWS 2 AS SELECT 1
--                                 ^^^

-- query error(EDDYLINE_GLOBAL_TABLE.SYNTAX_ERROR, 42601)
  CREATE GLOBAL TABLE g MAX ROWS 0 AS SELECT 1
--                               ^

-- query error(EDDYLINE_GLOBAL_TABLE.SYNTAX_ERROR, 42601)
  CREATE GLOBAL TABLE g ON STALE FAIL AS SELECT 1
--                         ^^^^^

-- query error(EDDYLINE_GLOBAL_TABLE.SYNTAX_ERROR, 42601)
  CREATE GLOBAL TABLE g REFRESH SOMETIMES AS SELECT 1
--                              ^^^^^^^^^

-- query error(EDDYLINE_GLOBAL_TABLE.SYNTAX_ERROR, 42601)
  CREATE GLOBAL TABLE g ON DUPLICATE KEY IGNORE AS SELECT 1
--                                       ^^^^^^

-- query error(EDDYLINE_GLOBAL_TABLE.SYNTAX_ERROR, 42601)
  CREATE GLOBAL TABLE g USING parquet MAX ROWS 1 LOCATION '/x'
--                                               ^^^^^^^^

-- query error(EDDYLINE_GLOBAL_TABLE.SYNTAX_ERROR, 42601)
  ALTER GLOBAL TABLE g REFRESH MANUAL
--                     ^^^^^^^

-- query error(EDDYLINE_GLOBAL_TABLE.SYNTAX_ERROR, 42601)
  ALTER GLOBAL TABLE g SET PRIMARY KEY (k)
--                         ^^^^^^^^^^^

-- query error(EDDYLINE_GLOBAL_TABLE.SYNTAX_ERROR, 42601)
  DROP GLOBAL TABLE g CASCADE
--                    ^^^^^^^

-- query error(EDDYLINE_GLOBAL_TABLE.SYNTAX_ERROR, 42601)
  REFRESH GLOBAL TABLE
--

-- query error(EDDYLINE_GLOBAL_TABLE.SYNTAX_ERROR, 42601)
  SHOW GLOBAL TABLES LIKE 'g%'
--                   ^^^^

-- statement
-- what Spark reads by itself keeps its meaning
CREATE TABLE global (table INT) USING parquet

-- query error(EDDYLINE_SYNTAX.NEAR_MISS, 42601)
  CREATE GLOBAL TABLE g AS SELECT 1 AS k PRIMARY KEY (k)
--                                       ^^^^^^^^^^^

-- query error(EDDYLINE_SYNTAX.NEAR_MISS, 42601)
  CREATE GLOBAL TABLE g AS SELECT * FROM global COMMENT 'c'
--                                              ^^^^^^^

-- query error(EDDYLINE_SYNTAX.NEAR_MISS, 42601)
  CREATE GLOBAL TABLE g AS SELECT * FROM global REFRESH EVERY 1 HOUR
--                                              ^^^^^^^^^^^^^

-- query error(EDDYLINE_SYNTAX.NEAR_MISS, 42601)
  CREATE GLOBAL VIEW g AS SELECT 1 AS k
--^^^^^^^^^^^^^^^^^^

-- query
SELECT global.table FROM global
-- result

-- statement
DESCRIBE global table

-- statement
CREATE GLOBAL TEMPORARY VIEW a_view AS SELECT 1

-- statement
DROP VIEW global_temp.a_view
