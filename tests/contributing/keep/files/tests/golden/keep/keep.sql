-- KEEP is LIMIT by another name.

-- statement
SET spark.eddyline.keep.maxRows = 100

-- query equals
SELECT id FROM range(9) ORDER BY id DESC KEEP FIRST 2
-- to
SELECT id FROM range(9) ORDER BY id DESC LIMIT 2

-- query equals
-- in a subquery, over a set operation, in other letters
SELECT sum(id) AS n FROM (SELECT id FROM range(5) UNION ALL VALUES (7) ORDER BY id DESC keep first 1)
-- to
SELECT sum(id) AS n FROM (SELECT id FROM range(5) UNION ALL VALUES (7) ORDER BY id DESC LIMIT 1)

-- query equals
-- KEEP and FIRST stay names
SELECT keep, first FROM VALUES (1, 2) AS keep(keep, first) KEEP FIRST 1
-- to
SELECT 1 AS keep, 2 AS first

-- query error(EDDYLINE_KEEP.SYNTAX_ERROR, 42601)
  SELECT id FROM range(9) KEEP FIRST rows
--                                   ^^^^

-- query error(EDDYLINE_KEEP.SYNTAX_ERROR, 42601)
  SELECT id FROM range(9) KEEP FIRST 2 LIMIT 1
--                                     ^^^^^

-- query error(EDDYLINE_KEEP.TOO_MANY_ROWS, 22023)
  SELECT id FROM range(9) KEEP FIRST 101
--                                   ^^^
