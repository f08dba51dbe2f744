-- Spark: alias EMIT for b, joined on the boolean column CHANGE
SELECT * FROM a JOIN b EMIT ON CHANGE
--;
-- Spark: alias EMIT, joined on the boolean column UPDATE
SELECT * FROM a JOIN b EMIT ON UPDATE
--;
-- Spark: alias EMIT, joined on CHANGE, then the set operation EXCEPT with a parenthesized query
SELECT * FROM a JOIN b EMIT ON CHANGE EXCEPT (SELECT 1)
--;
-- Spark: alias EMIT, joined on CHANGE, then EXCEPT
SELECT k FROM a JOIN b EMIT ON CHANGE EXCEPT SELECT 1
--;
-- Spark: alias EMIT, joined on CHANGE, then EXCEPT with a query in parentheses that starts with FROM
SELECT k FROM a JOIN b EMIT ON CHANGE EXCEPT (FROM seen)
--;
-- Spark: alias EMIT, joined on a call of the function CHANGE
SELECT * FROM a JOIN b EMIT ON CHANGE (k)
--;
-- Spark: alias EMIT, joined on the conjunction of the columns CHANGE and EVERY
SELECT * FROM a JOIN b EMIT ON CHANGE AND EVERY
--;
-- Spark: alias EMIT, joined on CHANGE, then a filter
SELECT * FROM a JOIN b EMIT ON CHANGE WHERE x = 1
--;
-- Spark: alias EMIT, joined on CHANGE, then an order and a limit
SELECT * FROM a JOIN b EMIT ON CHANGE ORDER BY k LIMIT 3
--;
-- Spark: alias EMIT, joined on CHANGE, then an aggregation
SELECT k, count(*) FROM a JOIN b EMIT ON CHANGE GROUP BY k HAVING count(*) > 1
--;
-- Spark: alias EMIT of an outer join's right side, condition UPDATE
SELECT * FROM a LEFT OUTER JOIN b EMIT ON UPDATE
--;
-- Spark: alias EMIT of a cross join's right side, with a condition on the column WINDOW
SELECT * FROM a CROSS JOIN b EMIT ON WINDOW
--;
-- Spark: alias EMIT of a lateral subquery, condition CHANGE
SELECT * FROM a JOIN LATERAL (SELECT a.k AS change) EMIT ON CHANGE
--;
-- Spark: alias EMIT of a subquery, condition CHANGE
SELECT * FROM a JOIN (SELECT 1 AS change) EMIT ON CHANGE
--;
-- Spark: alias EMIT of a table function, condition CHANGE
SELECT * FROM a JOIN range(3) EMIT ON CHANGE
--;
-- Spark: alias EMIT, condition CHANGE; the join is one branch of a union
SELECT k FROM a JOIN b EMIT ON CHANGE UNION ALL SELECT 1
--;
-- Spark: alias EMIT, condition CHANGE; the query is a subquery
SELECT * FROM (SELECT * FROM a JOIN b EMIT ON CHANGE) AS s
--;
-- Spark: alias EMIT, condition CHANGE; the query is a CTE
WITH c AS (SELECT * FROM a JOIN b EMIT ON CHANGE) SELECT * FROM c
--;
-- Spark: alias EMIT, condition CHANGE; the query is a pipe's source
FROM a JOIN b EMIT ON CHANGE |> SELECT k
--;
-- Spark: alias EMIT, condition CHANGE, in a pipe's join
FROM a |> JOIN b EMIT ON CHANGE |> WHERE k > 1
--;
-- Spark: alias EMIT, condition CHANGE, in what is inserted
INSERT INTO s SELECT k FROM a JOIN b EMIT ON CHANGE
--;
-- Spark: alias EMIT, condition CHANGE, in a view's query
CREATE VIEW v AS SELECT a.k FROM a JOIN b EMIT ON CHANGE
--;
-- Spark: alias EMIT, condition CHANGE, in a script
BEGIN SELECT * FROM a JOIN b EMIT ON CHANGE; END
--;
-- Spark: alias EMIT, condition `emit.change`
SELECT * FROM a JOIN b emit ON emit.change
--;
-- Spark: alias EMIT over several lines with a comment between, condition CHANGE
SELECT * FROM a JOIN b EMIT /* on every */ ON
  CHANGE -- of (k)
