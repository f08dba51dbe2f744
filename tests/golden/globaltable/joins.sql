-- Each shape of join with global tables, beside the same query over plain tables of the same rows:
-- `d` and `plain_d`, and so on. Facts have keys without a match, twice, and NULL.

-- statement
CREATE TABLE f USING parquet AS
SELECT /*+ COALESCE(1) */ * FROM VALUES
  (1, 1, 10, 'a', 1.50, DATE'2026-01-01', 5L),
  (2, 2, 20, 'b', 2.50, DATE'2026-01-02', 15L),
  (3, 2, 21, 'B', 2.5, DATE'2026-01-03', 25L),
  (4, 3, 30, NULL, NULL, NULL, 35L),
  (5, 9, 90, 'zz', 9.99, DATE'2026-09-09', 45L),
  (6, NULL, 10, 'a ', 1.50, DATE'2026-01-01', NULL),
  (7, NULL, NULL, NULL, NULL, NULL, 55L)
  AS t(id, k, k2, s, m, day, v)

-- statement
CREATE TABLE plain_d USING parquet AS
SELECT /*+ COALESCE(1) */ * FROM VALUES
  (1, 10, 'a', 1.50, DATE'2026-01-01', 100, '1'),
  (2, 20, 'b', 2.50, DATE'2026-01-02', 200, '2'),
  (3, 31, 'c', 3.50, DATE'2026-01-03', NULL, '3'),
  (4, NULL, NULL, NULL, NULL, 0, 'x')
  AS t(k, k2, name, m, day, w, text)

-- statement
CREATE GLOBAL TABLE d PRIMARY KEY (k) REFRESH MANUAL AS SELECT * FROM plain_d

-- statement
CREATE TABLE plain_many USING parquet AS
SELECT /*+ COALESCE(1) */ * FROM VALUES (1, 'x'), (1, 'y'), (2, 'x'), (NULL, 'n'), (NULL, 'm'), (7, NULL)
  AS t(k, tag)

-- statement
-- without a primary key rows may repeat, and NULL keys stay
CREATE GLOBAL TABLE many REFRESH MANUAL AS SELECT * FROM plain_many

-- statement
CREATE TABLE plain_pair USING parquet AS
SELECT /*+ COALESCE(1) */ * FROM VALUES (1, 10, 'p'), (2, 20, 'q'), (2, 21, 'r'), (3, 31, 't')
  AS t(k, k2, label)

-- statement
CREATE GLOBAL TABLE pair PRIMARY KEY (k, k2) REFRESH MANUAL AS SELECT * FROM plain_pair

-- query equals
SELECT id, f.k, name, w FROM f JOIN d ON f.k = d.k
-- to
SELECT id, f.k, name, w FROM f JOIN plain_d AS d ON f.k = d.k

-- query equals
SELECT id, f.k, name, w FROM d JOIN f ON f.k = d.k
-- to
SELECT id, f.k, name, w FROM plain_d AS d JOIN f ON f.k = d.k

-- query equals
SELECT * FROM d JOIN f ON f.k = d.k
-- to
SELECT * FROM plain_d AS d JOIN f ON f.k = d.k

-- query equals
SELECT f.*, d.* FROM f LEFT JOIN d ON f.k = d.k
-- to
SELECT f.*, d.* FROM f LEFT JOIN plain_d AS d ON f.k = d.k

-- query equals
-- a condition of the join on either side keeps the facts of a LEFT join
SELECT f.*, d.* FROM f LEFT JOIN d ON f.k = d.k AND d.w > 100 AND f.v < 20
-- to
SELECT f.*, d.* FROM f LEFT JOIN plain_d AS d ON f.k = d.k AND d.w > 100 AND f.v < 20

-- query equals
SELECT f.*, d.* FROM f LEFT JOIN (SELECT * FROM d WHERE w IS NULL OR w > 100) AS d ON f.k = d.k
-- to
SELECT f.*, d.* FROM f LEFT JOIN (SELECT * FROM plain_d WHERE w IS NULL OR w > 100) AS d ON f.k = d.k

-- query equals
SELECT id, name FROM f LEFT JOIN d ON f.k = d.k WHERE d.k IS NULL
-- to
SELECT id, name FROM f LEFT JOIN plain_d AS d ON f.k = d.k WHERE d.k IS NULL

-- query equals
SELECT d.*, f.* FROM d RIGHT JOIN f ON d.k = f.k AND d.w > 100
-- to
SELECT d.*, f.* FROM plain_d AS d RIGHT JOIN f ON d.k = f.k AND d.w > 100

