-- Where a query may stand, EMIT may end it. In batch it reports each key once, as without it.

-- statement
CREATE TABLE t USING parquet AS SELECT * FROM VALUES (1, 10, 'a'), (1, 20, 'b'), (2, 5, 'c') AS t(k, v, s)

-- statement
CREATE TABLE u USING parquet AS SELECT * FROM VALUES (1, 'one'), (2, 'two') AS u(k, name)

-- statement
CREATE TABLE sink (k INT, top INT) USING parquet

-- query
SELECT k, max(v) AS top FROM t GROUP BY k EMIT ON CHANGE
-- result
1	20
2	5

-- query equals
select k, max(v) as top from t group by k emit on update
-- to
SELECT k, max(v) AS top FROM t GROUP BY k

-- query equals
SELECT k, max(v) AS top FROM t GROUP BY k EMIT ON WINDOW CLOSE
-- to
SELECT k, max(v) AS top FROM t GROUP BY k

-- query equals
SELECT k, max(v) AS top FROM t GROUP BY k EMIT EVERY 10 SECONDS
-- to
SELECT k, max(v) AS top FROM t GROUP BY k

-- query equals
SELECT k, max(v) AS top FROM t GROUP BY k EMIT EVERY INTERVAL '1' MINUTE ON CHANGE
-- to
SELECT k, max(v) AS top FROM t GROUP BY k

-- query equals
SELECT k, max(v) AS top FROM t GROUP BY k EMIT EVERY '1 minute 30 seconds' ON UPDATE
-- to
SELECT k, max(v) AS top FROM t GROUP BY k

-- query equals
-- columns by name, qualified, quoted; OF and EXCEPT change nothing in batch
SELECT k, max(v) AS `the top`, count(*) AS n FROM t GROUP BY k EMIT ON CHANGE OF (`the top`, t.k)
-- to
SELECT k, max(v) AS `the top`, count(*) AS n FROM t GROUP BY k

-- query equals
SELECT k, max(v) AS top, count(*) AS n FROM t GROUP BY k EMIT ON CHANGE EXCEPT (n)
-- to
SELECT k, max(v) AS top, count(*) AS n FROM t GROUP BY k

-- query equals
-- behind ORDER BY and LIMIT, which are the query's
SELECT k FROM t ORDER BY v DESC LIMIT 1 EMIT ON UPDATE
-- to
SELECT k FROM t ORDER BY v DESC LIMIT 1

-- query equals
-- the whole set operation
SELECT k FROM t UNION ALL (SELECT k FROM u) EXCEPT SELECT 2 EMIT ON UPDATE
-- to
SELECT k FROM t UNION ALL (SELECT k FROM u) EXCEPT SELECT 2

-- query equals
(SELECT k FROM t) UNION SELECT 7 EMIT ON CHANGE
-- to
(SELECT k FROM t) UNION SELECT 7

-- query equals
-- in parentheses, as dbt wraps a model, and named
SELECT x.k, x.top FROM (SELECT k, max(v) AS top FROM t GROUP BY k EMIT ON CHANGE) AS x WHERE x.top > 6
-- to
SELECT k, max(v) AS top FROM t GROUP BY k HAVING max(v) > 6

-- query equals
select * from ( select k, max(v) as top from t group by k emit on change ) as __dbt_sbq where top > 5 limit 1
-- to
SELECT 1 AS k, 20 AS top

-- query equals
WITH tops AS (SELECT k, max(v) AS top FROM t GROUP BY k EMIT ON CHANGE)
SELECT name, top FROM tops JOIN u USING (k) EMIT ON UPDATE
-- to
SELECT name, max(v) AS top FROM t JOIN u USING (k) GROUP BY name

-- query equals
FROM t SELECT k, v WHERE v > 5 EMIT ON UPDATE
-- to
SELECT k, v FROM t WHERE v > 5

-- query equals
FROM t |> WHERE v > 5 |> AGGREGATE max(v) AS top GROUP BY k EMIT ON CHANGE
-- to
SELECT k, max(v) AS top FROM t WHERE v > 5 GROUP BY k

-- query equals
VALUES (1), (2) EMIT ON UPDATE
-- to
VALUES (1), (2)

-- query equals
TABLE t EMIT ON UPDATE
-- to
TABLE t

-- query equals
-- over a join that has a condition, and over one whose relation has a name
SELECT name, v FROM t JOIN u ON t.k = u.k EMIT ON UPDATE
-- to
SELECT name, v FROM t JOIN u USING (k)

-- query equals
SELECT u.name, t.v FROM t JOIN u AS u EMIT ON UPDATE
-- to
SELECT u.name, t.v FROM t CROSS JOIN u

-- query equals
-- behind a join without a condition, what can be none
SELECT u.name, t.v FROM t JOIN u EMIT ON WINDOW CLOSE
-- to
SELECT u.name, t.v FROM t CROSS JOIN u

-- query equals
SELECT u.name, t.v FROM t JOIN u EMIT ON CHANGE OF (name)
-- to
SELECT u.name, t.v FROM t CROSS JOIN u

-- query equals
-- a scalar subquery, EXISTS with an outer column, IN
SELECT (SELECT max(v) FROM t EMIT ON CHANGE) AS top, k FROM u
WHERE EXISTS (SELECT 1 FROM t WHERE t.k = u.k EMIT ON UPDATE) AND k IN (SELECT k FROM t EMIT ON UPDATE)
-- to
SELECT 20 AS top, k FROM u

