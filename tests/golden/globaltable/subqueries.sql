-- Global tables in subqueries, where no hint could be written.
-- conf spark.sql.adaptive.enabled=false

-- statement
CREATE TABLE f USING parquet AS
SELECT /*+ COALESCE(1) */ * FROM VALUES (1, 1, 10), (2, 2, 20), (3, 2, 21), (4, 3, 30), (5, 9, 90), (6, NULL, 10)
  AS t(id, k, v)

-- statement
CREATE TABLE plain_d USING parquet AS
SELECT /*+ COALESCE(1) */ * FROM VALUES (1, 10, 'a'), (2, 20, 'b'), (3, 31, NULL), (4, 40, 'd') AS t(k, w, name)

-- statement
CREATE GLOBAL TABLE d PRIMARY KEY (k) REFRESH MANUAL AS SELECT * FROM plain_d

-- statement
CREATE TABLE plain_holes USING parquet AS
SELECT /*+ COALESCE(1) */ * FROM VALUES (1, 10), (1, 11), (NULL, 20), (3, NULL) AS t(k, w)

-- statement
CREATE GLOBAL TABLE holes REFRESH MANUAL AS SELECT * FROM plain_holes

-- query equals
SELECT * FROM f WHERE EXISTS (SELECT 1 FROM d WHERE d.k = f.k AND w < 25)
-- to
SELECT * FROM f WHERE EXISTS (SELECT 1 FROM plain_d AS d WHERE d.k = f.k AND w < 25)

-- query equals
SELECT * FROM f WHERE NOT EXISTS (SELECT 1 FROM d WHERE d.k = f.k AND w < 25)
-- to
SELECT * FROM f WHERE NOT EXISTS (SELECT 1 FROM plain_d AS d WHERE d.k = f.k AND w < 25)

-- query equals
SELECT * FROM f WHERE EXISTS (SELECT 1 FROM d WHERE d.k = f.k AND w < 15) OR v > 25
-- to
SELECT * FROM f WHERE EXISTS (SELECT 1 FROM plain_d AS d WHERE d.k = f.k AND w < 15) OR v > 25

-- query equals
SELECT id, EXISTS (SELECT 1 FROM holes WHERE holes.k = f.k) AS found FROM f
-- to
SELECT id, EXISTS (SELECT 1 FROM plain_holes AS holes WHERE holes.k = f.k) AS found FROM f

-- query equals
SELECT * FROM f WHERE k IN (SELECT k FROM holes)
-- to
SELECT * FROM f WHERE k IN (SELECT k FROM plain_holes)

-- query equals
SELECT * FROM f WHERE (k, v) IN (SELECT k, w FROM d)
-- to
SELECT * FROM f WHERE (k, v) IN (SELECT k, w FROM plain_d)

-- query equals
SELECT * FROM f WHERE k IN (SELECT k FROM d WHERE w > 10) OR v = 90
-- to
SELECT * FROM f WHERE k IN (SELECT k FROM plain_d WHERE w > 10) OR v = 90

-- query equals
SELECT * FROM f WHERE k NOT IN (SELECT k FROM d WHERE w > 10)
-- to
SELECT * FROM f WHERE k NOT IN (SELECT k FROM plain_d WHERE w > 10)

-- query
-- a NULL in the list leaves nothing
SELECT count(*) FROM f WHERE k NOT IN (SELECT k FROM holes)
-- result
0

-- query equals
-- an empty list leaves all, even NULL
SELECT * FROM f WHERE k NOT IN (SELECT k FROM holes WHERE w > 1000)
-- to
SELECT * FROM f WHERE k NOT IN (SELECT k FROM plain_holes WHERE w > 1000)

-- query equals
SELECT * FROM f WHERE (k, v) NOT IN (SELECT k, w FROM holes)
-- to
SELECT * FROM f WHERE (k, v) NOT IN (SELECT k, w FROM plain_holes)

-- query equals
SELECT id, k IN (SELECT k FROM d) AS found FROM f
-- to
SELECT id, k IN (SELECT k FROM plain_d) AS found FROM f

-- query equals
SELECT id, (SELECT name FROM d WHERE d.k = f.k) AS name FROM f
-- to
SELECT id, (SELECT max(name) FROM plain_d AS d WHERE d.k = f.k) AS name FROM f

-- query equals
SELECT id, (SELECT max(w) FROM holes WHERE holes.k = f.k) AS w, (SELECT count(*) FROM holes WHERE holes.k = f.k) AS n FROM f
-- to
SELECT id, (SELECT max(w) FROM plain_holes AS holes WHERE holes.k = f.k) AS w,
  (SELECT count(*) FROM plain_holes AS holes WHERE holes.k = f.k) AS n FROM f

-- query equals
SELECT id, (SELECT max(w) FROM d) AS w FROM f WHERE v > (SELECT min(w) FROM holes)
-- to
SELECT id, (SELECT max(w) FROM plain_d) AS w FROM f WHERE v > (SELECT min(w) FROM plain_holes)

-- query equals
SELECT id, name FROM f, LATERAL (SELECT name FROM d WHERE d.k = f.k)
-- to
SELECT id, name FROM f, LATERAL (SELECT name FROM plain_d AS d WHERE d.k = f.k)

-- query equals
SELECT id, w FROM f LEFT JOIN LATERAL (SELECT w FROM holes WHERE holes.k = f.k ORDER BY w LIMIT 1)
-- to
SELECT id, w FROM f LEFT JOIN LATERAL (SELECT w FROM plain_holes AS holes WHERE holes.k = f.k ORDER BY w LIMIT 1)