-- query equals
SELECT id, d.k, name FROM f RIGHT JOIN d ON f.k = d.k
-- to
SELECT id, d.k, name FROM f RIGHT JOIN plain_d AS d ON f.k = d.k

-- query equals
SELECT id, d.k, name FROM d LEFT JOIN f ON f.k = d.k
-- to
SELECT id, d.k, name FROM plain_d AS d LEFT JOIN f ON f.k = d.k

-- query equals
SELECT f.*, d.* FROM f FULL JOIN d ON f.k = d.k
-- to
SELECT f.*, d.* FROM f FULL JOIN plain_d AS d ON f.k = d.k

-- query equals
SELECT * FROM f LEFT SEMI JOIN d ON f.k = d.k AND w IS NOT NULL
-- to
SELECT * FROM f LEFT SEMI JOIN plain_d AS d ON f.k = d.k AND w IS NOT NULL

-- query equals
SELECT * FROM f LEFT ANTI JOIN d ON f.k = d.k
-- to
SELECT * FROM f LEFT ANTI JOIN plain_d AS d ON f.k = d.k

-- query equals
SELECT * FROM f LEFT ANTI JOIN many ON f.k = many.k AND tag = 'x'
-- to
SELECT * FROM f LEFT ANTI JOIN plain_many AS many ON f.k = many.k AND tag = 'x'

-- query equals
-- the dimension may be the side whose rows are kept by SEMI and ANTI
SELECT * FROM d LEFT SEMI JOIN f ON f.k = d.k
-- to
SELECT * FROM plain_d AS d LEFT SEMI JOIN f ON f.k = d.k

-- query equals
SELECT * FROM d LEFT ANTI JOIN f ON f.k = d.k
-- to
SELECT * FROM plain_d AS d LEFT ANTI JOIN f ON f.k = d.k

-- query equals
-- matches multiply
SELECT id, tag FROM f LEFT JOIN many ON f.k = many.k
-- to
SELECT id, tag FROM f LEFT JOIN plain_many AS many ON f.k = many.k

-- query equals
SELECT id, tag FROM f JOIN many ON f.k <=> many.k
-- to
SELECT id, tag FROM f JOIN plain_many AS many ON f.k <=> many.k

-- query equals
SELECT id, name FROM f LEFT JOIN d ON f.k <=> d.k
-- to
SELECT id, name FROM f LEFT JOIN plain_d AS d ON f.k <=> d.k

-- query equals
SELECT id, tag FROM f LEFT JOIN many ON f.k <=> many.k AND many.tag <> 'n'
-- to
SELECT id, tag FROM f LEFT JOIN plain_many AS many ON f.k <=> many.k AND many.tag <> 'n'

-- query equals
SELECT id, label FROM f JOIN pair ON f.k = pair.k AND f.k2 = pair.k2
-- to
SELECT id, label FROM f JOIN plain_pair AS pair ON f.k = pair.k AND f.k2 = pair.k2

-- query equals
-- part of the primary key
SELECT id, label FROM f LEFT JOIN pair ON f.k = pair.k
-- to
SELECT id, label FROM f LEFT JOIN plain_pair AS pair ON f.k = pair.k

-- query equals
SELECT id, label FROM f LEFT JOIN pair ON f.k = pair.k AND f.k2 < pair.k2
-- to
SELECT id, label FROM f LEFT JOIN plain_pair AS pair ON f.k = pair.k AND f.k2 < pair.k2

-- query equals
-- by other columns and types
SELECT id, d.k FROM f LEFT JOIN d ON f.s = d.name
-- to
SELECT id, d.k FROM f LEFT JOIN plain_d AS d ON f.s = d.name

-- query equals
SELECT id, d.k FROM f JOIN d ON f.m = d.m AND f.day = d.day
-- to
SELECT id, d.k FROM f JOIN plain_d AS d ON f.m = d.m AND f.day = d.day

-- query equals
SELECT id, d.k FROM f LEFT JOIN d ON f.day = d.day
-- to
SELECT id, d.k FROM f LEFT JOIN plain_d AS d ON f.day = d.day

-- query equals
SELECT id, d.k FROM f JOIN d ON f.s = d.name COLLATE UTF8_LCASE
-- to
SELECT id, d.k FROM f JOIN plain_d AS d ON f.s = d.name COLLATE UTF8_LCASE

-- query equals
SELECT id, d.k FROM f LEFT JOIN d ON f.s COLLATE UNICODE_CI_RTRIM = d.name
-- to
SELECT id, d.k FROM f LEFT JOIN plain_d AS d ON f.s COLLATE UNICODE_CI_RTRIM = d.name

