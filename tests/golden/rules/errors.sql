-- query error(EDDYLINE_RULES.SYNTAX_ERROR, 42601)
SHOW EDDYLINE RULES LIKE 'Plan%'
--                  ^^^^

-- a rule that is needed: the next query says why
-- statement
SET spark.eddyline.rules.excluded=HoistChecks,PlanAssume

-- query error(EDDYLINE_RULES.REQUIRED, 22023)
SELECT count(*) FROM range(3)

-- query error(EDDYLINE_RULES.REQUIRED, 22023)
EXPLAIN CLAUSES SELECT count(*) FROM range(3)

-- statement
SHOW EDDYLINE RULES

-- no such rule
-- statement
SET spark.eddyline.rules.excluded=hoistchecks

-- query error(EDDYLINE_RULES.NOT_FOUND, 42704)
SELECT count(*) FROM range(3)

-- statement
SET spark.eddyline.rules.excluded=

-- query
SELECT count(*) FROM range(3)
-- result
3

-- statement
SET spark.eddyline.rules.excluded= HoistChecks , NarrowAssume

-- query
SELECT count(*) FROM range(3)
-- result
3