--;
-- Spark: alias EMIT of the merge's source, joined on the column change
MERGE INTO t USING s EMIT ON change WHEN MATCHED THEN DELETE
--;
-- Spark: alias EMIT of the merge's source, joined on the column update
MERGE INTO t USING s EMIT ON UPDATE WHEN MATCHED THEN UPDATE SET x = 1
--;
-- Spark: alias EMIT of the deleted table
DELETE FROM t EMIT
--;
-- Spark: alias EMIT of the updated table
UPDATE t EMIT SET x = 1
--;
-- Spark: an index named emit on the table change
CREATE INDEX emit ON change (k)
--;
-- Spark: drops the index emit of the table change
DROP INDEX emit ON change
--;
-- Spark: alias EMIT for t
SELECT * FROM t EMIT
--;
-- Spark: alias EMIT for a dotted name
SELECT * FROM cat.db.t EMIT
--;
-- Spark: alias EMIT for a subquery
SELECT * FROM (SELECT 1 AS k) EMIT
--;
-- Spark: column alias EMIT
SELECT 1 EMIT
--;
-- Spark: alias EMIT for an inline table
VALUES (1) EMIT
--;
-- Spark: alias EMIT for a table function
SELECT * FROM range(3) EMIT
--;
-- Spark: alias EMIT for a sample
SELECT * FROM t TABLESAMPLE (1 ROWS) EMIT
--;
-- Spark: alias EMIT for a pivot
SELECT * FROM t PIVOT (sum(v) FOR k IN (1, 2)) EMIT
--;
-- Spark: table alias EMIT of a lateral view
SELECT * FROM t LATERAL VIEW explode(x) EMIT AS change
--;
-- Spark: table alias EMIT of a lateral view, without columns
SELECT * FROM t LATERAL VIEW explode(x) EMIT
--;
-- Spark: alias EMIT in what is inserted
INSERT INTO s SELECT k FROM t EMIT
--;
-- Spark: alias EMIT with the column names CHANGE and UPDATE
SELECT * FROM t EMIT (change, `update`)
--;
-- Spark: the stream of a table named emit, its alias CHANGE
SELECT * FROM STREAM emit change
--;
-- Spark: alias EMIT for t, then a filter on the column EVERY
SELECT * FROM t EMIT WHERE EVERY > 5
--;
-- Spark: alias EMIT joined to another relation
SELECT * FROM t EMIT JOIN u ON change
--;
-- Spark: a window named EMIT
SELECT sum(v) OVER EMIT FROM t WINDOW EMIT AS (ORDER BY change)
--;
-- Spark: alias ASSUME for t
SELECT * FROM t ASSUME
--;
-- Spark: alias PARTITIONED for t
SELECT * FROM t PARTITIONED
--;
-- Spark: alias ASSUME for u, with a join condition
SELECT * FROM t JOIN u ASSUME ON ASSUME.k = t.k
--;
-- Spark: a partitioned table named assume
CREATE TABLE assume PARTITIONED BY (k) AS SELECT 1 AS k
--;
-- Spark: a partitioned table named assume, with IF NOT EXISTS
CREATE TABLE IF NOT EXISTS assume PARTITIONED BY (k) AS SELECT 1 AS k
--;
-- Spark: a partitioned streaming table named assume
CREATE STREAMING TABLE assume PARTITIONED BY (k) AS SELECT * FROM STREAM t
--;
-- Spark: a partitioned materialized view named assume
CREATE MATERIALIZED VIEW assume PARTITIONED BY (k) AS SELECT * FROM t
--;
-- Spark: a hint it does not know, or ours; not the clause
SELECT /*+ ASSUME_PARTITIONED_BY(t, k) */ k, max(v) FROM t GROUP BY k
--;
-- Spark: a read option
SELECT * FROM t WITH (assume_partitioned_by = 'k')
--;
-- Spark: a table argument named assume
SELECT * FROM f(TABLE(assume) PARTITION BY (k))
--;
-- Spark: a table named cogroup
SELECT * FROM COGROUP
--;
-- Spark: a table named cogroup, its alias a
SELECT * FROM cogroup a
--;
-- Spark: the tables cogroup (alias a) and b
SELECT * FROM COGROUP a, b
--;
-- Spark: a table named cogroup in parentheses, alias y over its alias c
SELECT * FROM (COGROUP c) y
--;
-- Spark: a, alias COGROUP, and b
SELECT * FROM a COGROUP, b
--;
-- Spark: a, alias COGROUP, joined to b
SELECT * FROM a COGROUP JOIN b ON COGROUP.k = b.k
--;
-- Spark: a table function named cogroup
SELECT * FROM COGROUP(a, b)
--;
-- Spark: a table function named cogroup over two tables
SELECT * FROM COGROUP(TABLE(a), TABLE(b))
--;
-- Spark: a table function named cogroup, alias BY with one column
SELECT * FROM COGROUP(a) BY (k)
--;
-- Spark: a table function named cogroup over partitioned tables, alias AGGREGATE
SELECT * FROM COGROUP(TABLE(a) PARTITION BY k, TABLE(b) PARTITION BY k) AGGREGATE
--;
-- Spark: a CTE named cogroup
WITH COGROUP AS (SELECT 1 AS k) SELECT * FROM COGROUP
--;
-- Spark: a CTE named cogroup with columns
WITH cogroup (a, b) AS (SELECT 1, 2) SELECT a, b FROM cogroup
--;
-- Spark: columns named cogroup, aggregate and branch
SELECT COGROUP, AGGREGATE, BRANCH FROM t
--;
-- Spark: column alias COGROUP
SELECT a COGROUP, b FROM t
--;
-- Spark: a function named cogroup
SELECT COGROUP(a, b) FROM t
--;
-- Spark: a grouping key named cogroup, with an alias
SELECT COGROUP a, count(*) AS n FROM t GROUP BY COGROUP
--;
-- Spark: a table named cogroup, FROM first
FROM COGROUP a SELECT a.k
--;
-- Spark: the tables cogroup (alias a) and b, FROM first, then a pipe's AGGREGATE
FROM COGROUP a, b |> AGGREGATE count(*) AS n GROUP BY k
--;
-- Spark: a view named cogroup
CREATE VIEW cogroup AS SELECT 1 AS k
--;
-- Spark: inserts into a table named cogroup
INSERT INTO COGROUP SELECT a FROM b
--;
-- Spark: inserts table cogroup into s
INSERT INTO s TABLE COGROUP
--;
-- Spark: every row of the table cogroup
TABLE COGROUP
--;
-- Spark: a label named cogroup
BEGIN COGROUP: BEGIN SELECT 1; END COGROUP; END
--;
-- Spark: column alias AGGREGATE
SELECT 1 AGGREGATE
--;
-- Spark: alias AGGREGATE for t
SELECT * FROM t AGGREGATE
--;
-- Spark: the function aggregate
SELECT AGGREGATE(xs, 0, (s, x) -> s + x) FROM t
--;
-- Spark: the pipe operator
FROM t |> AGGREGATE count(*) AS n GROUP BY k
--;
-- Spark: the aggregate function every, in HAVING
SELECT k FROM t GROUP BY k HAVING EVERY(branch)
--;
-- Spark: the column every, in HAVING
SELECT k FROM t GROUP BY k HAVING EVERY
--;
-- Spark: column q of a table named stream
DESCRIBE STREAM q
--;
-- Spark: column g of a table named global
DESCRIBE GLOBAL g
--;
-- Spark: column q of a table named streaming
DESC STREAMING q
--;
-- Spark: column query of a table named streaming
DESC STREAMING QUERY
--;
-- Spark: describes the query TABLE q
DESCRIBE QUERY TABLE q
--;
-- Spark: column q of a table named query
DESCRIBE QUERY q
--;
-- Spark: column c of a table named cogroup
DESCRIBE COGROUP c
--;
-- Spark: the stream of a table named JOIN, its alias u
SELECT * FROM STREAM JOIN u
--;
-- Spark: the stream of a table named emit
SELECT * FROM STREAM emit
--;
-- Spark: refreshes the path GLOBAL
REFRESH GLOBAL
--;
-- Spark: inserts into a table named global
INSERT INTO GLOBAL SELECT 1
--;
-- Spark: a table named global
CREATE TABLE global (k INT)
--;
-- Spark: an application-wide temporary view
CREATE GLOBAL TEMPORARY VIEW g AS SELECT 1 AS k
--;
-- Spark: a table named global, with an alias
SELECT * FROM GLOBAL table_alias
--;
-- Spark: time travel of g, no temporal join
SELECT * FROM o JOIN g FOR SYSTEM_TIME AS OF '2026-01-01'
--;
-- Spark: the value of a setting, up to the end of the text
SET spark.app.note = START STREAMING QUERY q AS INSERT INTO s SELECT 1
--;
-- Spark: a constraint's check, not CHECK ASSUMPTION
ALTER TABLE t ADD CONSTRAINT assumption CHECK (k > 0)
--;
-- Spark: text in a literal is parsed when the statement runs
EXECUTE IMMEDIATE 'SELECT * FROM t EMIT ON CHANGE'
--;
-- Spark: one string
SELECT 'COGROUP a BY k, b BY k AGGREGATE count(*) EMIT ON CHANGE'
--;
-- Spark: one column name
SELECT `x EMIT ON CHANGE` FROM t
--;
-- Spark: comments
SELECT k FROM t -- EMIT ON CHANGE
/* ASSUME PARTITIONED BY (k) */
--;
-- Spark: a hint it does not know
SELECT /*+ EMIT_ON_CHANGE(k) */ k FROM t
--;
-- Spark: alias EMIT, joined on UPDATE, then EXCEPT with a query in parentheses
SELECT * FROM a JOIN b EMIT ON UPDATE EXCEPT (SELECT 1)
--;
-- Spark: alias EMIT, joined on CHANGE, then EXCEPT with the table seen
SELECT * FROM a JOIN b EMIT ON CHANGE EXCEPT (TABLE seen)
--;
-- Spark: alias EMIT, joined on CHANGE, then EXCEPT with an inline table
SELECT * FROM a JOIN b EMIT ON CHANGE EXCEPT (VALUES 1)
--;
-- Spark: alias EMIT, joined on CHANGE, then EXCEPT ALL
SELECT * FROM a JOIN b EMIT ON CHANGE EXCEPT ALL (SELECT 1)
--;
-- Spark: alias EMIT, joined on CHANGE; the result joined to c
SELECT * FROM a JOIN b EMIT ON CHANGE JOIN c ON x
--;
-- Spark: alias EMIT, joined by the common column change
SELECT * FROM a JOIN b EMIT USING (change)
--;
-- Spark: alias EMIT of a natural join's right side
SELECT * FROM a NATURAL JOIN b EMIT
--;
-- Spark: alias EMIT, condition CHANGE, in a created table's query
CREATE TABLE c USING parquet AS SELECT * FROM a JOIN b EMIT ON CHANGE
--;
-- Spark: alias EMIT, condition CHANGE, in a cached query
CACHE TABLE c AS SELECT * FROM a JOIN b EMIT ON CHANGE
--;
-- Spark: alias EMIT, condition CHANGE, in an explained query
EXPLAIN SELECT * FROM a JOIN b EMIT ON CHANGE
--;
-- Spark: alias EMIT, condition CHANGE, in EXISTS
SELECT * FROM t WHERE EXISTS (SELECT * FROM a JOIN b EMIT ON CHANGE)
--;
-- Spark: alias EMIT, condition CHANGE, in a function's body
CREATE FUNCTION f() RETURNS TABLE (k INT) RETURN SELECT a.k FROM a JOIN b EMIT ON CHANGE
--;
-- Spark: alias EMIT, joined on the column KEY and a call of the function TOLERANCE
SELECT * FROM a JOIN b EMIT ON KEY AND TOLERANCE (v)
--;
-- Spark: alias EMIT for the changes of t
SELECT * FROM t CHANGES FROM VERSION 1 EMIT
--;
-- Spark: alias EMIT for an older version of t
SELECT * FROM t VERSION AS OF 1 EMIT
--;
-- Spark: the changes of the stream of a table named emit
SELECT * FROM STREAM emit CHANGES
--;
-- Spark: a table named cogroup, its alias BY, in a join
SELECT * FROM a JOIN COGROUP BY ON BY.k = a.k
--;
-- Spark: a table named cogroup joined by a common column
SELECT * FROM a JOIN COGROUP USING (k)
--;
-- Spark: a table named cogroup, then a filter
SELECT * FROM COGROUP WHERE c BETWEEN a AND b
--;
-- Spark: a table named cogroup, its alias AGGREGATE, FROM first
FROM COGROUP AGGREGATE SELECT AGGREGATE.k
--;
-- Spark: columns cogroup with alias a, and b with alias BY
SELECT COGROUP a, b BY FROM t
--;
-- Spark: the boolean column cogroup filters b
SELECT * FROM b WHERE COGROUP
--;
-- Spark: the whole table cogroup, in parentheses
(TABLE COGROUP)
--;
-- Spark: the tables cogroup (alias a) and b in a subquery, FROM first
SELECT * FROM t WHERE k IN (FROM COGROUP a, b)
--;
-- Spark: describes the query over the tables cogroup (alias a) and b
DESCRIBE QUERY FROM COGROUP a, b
--;
-- Spark: explains the query over the tables cogroup (alias a) and b
EXPLAIN FROM COGROUP a, b
--;
-- Spark: a table argument named cogroup
SELECT * FROM f(cogroup => TABLE(a) PARTITION BY k)
--;
-- Spark: a label named cogroup, and the table cogroup in a script
BEGIN COGROUP: BEGIN FROM COGROUP a, b; END COGROUP; END
--;
-- Spark: the column AT, in HAVING
SELECT k FROM t GROUP BY k HAVING AT
--;
-- Spark: the columns EVERY and BRANCH, in HAVING
SELECT k FROM t GROUP BY k HAVING EVERY AND BRANCH
--;
-- Spark: the functions every and least, in HAVING
SELECT k FROM t GROUP BY k HAVING every(branch) AND least(branches, 2) > 1
