-- Keys: their names, types and forms.

-- statement
CREATE TEMPORARY VIEW a AS
SELECT * FROM VALUES (1, 'x', named_struct('u', 1, 'w', 'p'), 1.5D), (2, 'y', named_struct('u', 2, 'w', 'q'), -0.0D)
  AS t(k, s, st, d)

-- statement
CREATE TEMPORARY VIEW b AS
SELECT * FROM VALUES (1L, 'X', named_struct('u', 1, 'w', 'p'), 1.5F), (3L, 'y', named_struct('u', 9, 'w', 'q'), 0.0F)
  AS t(k, s, st, d)

-- query equals
-- INT with BIGINT widens; both branches have a column k, and the bare name is the key
COGROUP a BY k, b BY k AGGREGATE count(a.s) AS n, count(b.s) * k AS m, max(k) AS top
-- to
SELECT k, count(s1) AS n, count(s2) * k AS m, max(k) AS top
FROM (SELECT CAST(k AS BIGINT) AS k, s AS s1, CAST(NULL AS STRING) AS s2 FROM a
      UNION ALL SELECT k, NULL, s FROM b) GROUP BY k

-- query equals
COGROUP a BY (k AS key, upper(s)), b BY (k, upper(s)) AGGREGATE count(*) AS n
-- to
SELECT key, s AS `upper(s)`, count(*) AS n
FROM (SELECT CAST(k AS BIGINT) AS key, upper(s) AS s FROM a UNION ALL SELECT k, upper(s) FROM b)
GROUP BY key, s

-- query
-- a name given in a later branch, quoted names, case
COGROUP a BY k, b BY k AS `the key` AGGREGATE count(*) AS n HAVING `the key` > 1
-- result
2	1
3	1

-- query
COGROUP a BY st.u, b BY st.u AGGREGATE count(*) AS n ORDER BY u
-- result ordered
1	2
2	1
9	1

-- query
COGROUP a BY st, b BY st AGGREGATE count(*) AS n, max(st.u) AS u, st.w AS w
-- result
{u: 1, w: p}	2	1	p
{u: 2, w: q}	1	2	q
{u: 9, w: q}	1	9	q

-- query
-- 0.0 and -0.0 are one key, FLOAT widens to DOUBLE
COGROUP a BY d, b BY d AGGREGATE count(*) AS n |> SELECT abs(d), n
-- result
0.0	2
1.5	2

-- query
-- a collated key groups by its collation, and has the spelling of any row
COGROUP a BY s COLLATE UTF8_LCASE AS s, b BY s COLLATE UTF8_LCASE
AGGREGATE count(*) AS n, count(a.*) AS na
|> SELECT lower(s) AS s, n, na
-- result
x	2	1
y	2	1

-- query
COGROUP a, b USING (k) AGGREGATE count(*) AS n
-- result
1	2
2	1
3	1

-- query
COGROUP a, b BY (k + 1, s), a AS c USING (k, s) AGGREGATE count(a.*) AS a, count(b.*) AS b, count(c.*) AS c
-- result
1	x	1	0	1
2	X	0	1	0
2	y	1	0	1
4	y	0	1	0

-- query
-- a NULL in any key drops the row
COGROUP (SELECT * FROM VALUES (1, NULL), (1, 2) AS t(x, y)) AS p BY (x, y),
        (SELECT * FROM VALUES (1, 2), (NULL, 2) AS t(x, y)) AS q BY (x, y)
AGGREGATE count(*) AS n
-- result
1	2	2

-- query
-- a key may be a window function: it is computed once, below the filter
COGROUP a BY row_number() OVER (ORDER BY k) AS r, b BY row_number() OVER (ORDER BY k)
AGGREGATE min(a.s) AS a, min(b.s) AS b
-- result
1	x	X
2	y	y

-- query
COGROUP a BY (k + 1) * 2 AS twice, b BY CASE WHEN k > 1 THEN 4 ELSE 6 END
AGGREGATE count(a.*) AS a, count(b.*) AS b
-- result
4	1	1
6	1	1

-- query
-- a constant that is no number is a key
COGROUP a BY 'all' AS g, b BY 'all' AGGREGATE sum(a.k) AS a, sum(b.k) AS b
-- result
all	3	4

-- query
-- what may be NULL within a key in one branch alone
COGROUP (SELECT named_struct('u', 1) AS st, array(1) AS ar) AS p BY (st, ar),
        (SELECT named_struct('u', nullif(k, 2)) AS st, array(nullif(k, 2)) AS ar FROM a) AS q BY (st, ar)
AGGREGATE count(p.*) AS p, count(q.*) AS q, max(st.u) AS u
-- result
{u: 1}	[1]	1	1	1
{u: NULL}	[NULL]	0	1	NULL
