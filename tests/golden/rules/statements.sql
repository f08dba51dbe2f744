-- Each statement is a command of its own, also in a script.

-- statement
SHOW EDDYLINE RULES

-- statement
show eddyline rules

-- statement
BEGIN
  SHOW EDDYLINE RULES;
END

-- query
EXPLAIN EDDYLINE SELECT 1
-- result

-- statement
EXPLAIN EDDYLINE
COGROUP (SELECT 1 AS k) AS a BY k, (SELECT 1 AS k) AS b BY k AGGREGATE count(a.k) AS n
EMIT ON CHANGE

-- statement
EXPLAIN EDDYLINE WITH one AS (SELECT 1 AS k) (SELECT k FROM one)

-- statement
EXPLAIN EDDYLINE VALUES (1)

-- query equals
SELECT eddyline.rules FROM (SELECT 1 AS rules) AS eddyline
-- to
SELECT 1 AS rules
