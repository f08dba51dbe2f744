-- The operators that read a replica, in each of Spark's ways to run them.
-- conf spark.sql.adaptive.enabled=true,false
-- conf spark.sql.codegen.wholeStage=true,false

-- statement
CREATE TABLE f USING parquet AS
SELECT /*+ COALESCE(1) */ * FROM VALUES (1, 1, 'a'), (2, 2, 'b'), (3, 2, NULL), (4, 9, 'zz'), (5, NULL, 'a') AS t(id, k, s)

-- statement
CREATE TABLE plain_d USING parquet AS
SELECT /*+ COALESCE(1) */ * FROM VALUES (1, 'a'), (2, 'b'), (3, NULL), (2, 'c') AS t(k, name)

-- statement
CREATE GLOBAL TABLE d REFRESH MANUAL AS SELECT * FROM plain_d

-- query equals
SELECT id, name FROM f JOIN d ON f.k = d.k
-- to
SELECT id, name FROM f JOIN plain_d AS d ON f.k = d.k

-- query equals
SELECT id, name, n FROM (SELECT k, count(*) AS n, min(id) AS id FROM f GROUP BY k) AS f LEFT JOIN d ON f.k = d.k AND name <> 'b' ORDER BY id, name
-- to
SELECT id, name, n FROM (SELECT k, count(*) AS n, min(id) AS id FROM f GROUP BY k) AS f LEFT JOIN plain_d AS d ON f.k = d.k AND name <> 'b' ORDER BY id, name

-- query equals
SELECT id, name FROM d RIGHT JOIN f ON f.s = d.name
-- to
SELECT id, name FROM plain_d AS d RIGHT JOIN f ON f.s = d.name

-- query equals
SELECT name, count(*) AS n FROM f LEFT JOIN d ON f.k < d.k GROUP BY name
-- to
SELECT name, count(*) AS n FROM f LEFT JOIN plain_d AS d ON f.k < d.k GROUP BY name

-- query equals
SELECT id FROM f WHERE k NOT IN (SELECT k FROM d)
-- to
SELECT id FROM f WHERE k NOT IN (SELECT k FROM plain_d)

-- query equals
SELECT id FROM f WHERE s NOT IN (SELECT name FROM d WHERE name > 'a')
-- to
SELECT id FROM f WHERE s NOT IN (SELECT name FROM plain_d WHERE name > 'a')

-- query equals
SELECT id FROM f LEFT SEMI JOIN d ON f.k = d.k AND f.s <> d.name
-- to
SELECT id FROM f LEFT SEMI JOIN plain_d AS d ON f.k = d.k AND f.s <> d.name

-- query equals
SELECT id FROM f LEFT ANTI JOIN d ON f.k = d.k AND f.s = d.name
-- to
SELECT id FROM f LEFT ANTI JOIN plain_d AS d ON f.k = d.k AND f.s = d.name

-- query equals
SELECT id, EXISTS (SELECT 1 FROM d WHERE d.k = f.k) AS found, EXISTS (SELECT 1 FROM d WHERE d.k > f.id) AS more FROM f
-- to
SELECT id, EXISTS (SELECT 1 FROM plain_d AS d WHERE d.k = f.k) AS found, EXISTS (SELECT 1 FROM plain_d AS d WHERE d.k > f.id) AS more FROM f

-- query equals
SELECT id, (SELECT max(name) FROM d WHERE d.k = f.k) AS name FROM f
-- to
SELECT id, (SELECT max(name) FROM plain_d AS d WHERE d.k = f.k) AS name FROM f

-- query equals
-- a sort-merge join above a lookup, and a lookup above a sort-merge join
SELECT /*+ MERGE(a, b) */ a.id, b.id AS other, a.name FROM (SELECT f.id, f.k, name FROM f LEFT JOIN d ON f.k = d.k) AS a
  JOIN f AS b ON a.k = b.k LEFT JOIN d AS e ON b.s = e.name
-- to
SELECT a.id, b.id AS other, a.name FROM (SELECT f.id, f.k, name FROM f LEFT JOIN plain_d AS d ON f.k = d.k) AS a
  JOIN f AS b ON a.k = b.k LEFT JOIN plain_d AS e ON b.s = e.name
