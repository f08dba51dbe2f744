-- Everywhere a query may stand.

-- statement
CREATE TABLE a USING parquet AS SELECT * FROM VALUES (1, 10), (2, 20), (1, 30) AS t(k, v)

-- statement
CREATE TABLE b USING parquet AS SELECT * FROM VALUES (1, 'x'), (3, 'y') AS t(k, s)

-- query
SELECT n, c.k FROM (COGROUP a BY k, b BY k AGGREGATE count(*) AS n) AS c WHERE c.n > 1
-- result
3	1

-- query
WITH c AS (COGROUP a BY k, b BY k AGGREGATE count(*) AS n), d AS (SELECT max(n) AS n FROM c)
SELECT c.k FROM c JOIN d USING (n)
-- result
1

-- query
SELECT 0 AS k, 0 AS n UNION ALL COGROUP a BY k, b BY k AGGREGATE count(*) AS n ORDER BY n DESC, k LIMIT 2
-- result ordered
1	3
2	1

-- query equals since 4.2
-- QUALIFY and WINDOW belong to the right side of a UNION, as those of a SELECT do
SELECT 0 AS k, 0L AS n
UNION ALL COGROUP a BY k, b BY k AGGREGATE count(*) AS n QUALIFY row_number() OVER (ORDER BY n DESC) = 1
UNION ALL COGROUP a BY k, b BY k AGGREGATE count(*) AS n HAVING n = 1 QUALIFY rank() OVER w = 1 WINDOW w AS (ORDER BY k)
-- to
SELECT * FROM VALUES (0, 0L), (1, 3L), (2, 1L) AS t(k, n)

-- query
SELECT 0 AS k, 0L AS n UNION ALL COGROUP a BY k, b BY k AGGREGATE count(*) OVER w AS n WINDOW w AS (ORDER BY k) ORDER BY 1
-- result ordered
0	0
1	1
2	2
3	3

-- query
COGROUP a BY k, b BY k AGGREGATE count(*) AS n UNION ALL SELECT 9, 9L ORDER BY k DESC
-- result ordered
9	9
3	1
2	1
1	3

-- query
(COGROUP a BY k, b BY k AGGREGATE count(*) AS n) EXCEPT SELECT 2, 1 ORDER BY k
-- result ordered
1	3
3	1

-- query
SELECT * FROM range(4) WHERE EXISTS (COGROUP a BY k, b BY k AGGREGATE count(*) AS n HAVING n > 2 AND k = 1)
  AND id IN (SELECT k FROM (COGROUP a BY k, b BY k AGGREGATE count(*) AS n))
-- result
1
2
3

-- query
SELECT (SELECT max(n) FROM (COGROUP a BY k, b BY k AGGREGATE count(*) AS n)) AS top
-- result
3

-- query
SELECT r.id, c.n FROM range(3) AS r, LATERAL (COGROUP (SELECT * FROM a WHERE a.k = r.id) AS x BY k, b BY k
  AGGREGATE count(x.*) AS n HAVING EVERY BRANCH) AS c
-- result
1	2

-- query
COGROUP a BY k, b BY k AGGREGATE count(*) AS n |> WHERE n = 1 |> AGGREGATE sum(k) AS ks
-- result
5

-- query
FROM (COGROUP a BY k, b BY k AGGREGATE count(*) AS n) |> SELECT k + n AS kn
-- result
3
4
4

-- statement
CREATE TABLE c USING parquet AS COGROUP a BY k, b BY k AGGREGATE count(*) AS n

-- query
SELECT * FROM c
-- result
1	3
2	1
3	1

-- statement
INSERT INTO c COGROUP a BY k, b BY k AGGREGATE count(*) + 100 AS n HAVING EVERY BRANCH

-- statement
INSERT INTO TABLE c (n, k) SELECT n, k FROM (COGROUP a BY k, b BY k AGGREGATE count(*) + 200 AS n HAVING EVERY BRANCH)

-- query
SELECT * FROM c WHERE n > 100
-- result
1	103
1	203

-- statement
INSERT OVERWRITE c COGROUP a BY k, b BY k AGGREGATE count(a.*) AS n HAVING n = 0

-- query
TABLE c
-- result
3	0

-- statement
WITH w AS (SELECT * FROM a) INSERT INTO c COGROUP w BY k, b BY k AGGREGATE max(w.v) AS n HAVING EVERY BRANCH

-- query
TABLE c
-- result
1	30
3	0

-- statement
CREATE VIEW v AS COGROUP a BY k, b BY k AGGREGATE count(*) AS n, max(b.s) AS s

-- statement
CREATE OR REPLACE VIEW vv (key COMMENT 'of both', total) AS (
  SELECT k, n FROM v WHERE n > 1
)

