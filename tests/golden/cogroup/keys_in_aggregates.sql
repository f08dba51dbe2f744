-- A key is not NULL in the rows of the other branches: aggregates over keys and columns.
-- conf spark.sql.codegen.wholeStage=true,false
-- conf spark.eddyline.cogroup.preaggregate=true,false

-- statement
CREATE TEMPORARY VIEW a AS
SELECT * FROM VALUES (1, 10, 'p'), (1, 20, NULL), (2, NULL, 'q'), (NULL, 5, 'r') AS t(k, x, s)

-- statement
CREATE TEMPORARY VIEW b AS
SELECT * FROM VALUES (1L, 1.5), (3L, 2.5), (3L, NULL) AS t(k, y)

-- query equals
-- without and with an aggregate that makes a batch aggregate each branch by itself
COGROUP a BY k, b BY k AGGREGATE sum(k + coalesce(a.x, 0)) AS n
-- to
SELECT coalesce(a.k, b.k) AS k, n
FROM (SELECT k, sum(k + coalesce(x, 0)) AS n FROM a WHERE k IS NOT NULL GROUP BY k) AS a
FULL OUTER JOIN (SELECT DISTINCT k FROM b) AS b ON a.k = b.k

-- query
COGROUP a BY k, b BY k
AGGREGATE sum(k + coalesce(a.x, 0)) AS s, count(k, coalesce(a.x, 0)) AS n, count(k, a.x) AS x,
          min(k - coalesce(a.x, 0)) AS lo, max(k * CASE WHEN a.x > 15 THEN a.x ELSE 1 END) AS hi,
          avg(k + nvl(b.y, 0)) AS mean, count(k + if(b.y IS NULL, 1, 2)) AS m,
          approx_count_distinct(k + coalesce(a.x, 0)) AS d
-- result
1	32	2	2	-19	20	2.50000	1	2
2	2	1	0	2	2	NULL	0	1
3	NULL	0	0	NULL	NULL	4.25000	2	0

-- query
COGROUP a BY k, b BY k
AGGREGATE sum(k + coalesce(a.x, 0)) AS s, sort_array(collect_list(k + coalesce(a.x, 0))) AS l,
          count(DISTINCT k, coalesce(a.x, 0)) AS d, count(DISTINCT k + nvl(b.y, 0)) AS e
-- result
1	32	[11, 21]	2	1
2	2	[2]	1	0
3	NULL	[]	0	2

-- query
-- in FILTER, alone and with a column
COGROUP a BY k, b BY k
AGGREGATE count(a.*) FILTER (WHERE k = 1) AS n, sum(a.x) FILTER (WHERE k + coalesce(a.x, 0) > 15) AS s,
          sum(coalesce(b.y, k)) FILTER (WHERE k > 1) AS t, count(*) FILTER (WHERE k > 1) AS rows
-- result
1	2	20	NULL	0
2	0	NULL	NULL	1
3	0	NULL	5.5	2

-- query
-- of the key alone, and equal for two branches
COGROUP a BY k, b BY k
AGGREGATE sum(a.x) FILTER (WHERE k % 2 = 1) AS x, sum(b.y) FILTER (WHERE k % 2 = 1) AS y,
          count(concat(k, ''), a.x) AS n, count(concat(k, ''), b.y) AS m
-- result
1	30	1.5	2	1
2	NULL	NULL	0	0
3	NULL	2.5	0	1

-- query
-- in HAVING
COGROUP a BY k, b BY k AGGREGATE count(*) AS n
HAVING coalesce(sum(k + coalesce(a.x, 0)), 0) IN (0, 32) ORDER BY k DESC
-- result ordered
3	2
1	3

-- query
-- in ORDER BY
COGROUP a BY k, b BY k AGGREGATE count(*) AS n ORDER BY count(k + coalesce(a.x, 0)) DESC, max(k)
-- result ordered
1	3
2	1
3	2

-- query
-- with an aggregate that makes a batch aggregate each branch by itself
COGROUP a BY k, b BY k AGGREGATE count(DISTINCT a.x) AS n
ORDER BY coalesce(sum(k * coalesce(a.x, 1)), 0), sum(-k)
-- result ordered
3	0
2	0
1	2

-- query
-- of a result that is joined with itself
WITH c AS (COGROUP a BY k, b BY k AGGREGATE count(DISTINCT a.x) AS n ORDER BY max(k + b.y))
SELECT p.k, q.k, p.n + q.n FROM c AS p JOIN c AS q ON p.k = q.k + 1
-- result
2	1	2
3	2	0

