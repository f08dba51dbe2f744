-- Joins in parentheses as branches: the stars of their tables.

-- statement
CREATE TEMPORARY VIEW t AS SELECT * FROM VALUES (1, 10), (1, 20), (2, 30) AS t(k, v)

-- statement
CREATE TEMPORARY VIEW u AS SELECT * FROM VALUES (1, 10), (2, 20), (2, 50) AS u(k, x)

-- query equals
-- the name of a branch comes before that of a table within another one
COGROUP (t JOIN u ON t.k = u.k) BY t.k, t BY k AGGREGATE count(t.*) AS n, max(struct(t.*)) AS last
-- to
SELECT k, count(*) AS n, max(struct(k, v)) AS last FROM t GROUP BY k

-- query equals
COGROUP (t JOIN u ON t.k = u.k) BY t.k, t AS other BY k
AGGREGATE max(struct(u.*)) AS u, max(struct(t.*)) AS t, max(struct(u.* EXCEPT (k))) AS x, count(u.*) AS n
-- to
SELECT t.k, max(struct(u.k, u.x)) AS u, max(struct(t.k, t.v)) AS t, max(struct(u.x)) AS x, count(*) AS n
FROM t JOIN u ON t.k = u.k GROUP BY t.k

-- query equals
-- above the groups
COGROUP (t JOIN u ON t.k = u.k) BY t.k, t AS other BY k AGGREGATE count(*) AS n HAVING max(struct(u.*)) = (2, 50)
-- to
SELECT 2 AS k, 3L AS n
