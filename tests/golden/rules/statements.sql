-- Each statement is a command of its own, also in a script.

-- statement
SHOW EDDYLINE RULES

-- statement
show eddyline rules

-- statement
BEGIN
  SHOW EDDYLINE RULES;
END

-- query equals
SELECT eddyline.rules FROM (SELECT 1 AS rules) AS eddyline
-- to
SELECT 1 AS rules