-- query equals
-- expressions and casts as keys
SELECT id, d.k FROM f JOIN d ON concat('n', upper(f.s)) = concat('n', upper(d.name))
-- to
SELECT id, d.k FROM f JOIN plain_d AS d ON concat('n', upper(f.s)) = concat('n', upper(d.name))

-- query equals
SELECT id, d.k FROM f JOIN d ON CAST(f.k AS STRING) = d.text
-- to
SELECT id, d.k FROM f JOIN plain_d AS d ON CAST(f.k AS STRING) = d.text

-- query equals
SELECT id, d.k FROM f JOIN d ON f.v = d.k + 4
-- to
SELECT id, d.k FROM f JOIN plain_d AS d ON f.v = d.k + 4

-- query equals
-- a filter keeps from the key what it cannot be computed of
SELECT id, d.k FROM f JOIN (SELECT * FROM d WHERE text RLIKE '^[0-9]+$') AS d ON f.k = CAST(d.text AS INT)
-- to
SELECT id, d.k FROM f JOIN (SELECT * FROM plain_d WHERE text RLIKE '^[0-9]+$') AS d ON f.k = CAST(d.text AS INT)

-- query equals
SELECT id, d.k FROM f JOIN (SELECT * FROM d WHERE w <> 0) AS d ON f.k <> 9 AND 100 / d.w < f.id
-- to
SELECT id, d.k FROM f JOIN (SELECT * FROM plain_d WHERE w <> 0) AS d ON f.k <> 9 AND 100 / d.w < f.id

-- query equals
SELECT id, d.k FROM f LEFT JOIN (SELECT * FROM d WHERE w <> 0) AS d ON f.k <= d.k AND 100 / d.w < f.id
-- to
SELECT id, d.k FROM f LEFT JOIN (SELECT * FROM plain_d WHERE w <> 0) AS d ON f.k <= d.k AND 100 / d.w < f.id

-- query equals
-- ranges, inequalities, no condition
SELECT id, d.k FROM f JOIN d ON f.k2 BETWEEN d.k2 AND d.k2 + 5
-- to
SELECT id, d.k FROM f JOIN plain_d AS d ON f.k2 BETWEEN d.k2 AND d.k2 + 5

-- query equals
SELECT id, d.k FROM f LEFT JOIN d ON f.k2 > d.k2 AND d.w IS NOT NULL
-- to
SELECT id, d.k FROM f LEFT JOIN plain_d AS d ON f.k2 > d.k2 AND d.w IS NOT NULL

-- query equals
SELECT id, d.k FROM d RIGHT JOIN f ON f.k2 > d.k2
-- to
SELECT id, d.k FROM plain_d AS d RIGHT JOIN f ON f.k2 > d.k2

-- query equals
SELECT id, d.k FROM f CROSS JOIN d
-- to
SELECT id, d.k FROM f CROSS JOIN plain_d AS d

-- query equals
SELECT id, d.k FROM d, f WHERE f.k <> d.k OR f.k IS NULL AND d.w > 100
-- to
SELECT id, d.k FROM plain_d AS d, f WHERE f.k <> d.k OR f.k IS NULL AND d.w > 100

-- query equals
-- columns that are computed under the join
SELECT id, n, twice FROM f JOIN (SELECT k, upper(name) AS n, w * 2 AS twice FROM d) AS d ON f.k = d.k AND twice > 100
-- to
SELECT id, n, twice FROM f JOIN (SELECT k, upper(name) AS n, w * 2 AS twice FROM plain_d) AS d ON f.k = d.k AND twice > 100

-- query equals
SELECT id, n, found FROM f LEFT JOIN (SELECT k, coalesce(upper(name), '?') AS n, true AS found FROM d) AS d ON f.k = d.k
-- to
SELECT id, n, found FROM f LEFT JOIN (SELECT k, coalesce(upper(name), '?') AS n, true AS found FROM plain_d) AS d ON f.k = d.k

-- query equals
SELECT id, name FROM f JOIN (SELECT k * 10 AS tenfold, name FROM d) AS d ON f.k2 = d.tenfold
-- to
SELECT id, name FROM f JOIN (SELECT k * 10 AS tenfold, name FROM plain_d) AS d ON f.k2 = d.tenfold

-- query equals
SELECT id, a, b FROM f JOIN (SELECT k AS a, k AS b FROM d) AS d ON f.k = d.b
-- to
SELECT id, a, b FROM f JOIN (SELECT k AS a, k AS b FROM plain_d) AS d ON f.k = d.b

