-- ${variables} are put in before a text is searched for clauses.

-- statement
CREATE TABLE a USING parquet AS SELECT * FROM VALUES (1, 10), (1, 20), (2, 30) AS t(k, v)

-- statement
SET whole = COGROUP a BY k, a AS b BY k AGGREGATE count(b.*) AS n

-- statement
SET clause = EMIT ON CHANGE

-- query
${whole}
-- result
1	2
2	1

-- query equals
SELECT k, max(v) AS top FROM a GROUP BY k ${clause}
-- to
SELECT k, max(v) AS top FROM a GROUP BY k

-- query error(EDDYLINE_EMIT.SYNTAX_ERROR, 42601)
SELECT k FROM a ${clause}S