-- query equals
-- a global table filtered by facts, and by another global table
SELECT * FROM d WHERE k IN (SELECT k FROM f)
-- to
SELECT * FROM plain_d WHERE k IN (SELECT k FROM f)

-- query equals
SELECT id, name FROM f JOIN (SELECT * FROM d WHERE k IN (SELECT k FROM holes)) AS d ON f.k = d.k
-- to
SELECT id, name FROM f JOIN (SELECT * FROM plain_d WHERE k IN (SELECT k FROM plain_holes)) AS d ON f.k = d.k

-- query equals
SELECT id, name FROM f JOIN (SELECT * FROM d WHERE w < (SELECT max(w) FROM holes)) AS d ON f.k = d.k
-- to
SELECT id, name FROM f JOIN (SELECT * FROM plain_d WHERE w < (SELECT max(w) FROM plain_holes)) AS d ON f.k = d.k

-- query equals
SELECT id, name FROM f JOIN d ON f.k = d.k AND d.w IN (SELECT w FROM holes)
-- to
SELECT id, name FROM f JOIN plain_d AS d ON f.k = d.k AND d.w IN (SELECT w FROM plain_holes)

-- plan
SELECT * FROM f WHERE EXISTS (SELECT 1 FROM d WHERE d.k = f.k AND w < 25) OR v > 25
-- result
Project
+- Filter
   +- BroadcastHashJoin
      :- ColumnarToRow
      :  +- FileScan
      +- GlobalLookup

-- plan
SELECT * FROM f WHERE k NOT IN (SELECT k FROM d WHERE w > 10)
-- result
BroadcastHashJoin
:- ColumnarToRow
:  +- FileScan
+- GlobalLookup

-- plan
SELECT id, (SELECT name FROM d WHERE d.k = f.k) AS name FROM f
-- result
Project
+- Project
   +- BroadcastHashJoin
      :- ColumnarToRow
      :  +- FileScan
      +- GlobalLookup

-- statement
CREATE GLOBAL TABLE words REFRESH MANUAL AS SELECT 'a' COLLATE UTF8_LCASE AS s

-- statement
CREATE TEMP VIEW said AS SELECT s COLLATE UTF8_LCASE AS s FROM VALUES ('A'), ('b'), (NULL) AS t(s)

-- query
-- equal under the collation
SELECT * FROM said WHERE s NOT IN (SELECT s FROM words)
-- result
b

-- query
SELECT * FROM said WHERE s IN (SELECT s FROM words)
-- result
A

-- statement
CREATE TABLE plain_many USING parquet AS
SELECT /*+ COALESCE(1) */ * FROM VALUES (1, 'a', 10), (2, 'b', 20), (2, 'c', 21), (3, 'd', NULL), (NULL, 'n', 5)
  AS t(k, v, w)

-- statement
CREATE GLOBAL TABLE many REFRESH MANUAL AS SELECT * FROM plain_many

-- query equals
-- the first row of each group by a column that is not selected
SELECT id, (SELECT v FROM many AS x WHERE x.k = f.k ORDER BY w DESC LIMIT 1) AS v FROM f
-- to
SELECT id, (SELECT v FROM plain_many AS x WHERE x.k = f.k ORDER BY w DESC LIMIT 1) AS v FROM f

-- query equals
SELECT id, (SELECT v FROM many AS x WHERE x.k = f.k ORDER BY w DESC, v LIMIT 1) AS v FROM f
-- to
SELECT id, (SELECT v FROM plain_many AS x WHERE x.k = f.k ORDER BY w DESC, v LIMIT 1) AS v FROM f

-- query equals
SELECT id, (SELECT v FROM many AS x WHERE x.k = f.k ORDER BY w, v LIMIT 1 OFFSET 1) AS v FROM f
-- to
SELECT id, (SELECT v FROM plain_many AS x WHERE x.k = f.k ORDER BY w, v LIMIT 1 OFFSET 1) AS v FROM f

-- query equals
-- which row is not said, so how many there are
SELECT id, count(x.v) AS n FROM f, LATERAL (SELECT v FROM many AS x WHERE x.k = f.k LIMIT 1) AS x GROUP BY id
-- to
SELECT id, count(x.v) AS n FROM f, LATERAL (SELECT v FROM plain_many AS x WHERE x.k = f.k LIMIT 1) AS x GROUP BY id

-- query equals
SELECT id FROM f WHERE EXISTS (SELECT 1 FROM many AS x WHERE x.k = f.k LIMIT 1)
-- to
SELECT id FROM f WHERE EXISTS (SELECT 1 FROM plain_many AS x WHERE x.k = f.k LIMIT 1)

-- query equals
SELECT id FROM f WHERE EXISTS (SELECT 1 FROM many AS x WHERE x.k = f.k LIMIT 1 OFFSET 1)
-- to
SELECT id FROM f WHERE EXISTS (SELECT 1 FROM plain_many AS x WHERE x.k = f.k LIMIT 1 OFFSET 1)

-- query equals
-- the global side is the one whose rows stay
SELECT * FROM many WHERE k IN (SELECT k FROM f WHERE v > 15) OR w = 10
-- to
SELECT * FROM plain_many WHERE k IN (SELECT k FROM f WHERE v > 15) OR w = 10

-- query equals
SELECT k, EXISTS (SELECT 1 FROM f WHERE f.k = many.k AND v > 15) AS found FROM many
-- to
SELECT k, EXISTS (SELECT 1 FROM f WHERE f.k = many.k AND v > 15) AS found FROM plain_many AS many