-- query equals
-- aggregates, DISTINCT, LIMIT and windows below the join
SELECT id, n FROM f LEFT JOIN (SELECT k, count(*) AS n FROM many GROUP BY k) AS d ON f.k = d.k
-- to
SELECT id, n FROM f LEFT JOIN (SELECT k, count(*) AS n FROM plain_many GROUP BY k) AS d ON f.k = d.k

-- query equals
SELECT id FROM f JOIN (SELECT DISTINCT k FROM many) AS d ON f.k = d.k
-- to
SELECT id FROM f JOIN (SELECT DISTINCT k FROM plain_many) AS d ON f.k = d.k

-- query equals
SELECT id, name FROM f JOIN (SELECT * FROM d ORDER BY k DESC LIMIT 3) AS d ON f.k = d.k
-- to
SELECT id, name FROM f JOIN (SELECT * FROM plain_d ORDER BY k DESC LIMIT 3) AS d ON f.k = d.k

-- query equals
SELECT id, place FROM f JOIN (SELECT k, rank() OVER (ORDER BY w DESC) AS place FROM d) AS d ON f.k = d.k
-- to
SELECT id, place FROM f JOIN (SELECT k, rank() OVER (ORDER BY w DESC) AS place FROM plain_d) AS d ON f.k = d.k

-- query equals
SELECT id, x FROM f JOIN (SELECT k, explode(array(w, k2)) AS x FROM d) AS d ON f.k = d.k
-- to
SELECT id, x FROM f JOIN (SELECT k, explode(array(w, k2)) AS x FROM plain_d) AS d ON f.k = d.k

-- query equals
-- aggregates above the join
SELECT name, count(*) AS n, sum(v) AS v FROM f LEFT JOIN d ON f.k = d.k GROUP BY name HAVING count(*) > 1
-- to
SELECT name, count(*) AS n, sum(v) AS v FROM f LEFT JOIN plain_d AS d ON f.k = d.k GROUP BY name HAVING count(*) > 1

-- query equals
-- global with global, alone and below a fact
SELECT d.k, name, label FROM d LEFT JOIN pair ON d.k = pair.k
-- to
SELECT d.k, name, label FROM plain_d AS d LEFT JOIN plain_pair AS pair ON d.k = pair.k

-- query equals
SELECT name, tag FROM d FULL JOIN many USING (k)
-- to
SELECT name, tag FROM plain_d AS d FULL JOIN plain_many AS many USING (k)

-- query equals
SELECT id, name, label FROM f LEFT JOIN (d JOIN pair ON d.k = pair.k) ON f.k = d.k
-- to
SELECT id, name, label FROM f LEFT JOIN (plain_d AS d JOIN plain_pair AS pair ON d.k = pair.k) ON f.k = d.k

-- query equals
-- a star
SELECT id, name, tag, label FROM f LEFT JOIN d ON f.k = d.k LEFT JOIN many ON f.k = many.k
  LEFT JOIN pair ON f.k = pair.k AND f.k2 = pair.k2
-- to
SELECT id, name, tag, label FROM f LEFT JOIN plain_d AS d ON f.k = d.k LEFT JOIN plain_many AS many ON f.k = many.k
  LEFT JOIN plain_pair AS pair ON f.k = pair.k AND f.k2 = pair.k2

-- query equals
-- a snowflake
SELECT id, name, label FROM f JOIN d ON f.k = d.k JOIN pair ON d.k = pair.k AND d.k2 = pair.k2
-- to
SELECT id, name, label FROM f JOIN plain_d AS d ON f.k = d.k JOIN plain_pair AS pair ON d.k = pair.k AND d.k2 = pair.k2

-- query equals
-- the same table twice, and with itself
SELECT id, a.name AS one, b.name AS two FROM f LEFT JOIN d AS a ON f.k = a.k LEFT JOIN d AS b ON f.k2 = b.k2
-- to
SELECT id, a.name AS one, b.name AS two FROM f LEFT JOIN plain_d AS a ON f.k = a.k LEFT JOIN plain_d AS b ON f.k2 = b.k2

-- query equals
SELECT a.k, b.k AS next FROM d AS a JOIN d AS b ON a.k + 1 = b.k
-- to
SELECT a.k, b.k AS next FROM plain_d AS a JOIN plain_d AS b ON a.k + 1 = b.k

-- query equals
WITH g AS (SELECT k, name FROM d WHERE k < 3)
SELECT id, a.name AS one, b.name AS two FROM f JOIN g AS a ON f.k = a.k LEFT JOIN g AS b ON f.s = b.name
-- to
WITH g AS (SELECT k, name FROM plain_d WHERE k < 3)
SELECT id, a.name AS one, b.name AS two FROM f JOIN g AS a ON f.k = a.k LEFT JOIN g AS b ON f.s = b.name

