-- What a branch can be, and how many there can be.

-- statement
CREATE TABLE t USING parquet AS
SELECT id % 3 AS k, id AS v, named_struct('x', id, 'y', 'no') AS st FROM range(6)

-- query
COGROUP t BY k, default.t AS u BY u.k, spark_catalog.default.t w BY w.k
AGGREGATE sum(t.v) AS t, sum(u.v) AS u, sum(w.st.x) AS w
-- result
0	3	3	3
1	5	5	5
2	7	7	7

-- query
-- no blank after the comma, and none before brackets
COGROUP(SELECT k, v FROM(SELECT * FROM t)AS s ASSUME PARTITIONED BY(k))AS u BY(u.k),t BY t.k
AGGREGATE sum(t.v)AS t,sum(u.v)AS u
-- result
0	3	3
1	5	5
2	7	7

-- query
COGROUP range(4) BY id, VALUES (1), (2) AS v(id) BY id, t TABLESAMPLE (100 PERCENT) AS s BY k
AGGREGATE count(v.*) AS v, count(s.*) AS s
-- result
0	0	2
1	1	2
2	1	2
3	0	0

-- query since 4.2
COGROUP (SELECT k, max(v) AS v FROM t GROUP BY k) AS m BY k, (t JOIN t AS u USING (k)) BY k,
        t PIVOT (count(v) FOR k IN (0, 1)) AS p BY length(st.y)
AGGREGATE sum(m.v) AS m, count(u.v) AS pairs, count(p.*) AS p
-- result
0	3	4	0
1	4	4	0
2	5	4	6

-- query
-- a COGROUP as a branch of a COGROUP
COGROUP (COGROUP t BY k, t AS u BY k AGGREGATE count(*) AS n) AS inner_one BY k, range(2) AS r BY id
AGGREGATE max(inner_one.n) AS n, count(r.*) AS r
-- result
0	4	1
1	4	1
2	4	0

-- query
-- EXISTS, LATERAL VIEW and a metadata column inside a branch
COGROUP t AS a WHERE EXISTS (SELECT 1 FROM range(2) WHERE id = a.k) BY k,
        (SELECT * FROM t LATERAL VIEW explode(array(1, 2)) AS e) AS b BY k,
        (SELECT k, _metadata.file_name AS f FROM t) AS c BY k
AGGREGATE count(a.*) AS a, sum(b.e) AS b, count(c.f) AS c
-- result
0	2	6	2
1	2	6	2
2	0	6	2

-- query
-- twelve branches
COGROUP t a1 BY k, t a2 BY k, t a3 BY k, t a4 BY k, t a5 BY k, t a6 BY k,
        t a7 BY k, t a8 BY k, t a9 BY k, t b1 BY k, t b2 BY k, t b3 WHERE k < 2 BY k
AGGREGATE sum(a1.v) + sum(b2.v) AS n, count(*) AS rows HAVING EVERY BRANCH
-- result
0	6	24
1	10	24

-- query
-- a CTE used by two branches; a CTE inside a branch
WITH c AS (SELECT k, v FROM t WHERE v > 2)
COGROUP c BY k, c AS d BY k, (WITH e AS (SELECT 1 AS k) SELECT * FROM e) AS e BY k
AGGREGATE sum(c.v) AS c, sum(d.v) AS d, count(e.*) AS e
-- result
0	3	3	0
1	4	4	1
2	5	5	0

-- query
-- words of the clause as names
COGROUP t AS branch WHERE branch.v > 0 AND aggregate(array(1), 0, (x, y) -> x + y) = 1 BY branch.k,
        t AS `every` BY `every`.k AS `having`, (SELECT 1 AS by, 2 AS using) AS least BY by
AGGREGATE count(branch.*) AS branches, sum(`every`.v) AS cogroup, max(least.using) AS at
-- result
0	1	3	NULL
1	2	5	2
2	2	7	NULL

-- query
-- a word of a join as the first name, where the clause does not begin the statement
WITH semi AS (SELECT * FROM t), q AS (COGROUP semi BY k, t BY k AGGREGATE count(semi.*) AS n, sum(t.v) AS s)
SELECT * FROM q
-- result
0	2	3
1	2	5
2	2	7

-- query
-- a name that begins with a digit; the parts of a table's name before a star
COGROUP t AS 2nd BY k, default.t BY t.k
AGGREGATE sum(2nd.v) AS s, count(2nd.*) AS n, count(default.t.*) AS m, count(spark_catalog.default.t.*) AS o
-- result
0	3	2	2	2
1	5	2	2	2
2	7	2	2	2

-- query
-- a correlated subquery in an aggregate
COGROUP t BY k, t AS u BY v
AGGREGATE sum(t.v + (SELECT count(*) FROM t AS w WHERE w.v < t.v)) AS s,
          sort_array(collect_list((SELECT max(w.k) FROM t AS w WHERE w.v = u.v))) AS l
-- result
0	6	[0]
1	10	[1]
2	14	[2]
3	NULL	[0]
4	NULL	[1]
5	NULL	[2]