-- query
SELECT * FROM v
-- result
1	3	x
2	1	NULL
3	1	y

-- query
SELECT * FROM vv
-- result
1	3

-- statement
CREATE OR REPLACE TEMPORARY VIEW tv AS (
    COGROUP a BY k, b BY k AGGREGATE count(*) AS n
)

-- query
SELECT sum(n) FROM tv JOIN v USING (k, n)
-- result
5

-- statement
CREATE FUNCTION f(least_n BIGINT) RETURNS TABLE(k INT, n BIGINT)
RETURN COGROUP a BY k, b BY k AGGREGATE count(*) AS n HAVING n >= least_n

-- query
SELECT * FROM f(2)
-- result
1	3

-- statement
DROP FUNCTION f

-- query
BEGIN
  DECLARE total BIGINT DEFAULT 0;
  IF (SELECT max(n) FROM (COGROUP a BY k, b BY k AGGREGATE count(*) AS n)) > 2 THEN
    FOR r AS COGROUP a BY k, b BY k AGGREGATE count(*) AS n DO
      SET total = total + r.n;
    END FOR;
  ELSE
    COGROUP a BY k, b BY k AGGREGATE count(*) AS n;
  END IF;
  WHILE total < 7 DO
    SET total = total + (SELECT count(*) FROM (COGROUP a BY k, b BY k AGGREGATE count(*) AS n));
  END WHILE;
  COGROUP a BY k, b BY k AGGREGATE total AS t HAVING EVERY BRANCH;
END
-- result
1	8

-- query
BEGIN
  CASE WHEN 1 = 2 THEN SELECT 'no'; ELSE
    BEGIN
      COGROUP a BY k, b BY k AGGREGATE 'case' AS c HAVING EVERY BRANCH;
    END;
  END CASE;
END
-- result
1	case

-- query
EXECUTE IMMEDIATE 'COGROUP a BY k, b BY k AGGREGATE count(*) AS n HAVING n > ?' USING 1
-- result
1	3

-- query
EXECUTE IMMEDIATE 'COGROUP a WHERE v > :low BY k, b BY k AGGREGATE count(*) AS n' USING 15 AS low
-- result
1	2
2	1
3	1

-- query
COGROUP IDENTIFIER('default.' || 'a') AS x BY IDENTIFIER('k'), b BY k AGGREGATE count(x.*) AS n
-- result
1	2
2	1
3	0

-- statement
SET the.table = a

-- query
COGROUP ${the.table} BY k, b BY k AGGREGATE count(*) AS n
-- result
1	3
2	1
3	1

-- query
/* {"app": "dbt", "node_id": "model.x; COGROUP in a comment"} */

        cogroup a by k, -- EMIT ON CHANGE; not really
          b /* in (between */ by k
        aggregate count(*) as n -- the end ;
    ; -- and after it
-- result
1	3
2	1
3	1

-- query
select * from ( cogroup a by k, b by k aggregate count(*) as n ) as __dbt_sbq where false limit 0
-- result

-- query
SELECT '🌊' AS wave, `🐟`.n FROM (COGROUP a BY k, b AS `b 🌊` BY `b 🌊`.k AGGREGATE count(`b 🌊`.*) AS n) AS `🐟` WHERE k = 1
-- result
🌊	1

-- query
DESCRIBE QUERY COGROUP a BY k, b BY k AGGREGATE count(*) AS n, max(b.s) AS s
-- result
k	int	NULL
n	bigint	NULL
s	string	NULL

-- statement
EXPLAIN EXTENDED COGROUP a BY k, b BY k AGGREGATE count(*) AS n

-- statement
CACHE TABLE cached AS COGROUP a BY k, b BY k AGGREGATE count(*) AS n

-- query
SELECT sum(n) FROM cached
-- result
5

-- statement
UNCACHE TABLE cached

-- statement
DECLARE OR REPLACE total BIGINT

-- statement
SET VAR total = (SELECT sum(n) FROM (COGROUP a BY k, b BY k AGGREGATE count(*) AS n))

-- query
VALUES (total)
-- result
5

-- statement
DROP TEMPORARY VARIABLE total

-- query since 4.2
COGROUP a BY k, b BY k AGGREGATE count(*) AS n QUALIFY row_number() OVER (ORDER BY n DESC, k) = 1
-- result
1	3

-- query since 4.2
COGROUP a BY k, b BY k AGGREGATE count(*) AS n, count(b.*) AS m HAVING n > 0
QUALIFY rank() OVER (ORDER BY m DESC) = 1 ORDER BY k LIMIT 1
-- result
1	3	1

-- query since 4.2
COGROUP a BY k, b BY k AGGREGATE count(*) AS n HAVING EVERY BRANCH QUALIFY rank() OVER w = 1 WINDOW w AS (ORDER BY n)
-- result
1	3
