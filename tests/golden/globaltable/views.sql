-- Views over global tables: the facts look up in each table, and no replica is made for the view.
-- conf spark.sql.adaptive.enabled=false

-- statement
CREATE TABLE f USING parquet AS
SELECT /*+ COALESCE(1) */ * FROM VALUES (1, 1, 10), (2, 2, 20), (3, 3, 40), (4, 9, 10), (5, NULL, NULL), (6, 5, 50)
  AS t(id, k, v)

-- statement
CREATE TABLE plain_d USING parquet AS
SELECT /*+ COALESCE(1) */ * FROM VALUES (1, 'a', 10), (2, 'b', 20), (3, 'c', 30), (4, 'd', 10), (5, 'e', NULL)
  AS t(k, name, c)

-- statement
CREATE TABLE plain_city USING parquet AS
SELECT /*+ COALESCE(1) */ * FROM VALUES (10, 'Xanten', 1), (20, 'Yvoir', 2), (40, 'Zug', 9) AS t(c, city, r)

-- statement
CREATE TABLE plain_region USING parquet AS SELECT * FROM VALUES (1, 'west'), (3, 'south') AS t(r, region)

-- statement
CREATE GLOBAL TABLE d PRIMARY KEY (k) REFRESH MANUAL AS SELECT * FROM plain_d

-- statement
CREATE GLOBAL TABLE city PRIMARY KEY (c) REFRESH MANUAL AS SELECT * FROM plain_city

-- statement
CREATE GLOBAL TABLE region PRIMARY KEY (r) REFRESH MANUAL AS SELECT * FROM plain_region

-- statement
CREATE VIEW inner_two AS SELECT k, upper(name) AS name, city, r FROM d JOIN city USING (c)

-- statement
CREATE VIEW left_two AS SELECT k, name, city, r FROM d LEFT JOIN city USING (c)

-- statement
CREATE VIEW inner_three AS SELECT k, name, city, region FROM inner_two JOIN region USING (r)

-- statement
CREATE VIEW left_three AS SELECT k, name AS title, city, region FROM left_two LEFT JOIN region USING (r)

-- statement
CREATE VIEW plain_inner_two AS SELECT k, upper(name) AS name, city, r FROM plain_d JOIN plain_city USING (c)

-- statement
CREATE VIEW plain_left_two AS SELECT k, name, city, r FROM plain_d LEFT JOIN plain_city USING (c)

-- statement
CREATE VIEW plain_inner_three AS SELECT k, name, city, region FROM plain_inner_two JOIN plain_region USING (r)

-- statement
CREATE VIEW plain_left_three AS SELECT k, name AS title, city, region FROM plain_left_two LEFT JOIN plain_region USING (r)

-- query equals
SELECT id, name, city FROM f JOIN inner_two USING (k)
-- to
SELECT id, name, city FROM f JOIN plain_inner_two USING (k)

-- query equals
SELECT id, name, city FROM inner_two JOIN f USING (k) WHERE city <> 'Xanten'
-- to
SELECT id, name, city FROM plain_inner_two JOIN f USING (k) WHERE city <> 'Xanten'

-- query equals
SELECT id, v.* FROM f JOIN left_two AS v ON f.k = v.k
-- to
SELECT id, v.* FROM f JOIN plain_left_two AS v ON f.k = v.k

-- query equals
SELECT id, v.* FROM f LEFT JOIN left_two AS v ON f.k = v.k AND f.v < 30
-- to
SELECT id, v.* FROM f LEFT JOIN plain_left_two AS v ON f.k = v.k AND f.v < 30

-- query equals
SELECT v.*, id FROM left_two AS v RIGHT JOIN f ON f.k = v.k
-- to
SELECT v.*, id FROM plain_left_two AS v RIGHT JOIN f ON f.k = v.k

-- query equals
SELECT id, city, region FROM f JOIN inner_three USING (k)
-- to
SELECT id, city, region FROM f JOIN plain_inner_three USING (k)

-- query equals
SELECT v.*, id FROM inner_three AS v JOIN f ON v.k = f.k
-- to
SELECT v.*, id FROM plain_inner_three AS v JOIN f ON v.k = f.k

-- query equals
SELECT id, title, city, region FROM f LEFT JOIN left_three USING (k)
-- to
SELECT id, title, city, region FROM f LEFT JOIN plain_left_three USING (k)

-- query equals
-- a condition on a table behind the first one
SELECT id, city FROM f LEFT JOIN left_two AS w ON f.k = w.k AND w.city > 'Xa'
-- to
SELECT id, city FROM f LEFT JOIN plain_left_two AS w ON f.k = w.k AND w.city > 'Xa'

-- query equals
SELECT id, city FROM f JOIN inner_two AS w ON f.k = w.k AND f.v < w.r * 15
-- to
SELECT id, city FROM f JOIN plain_inner_two AS w ON f.k = w.k AND f.v < w.r * 15

-- query equals
-- an inner join drops what a LEFT one must keep: that view is a replica of its own
SELECT id, name, city FROM f LEFT JOIN inner_two USING (k)
-- to
SELECT id, name, city FROM f LEFT JOIN plain_inner_two USING (k)

-- query equals
SELECT id, city FROM f LEFT JOIN inner_two AS v ON f.v = v.r * 10
-- to
SELECT id, city FROM f LEFT JOIN plain_inner_two AS v ON f.v = v.r * 10

-- query equals
SELECT id FROM f WHERE NOT EXISTS (SELECT 1 FROM inner_two WHERE inner_two.k = f.k)
-- to
SELECT id FROM f WHERE NOT EXISTS (SELECT 1 FROM plain_inner_two WHERE plain_inner_two.k = f.k)

-- query equals
SELECT id, (SELECT city FROM left_two WHERE left_two.k = f.k) AS city FROM f
-- to
SELECT id, city FROM f LEFT JOIN plain_left_two USING (k)

-- query equals
SELECT id, r FROM f JOIN inner_two AS v ON f.v < v.r * 15
-- to
SELECT id, r FROM f JOIN plain_inner_two AS v ON f.v < v.r * 15

-- plan
SELECT id, title, city, region FROM f LEFT JOIN left_three USING (k)
-- result
Project
+- BroadcastHashJoin
   :- Project
   :  +- BroadcastHashJoin
   :     :- Project
   :     :  +- BroadcastHashJoin
   :     :     :- ColumnarToRow
   :     :     :  +- FileScan
   :     :     +- GlobalLookup
   :     +- GlobalLookup
   +- GlobalLookup

-- statement
CREATE TABLE heads_read (id INT, boss INT) USING parquet

-- statement
INSERT INTO heads_read VALUES (1, NULL), (2, 5)

-- statement
CREATE TABLE bosses_read (id INT, name STRING) USING parquet

-- statement
INSERT INTO bosses_read VALUES (0, 'nobody'), (5, 'Eve')

-- statement
CREATE GLOBAL TABLE heads AS SELECT * FROM heads_read

-- statement
CREATE GLOBAL TABLE bosses AS SELECT * FROM bosses_read

-- query equals
-- a condition that a row of NULLs fulfils must not meet one that the outer join made
SELECT k, v.id, v.name FROM VALUES (1), (2), (3) AS t(k)
LEFT JOIN (SELECT h.id, b.name FROM heads h LEFT JOIN bosses b ON coalesce(h.boss, 0) = b.id) v ON k = v.id
-- to
SELECT k, v.id, v.name FROM VALUES (1), (2), (3) AS t(k)
LEFT JOIN (SELECT h.id, b.name FROM heads_read h LEFT JOIN bosses_read b ON coalesce(h.boss, 0) = b.id) v ON k = v.id