-- query equals
SELECT id, name FROM f JOIN d ON f.k = d.k UNION ALL SELECT k, name FROM d UNION ALL SELECT k, tag FROM many
-- to
SELECT id, name FROM f JOIN plain_d AS d ON f.k = d.k UNION ALL SELECT k, name FROM plain_d UNION ALL SELECT k, tag FROM plain_many

-- query equals
SELECT id, k, c FROM f JOIN (SELECT k, name AS c FROM d UNION ALL SELECT k, tag FROM many) USING (k)
-- to
SELECT id, k, c FROM f JOIN (SELECT k, name AS c FROM plain_d UNION ALL SELECT k, tag FROM plain_many) USING (k)

-- query equals
SELECT * FROM f JOIN d USING (k)
-- to
SELECT * FROM f JOIN plain_d AS d USING (k)

-- query equals
SELECT * FROM f NATURAL LEFT JOIN pair
-- to
SELECT * FROM f NATURAL LEFT JOIN plain_pair AS pair

-- query equals
SELECT k, id, name FROM d RIGHT JOIN f USING (k)
-- to
SELECT k, id, name FROM plain_d AS d RIGHT JOIN f USING (k)

-- query equals
-- hints change nothing
SELECT /*+ MERGE(d) */ id, name FROM f JOIN d ON f.k = d.k
-- to
SELECT id, name FROM f JOIN plain_d AS d ON f.k = d.k

-- query equals
SELECT /*+ SHUFFLE_HASH(f, d) */ id, name FROM f LEFT JOIN d ON f.k = d.k
-- to
SELECT id, name FROM f LEFT JOIN plain_d AS d ON f.k = d.k

-- query equals
SELECT /*+ BROADCAST(d) */ id, name FROM f LEFT JOIN d ON f.k = d.k
-- to
SELECT id, name FROM f LEFT JOIN plain_d AS d ON f.k = d.k

-- query equals
SELECT /*+ BROADCAST(f) */ id, name FROM f JOIN d ON f.k = d.k
-- to
SELECT id, name FROM f JOIN plain_d AS d ON f.k = d.k

-- query equals
SELECT /*+ SHUFFLE_REPLICATE_NL(d) */ id, name FROM f JOIN d ON f.k < d.k
-- to
SELECT id, name FROM f JOIN plain_d AS d ON f.k < d.k

-- query equals
-- facts may be any plan
SELECT k, name, n FROM (SELECT k, count(*) AS n FROM f GROUP BY k) JOIN d USING (k)
-- to
SELECT k, name, n FROM (SELECT k, count(*) AS n FROM f GROUP BY k) JOIN plain_d AS d USING (k)

-- query equals
SELECT x, name FROM VALUES (1), (2), (CAST(NULL AS INT)) AS t(x) LEFT JOIN d ON x = d.k
-- to
SELECT x, name FROM VALUES (1), (2), (CAST(NULL AS INT)) AS t(x) LEFT JOIN plain_d AS d ON x = d.k

-- query equals
-- without a join: filters, columns and aggregates are those of a table
SELECT name, w FROM d WHERE w > 50 AND k < 3 AND name LIKE 'a%'
-- to
SELECT name, w FROM plain_d WHERE w > 50 AND k < 3 AND name LIKE 'a%'

-- query equals
SELECT count(*) AS n, sum(w) AS w, max(name) AS name FROM d
-- to
SELECT count(*) AS n, sum(w) AS w, max(name) AS name FROM plain_d

-- query equals
SELECT * FROM d
-- to
SELECT * FROM plain_d

-- query equals
SELECT * FROM many TABLESAMPLE (100 PERCENT) JOIN f USING (k)
-- to
SELECT * FROM plain_many TABLESAMPLE (100 PERCENT) JOIN f USING (k)

-- statement
CREATE TABLE plain_shop (shop CHAR(3), city STRING) USING parquet

-- statement
INSERT INTO plain_shop VALUES ('AB', 'Aix'), ('CD', 'Cork')

-- statement
CREATE GLOBAL TABLE shop PRIMARY KEY (shop) REFRESH MANUAL AS SELECT * FROM plain_shop

-- statement
CREATE TABLE visits (shop CHAR(5), n INT) USING parquet

-- statement
INSERT INTO visits VALUES ('AB', 1), ('EF', 2)

-- query equals
-- CHAR of another length than the primary key
SELECT shop, city, n FROM visits LEFT JOIN shop USING (shop)
-- to
SELECT shop, city, n FROM visits LEFT JOIN plain_shop USING (shop)
