-- Functions written in SQL, in aggregates, in their FILTER and as keys.
-- conf spark.sql.codegen.wholeStage=true,false
-- conf spark.eddyline.cogroup.preaggregate=true,false

-- statement
CREATE TEMPORARY VIEW a AS SELECT * FROM VALUES (1, 10, 'x '), (1, 20, 'x'), (2, NULL, ' y') AS t(k, v, s)

-- statement
CREATE TEMPORARY VIEW b AS SELECT * FROM VALUES (1, 100, 'x'), (3, NULL, 'z ') AS t(k, w, s)

-- statement
CREATE TEMPORARY FUNCTION or_one(x INT) RETURNS INT RETURN coalesce(x, 1)

-- statement
CREATE TEMPORARY FUNCTION is_missing(x INT) RETURNS BOOLEAN RETURN x IS NULL

-- statement
CREATE TEMPORARY FUNCTION plus(x INT, y INT) RETURNS INT RETURN x + y

-- statement
CREATE TEMPORARY FUNCTION clean(x STRING) RETURNS STRING RETURN trim(x)

-- statement
CREATE TEMPORARY FUNCTION highest(x INT) RETURNS INT RETURN (SELECT max(v) FROM a WHERE a.k = x)

-- statement
CREATE TEMPORARY FUNCTION twice(x DOUBLE) RETURNS DOUBLE RETURN x - x

-- query equals
-- an aggregate of a function, and one that a function filters, see the rows of their branch
COGROUP a BY k, b BY k
AGGREGATE sum(or_one(b.w)) AS s, sum(or_one(a.v)) AS t, count(*) FILTER (WHERE is_missing(b.w)) AS m, count(*) AS n
-- to
SELECT k, sum(coalesce(w, 1)) FILTER (WHERE of_b) AS s, sum(coalesce(v, 1)) FILTER (WHERE NOT of_b) AS t,
       count(*) FILTER (WHERE of_b AND w IS NULL) AS m, count(*) AS n
FROM (SELECT k, v, NULL AS w, false AS of_b FROM a UNION ALL SELECT k, NULL, w, true FROM b) GROUP BY k

-- query equals
-- an argument that is not NULL in its branch
COGROUP a BY k, b BY k AGGREGATE sum(or_one(coalesce(b.w, 7))) AS s, count(or_one(coalesce(a.v, 7))) AS n
-- to
SELECT k, sum(coalesce(w, 7)) FILTER (WHERE of_b) AS s, count(1) FILTER (WHERE NOT of_b) AS n
FROM (SELECT k, NULL AS w, false AS of_b FROM a UNION ALL SELECT k, w, true FROM b) GROUP BY k

-- query equals
-- of keys, of constants, of other functions, of aggregates, with DISTINCT, in HAVING
COGROUP a BY k, b BY k
AGGREGATE sum(plus(or_one(a.v), or_one(k))) AS s, count(DISTINCT or_one(b.w)) AS d, sum(plus(b.w, 1)) AS p,
          plus(CAST(max(b.w) AS INT), max(a.v)) AS m, sum(or_one(k)) AS keys, count(or_one(3)) AS total
HAVING max(or_one(a.v)) IS NULL OR min(plus(k, a.v)) > 0
-- to
SELECT k, sum(coalesce(v, 1) + k) FILTER (WHERE NOT of_b) AS s, count(DISTINCT CASE WHEN of_b THEN coalesce(w, 1) END) AS d,
       sum(w + 1) AS p, max(w) + max(v) AS m, sum(k) AS keys, count(*) AS total
FROM (SELECT k, v, NULL AS w, false AS of_b FROM a UNION ALL SELECT k, NULL, w, true FROM b) GROUP BY k
HAVING max(coalesce(v, 1)) FILTER (WHERE NOT of_b) IS NULL OR min(k + v) > 0

-- query equals
-- an argument that fails in the rows of another branch
COGROUP a BY k, b BY k AGGREGATE sum(plus(b.w, 6 DIV (k - 2))) AS s
-- to
SELECT coalesce(a.k, b.k) AS k, s
FROM (SELECT DISTINCT k FROM a) AS a
FULL OUTER JOIN (SELECT k, sum(w + 6 DIV (k - 2)) AS s FROM b GROUP BY k) AS b ON a.k = b.k

-- query equals
-- with a subquery in its body
COGROUP a BY k, b BY k AGGREGATE sum(or_one(highest(b.k))) AS s, max(or_one(highest(k))) AS h
-- to
SELECT k, sum(CASE WHEN of_b THEN CASE WHEN k = 1 THEN 20 ELSE 1 END END) AS s, max(CASE WHEN k = 1 THEN 20 ELSE 1 END) AS h
FROM (SELECT k, false AS of_b FROM a UNION ALL SELECT k, true FROM b) GROUP BY k

-- query
-- an argument is drawn once
COGROUP a BY k, b BY k AGGREGATE sum(twice(rand() + a.v)) AS s, sum(twice(rand())) AS drawn ORDER BY k
-- result ordered
1	0.0	0.0
2	NULL	0.0
3	NULL	0.0

-- query equals
-- below a window as a key
COGROUP a BY window(timestamp_seconds(k), '2 seconds'), b BY window(timestamp_seconds(k), '2 seconds')
AGGREGATE sum(or_one(b.w)) AS s, sum(plus(a.v, second(window.start))) AS p, max(or_one(second(window.start))) AS m
-- to
SELECT window, sum(coalesce(w, 1)) FILTER (WHERE of_b) AS s, sum(v + second(window.start)) AS p,
       max(second(window.start)) AS m
FROM (SELECT k, v, NULL AS w, false AS of_b FROM a UNION ALL SELECT k, NULL, w, true FROM b)
GROUP BY window(timestamp_seconds(k), '2 seconds')

-- query equals
COGROUP a BY clean(s) AS s, b BY clean(s) AGGREGATE count(a.*) AS n, sum(or_one(b.w)) AS w
-- to
SELECT s, count(*) FILTER (WHERE NOT of_b) AS n, sum(coalesce(w, 1)) FILTER (WHERE of_b) AS w
FROM (SELECT trim(s) AS s, NULL AS w, false AS of_b FROM a UNION ALL SELECT trim(s), w, true FROM b) GROUP BY s

-- query error(EDDYLINE_COGROUP.MIXED_BRANCHES, 42K0E)
COGROUP a BY k, b BY k AGGREGATE sum(plus(a.v, b.w)) AS s
--                               ^^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_COGROUP.MIXED_BRANCHES, 42K0E)
COGROUP a BY k, b BY k AGGREGATE count(*) AS n, sum(or_one(a.v + b.w)) AS s
--                                              ^^^^^^^^^^^^^^^^^^^^^^

-- query equals
-- an argument of the query around it
SELECT r.id, c.s FROM range(3) AS r, LATERAL (COGROUP a BY k, b BY k AGGREGATE sum(plus(k, CAST(r.id AS INT))) AS s) AS c
-- to
SELECT id, n * (k + id) AS s FROM range(3), VALUES (1, 3), (2, 1), (3, 1) AS t(k, n)

-- query equals
-- a window as a key, beside a column of a branch in the argument of a function that has a subquery
SELECT second(window.start) AS at, s FROM (
  COGROUP a BY window(timestamp_seconds(k), '2 seconds'), b BY window(timestamp_seconds(k), '2 seconds')
  AGGREGATE sum(highest(a.k + second(window.start))) AS s)
-- to
SELECT * FROM VALUES (0, 40L), (2, NULL) AS t(at, s)