-- query
-- nested conditions
COGROUP a BY k, b BY k
AGGREGATE sum(CASE WHEN k > 1 THEN k WHEN coalesce(a.x, k) > 15 THEN nullif(a.x, 20) ELSE k + 1 END) AS s,
          count(nullif(k, coalesce(b.y, 1))) AS n, max(coalesce(a.s, CAST(k AS STRING))) AS c
-- result
1	2	1	p
2	2	0	q
3	NULL	2	NULL

-- query
-- a bare name is the key also in a lambda, where a branch has a column of that name
COGROUP a BY x AS k, b BY CAST(y * 4 AS INT)
AGGREGATE max(transform(array(a.s), v -> concat(v, k))) AS lambda, max(concat(a.s, k)) AS outside,
          transform(collect_list(b.y), v -> v + k) AS sums
-- result
5	[r5]	r5	[]
6	NULL	NULL	[7.5]
10	[p10]	p10	[12.5]
20	[NULL]	NULL	[]

-- query
-- and in a subquery
COGROUP a BY k AS g, b BY k AGGREGATE count(a.*) AS n
HAVING EXISTS (SELECT 1 FROM b AS u WHERE u.k = g AND u.y > 2)
-- result
3	0

-- query
COGROUP a BY x AS y, b BY CAST(y * 4 AS INT) AGGREGATE count(a.*) AS n
HAVING (SELECT count(*) FROM VALUES (10), (20) AS u(v) WHERE u.v = y) > 0
-- result
10	1
20	1

-- query equals
-- a column that is a key as well is taken twice, under its own name
COGROUP range(2) AS a BY id, range(3) AS b BY id
AGGREGATE sum(b.id) AS s, count(a.id) AS n HAVING count(*) > 0
-- to
SELECT b.id, b.id AS s, count(a.id) AS n FROM range(3) AS b LEFT JOIN range(2) AS a ON a.id = b.id GROUP BY b.id

-- query equals
COGROUP range(2) AS a BY (id, id AS j), range(3) AS b BY (id, id) AGGREGATE max(b.id + j) AS m
-- to
SELECT id, id AS j, id + id AS m FROM range(3)

-- query equals
-- so is a key that the optimizer turns into the column
COGROUP range(2) AS a BY id, range(3) AS b BY CAST(id AS BIGINT) AGGREGATE sum(b.id) AS s
-- to
SELECT id, id AS s FROM range(3)

-- query equals
COGROUP range(2) AS a BY id, range(3) AS b BY if(true, id, 0) AGGREGATE max(b.id) AS m, count(a.id) AS n
-- to
SELECT b.id, b.id AS m, count(a.id) AS n FROM range(3) AS b LEFT JOIN range(2) AS a ON a.id = b.id GROUP BY b.id

-- query equals
-- and a key that is an argument of DISTINCT, whose value is NULL in the rows of other branches
COGROUP range(2) AS a BY id, range(3) AS b BY id AGGREGATE count(DISTINCT id, coalesce(b.id, 7)) AS n
-- to
SELECT id, 1L AS n FROM range(3)

-- query equals
COGROUP range(2) AS a BY (id, id AS j), range(3) AS b BY (id, id)
AGGREGATE count(DISTINCT j, id, coalesce(b.id, 7)) AS n
-- to
SELECT id, id AS j, 1L AS n FROM range(3)

-- statement
CREATE TABLE c USING parquet AS SELECT * FROM VALUES (1, 'p'), (2, 'q') AS t(k, s)

-- statement
CREATE TABLE d USING parquet AS SELECT * FROM VALUES (1, 'p'), (3, 'q'), (3, NULL) AS t(k, s)

-- statement
CREATE TEMPORARY VIEW u AS SELECT * FROM c UNION ALL SELECT * FROM d

-- query
-- a branch that is a UNION ALL, into which Spark pushes its columns
COGROUP u BY k, c BY k AGGREGATE count(u.k) AS n, max(c.k) AS c
-- result
1	2	1
2	1	2
3	2	NULL

-- query
COGROUP c BY k, (SELECT * FROM d UNION ALL SELECT * FROM d) AS v BY k, u BY k
AGGREGATE max(k) AS top, count(v.k) AS v, count(u.k) AS u
-- result
1	1	2	2
2	2	0	1
3	3	4	2

-- query
COGROUP u BY (k AS i, k AS j), u AS v BY (k, k) AGGREGATE count(DISTINCT u.k) AS u, count(v.k) AS v
-- result
1	1	1	2
2	2	1	1
3	3	1	2