-- query equals
COGROUP t BY k, u BY k AGGREGATE sum(t.v) AS total, max(u.name) AS name HAVING EVERY BRANCH EMIT ON CHANGE
-- to
COGROUP t BY k, u BY k AGGREGATE sum(t.v) AS total, max(u.name) AS name HAVING EVERY BRANCH

-- query equals
COGROUP t BY k, u BY k AGGREGATE sum(t.v) AS total ORDER BY total LIMIT 1 EMIT ON CHANGE OF (total)
-- to
COGROUP t BY k, u BY k AGGREGATE sum(t.v) AS total ORDER BY total LIMIT 1

-- query equals
SELECT 1 AS k, 1L AS total UNION ALL COGROUP t BY k, u BY k AGGREGATE count(t.*) AS n EMIT ON UPDATE
-- to
SELECT 1 AS k, 1L AS total UNION ALL COGROUP t BY k, u BY k AGGREGATE count(t.*) AS n

-- query equals
-- in a branch
COGROUP (SELECT k, v FROM t EMIT ON UPDATE) AS a BY k, u BY k AGGREGATE count(a.*) AS n
-- to
COGROUP t BY k, u BY k AGGREGATE count(t.*) AS n

-- query equals
-- a NATURAL JOIN takes no condition
SELECT name, v FROM t NATURAL JOIN u EMIT ON UPDATE
-- to
SELECT name, v FROM t NATURAL JOIN u

-- query equals
-- nor does one of a table that is called as a join
WITH semi AS (SELECT * FROM t) SELECT name, v FROM semi NATURAL JOIN u EMIT ON UPDATE
-- to
SELECT name, v FROM t NATURAL JOIN u

-- query
DESCRIBE QUERY SELECT k FROM t EMIT ON UPDATE
-- result
k	int	NULL

-- statement
INSERT INTO sink SELECT k, max(v) FROM t GROUP BY k EMIT ON CHANGE

-- statement
INSERT INTO sink (k, top) WITH x AS (SELECT 3 AS k) SELECT k, 3 FROM x EMIT EVERY 10 SECONDS

-- statement
WITH x AS (SELECT 4 AS k) INSERT INTO TABLE sink SELECT k, 4 FROM x EMIT ON UPDATE

-- query
SELECT * FROM sink
-- result
1	20
2	5
3	3
4	4

-- statement
CREATE TABLE made USING parquet AS SELECT k, max(v) AS top FROM t GROUP BY k EMIT ON CHANGE

-- statement
CREATE OR REPLACE TEMPORARY VIEW seen AS SELECT k, max(v) AS top FROM t GROUP BY k EMIT ON CHANGE -- the end

-- statement
CREATE VIEW stored WITH SCHEMA BINDING AS SELECT k, max(v) AS top FROM t GROUP BY k EMIT ON CHANGE

-- query equals
SELECT * FROM made UNION ALL SELECT * FROM seen UNION ALL SELECT * FROM stored
-- to
SELECT k, top FROM made CROSS JOIN range(3)

-- query
EXECUTE IMMEDIATE 'SELECT max(v) AS top FROM t EMIT ON CHANGE'
-- result
20

-- query
EXECUTE IMMEDIATE 'SELECT max(v) AS top FROM t WHERE v < ? HAVING top > ? EMIT ON CHANGE' USING 20, 5
-- result
10

-- query
BEGIN
  DECLARE n INT DEFAULT 0;
  IF (SELECT CASE WHEN max(v) > 1 THEN true ELSE false END FROM t EMIT ON UPDATE) THEN
    SET n = (SELECT count(*) FROM t EMIT ON UPDATE);
  END IF;
  FOR r AS SELECT k FROM u EMIT ON UPDATE DO
    SET n = n + r.k;
  END FOR;
  SELECT n EMIT ON UPDATE;
END
-- result
6

-- query equals
-- no word is reserved: aliases, columns, tables
SELECT emit.emit, emit.change AS emit FROM (SELECT 1 AS emit, 2 AS change) emit EMIT ON UPDATE
-- to
SELECT 1 AS emit, 2 AS emit

-- plan
SELECT k, max(v) AS top FROM t GROUP BY k EMIT ON CHANGE
-- result
AdaptiveSparkPlan
+- HashAggregate
   +- Exchange
      +- HashAggregate
         +- FileScan

-- query equals
SELECT k, max(v) AS top FROM t GROUP BY ALL EMIT ON CHANGE
-- to
SELECT k, max(v) AS top FROM t GROUP BY ALL

-- query equals
SELECT k FROM t LIMIT ALL EMIT ON CHANGE
-- to
SELECT k FROM t

-- query equals
-- words of the clauses as names at the end of the query
SELECT max(k) AS top FROM (SELECT k, v AS cogroup FROM t) AS index GROUP BY cogroup EMIT ON CHANGE
-- to
SELECT max(k) AS top FROM t GROUP BY v

-- query equals
-- Spark's comment goes on behind a backslash at the end of its line
SELECT k FROM t -- one \
EMIT ON UPDATE
EMIT ON CHANGE
-- to
SELECT k FROM t
