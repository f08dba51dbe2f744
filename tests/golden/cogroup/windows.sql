-- Time windows as keys, in batch.

-- statement
CREATE TEMPORARY VIEW a AS
SELECT k, v, TIMESTAMP'2026-01-01 00:00:00' + make_dt_interval(0, 0, 0, s) AS ts
FROM VALUES (1, 10, 1), (1, 20, 14), (2, 30, 25), (NULL, 40, 1) AS t(k, v, s)

-- statement
CREATE TEMPORARY VIEW b AS
SELECT k, w, TIMESTAMP'2026-01-01 00:00:00' + make_dt_interval(0, 0, 0, s) AS at
FROM VALUES (1, 1, 3), (1, 2, 22), (2, 3, 31) AS t(k, w, s)

-- query equals
COGROUP a BY (window(ts, '10 seconds'), k), b BY (window(at, '10 seconds'), k)
AGGREGATE sum(a.v) AS v, count(b.*) AS n
-- to
SELECT window, k, sum(v) AS v, count(w) AS n
FROM (SELECT ts, k, v, NULL AS w FROM a WHERE k IS NOT NULL UNION ALL SELECT at, k, NULL, w FROM b)
GROUP BY window(ts, '10 seconds'), k

-- query equals
-- hopping windows, a key name, its fields in the list, in HAVING and in ORDER BY
COGROUP a BY window(ts, '20 seconds', '10 seconds') AS w, b BY window(at, '20 seconds', '10 seconds')
AGGREGATE second(w.end) AS until, sum(a.v) AS v, sum(b.w) AS s
HAVING second(w.start) < 20 ORDER BY w.start
-- to
SELECT window AS w, second(window.end) AS until, sum(v) AS v, sum(s) AS s
FROM (SELECT ts, v, NULL AS s FROM a UNION ALL SELECT at, NULL, w FROM b)
GROUP BY window(ts, '20 seconds', '10 seconds') HAVING second(window.start) < 20 ORDER BY window.start

-- query
-- sessions merge across branches: 1..14..22 of key 1 is one session of both
COGROUP a BY (session_window(ts, '12 seconds') AS s, k), b BY (session_window(at, '12 seconds'), k)
AGGREGATE count(a.*) AS a, count(b.*) AS b HAVING EVERY BRANCH ORDER BY k
|> SELECT k, second(s.start) AS first, second(s.end) AS last, a, b
-- result
1	1	34	2	2
2	25	43	1	1

-- query
COGROUP a BY window(ts, '1 minute'), b BY window(at, '1 minute') AGGREGATE count(*) AS n |> SELECT n
-- result
7

-- query
-- a field of a window is a key like any other
COGROUP a BY window(ts, '10 seconds').start AS s, b BY window(at, '10 seconds').start
AGGREGATE count(*) AS n ORDER BY s |> SELECT second(s) AS s, n
-- result ordered
0	3
10	1
20	2
30	1

-- query
-- one length, written in two ways
COGROUP a BY window(ts, '60 second'), b BY window(at, '1 minute') AGGREGATE count(*) AS n |> SELECT n
-- result
7

-- query
-- the name of a window in a lambda; a branch's column that is called as a key, above sliding windows
COGROUP a BY (window(ts, '20 seconds', '10 seconds') AS w, k), b BY (window(at, '20 seconds', '10 seconds'), k)
AGGREGATE transform(array(1), x -> second(w.start) + x) AS l, transform(array(1), w -> w + 1) AS m, max(a.k) AS ak
HAVING max(b.k) > 1 |> SELECT k, l, m, ak
-- result
2	[21]	[2]	2
2	[31]	[2]	NULL
