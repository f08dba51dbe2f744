-- Every kind of aggregate sees the rows of its branch alone.
-- conf spark.sql.codegen.wholeStage=true,false
-- conf spark.eddyline.cogroup.preaggregate=true,false

-- statement
CREATE TEMPORARY VIEW a AS
SELECT * FROM VALUES (1, 5, 'x', true), (1, 7, 'y', false), (2, NULL, 'z', true), (1, 5, 'x', NULL)
  AS t(k, v, s, f)

-- statement
CREATE TEMPORARY VIEW b AS
SELECT * FROM VALUES (1, 100), (2, 200), (2, 300), (3, 400) AS t(k, w)

-- query equals
COGROUP a BY k, b BY k
AGGREGATE count(a.v) AS c1, count(DISTINCT a.v) AS c2, sum(a.v) AS c3, avg(a.v) AS c4,
          min(a.s) AS c5, max(a.s) AS c6, first(a.k) AS c7, any_value(b.w) IS NULL AS c8,
          sort_array(collect_set(a.s)) AS c9, bool_or(a.f) AS c10, bit_or(a.v) AS c11,
          max_by(a.s, a.v) AS c12, percentile(a.v, 0.5) AS c13,
          percentile_cont(0.5) WITHIN GROUP (ORDER BY b.w) AS c14,
          mode(a.v) AS c16,
          approx_count_distinct(a.v) AS c17, stddev_pop(b.w) AS c18,
          count(a.v, a.f) AS c19, count_if(a.f) AS c20,
          sum(a.v) FILTER (WHERE a.f) AS c21, sum(coalesce(a.v, 1000)) AS c22,
          count(if(b.w > 150, 1, NULL)) AS c23, count(DISTINCT b.w) AS c24,
          try_sum(a.v) AS c25, every(a.f) AS c26, sum(a.v + 1) AS c27, sum(CAST(a.v AS DOUBLE)) AS c28
-- to
SELECT k, coalesce(c1, 0) AS c1, coalesce(c2, 0) AS c2, c3, c4, c5, c6, c7, c8 IS NULL AS c8,
       coalesce(c9, array()) AS c9, c10, c11, c12, c13, c14, c16, coalesce(c17, 0) AS c17, c18,
       coalesce(c19, 0) AS c19, coalesce(c20, 0) AS c20, c21, c22, coalesce(c23, 0) AS c23,
       coalesce(c24, 0) AS c24, c25, c26, c27, c28
FROM (SELECT k, count(v) AS c1, count(DISTINCT v) AS c2, sum(v) AS c3, avg(v) AS c4, min(s) AS c5,
             max(s) AS c6, first(k) AS c7, sort_array(collect_set(s)) AS c9, bool_or(f) AS c10,
             bit_or(v) AS c11, max_by(s, v) AS c12, percentile(v, 0.5) AS c13,
             mode(v) AS c16,
             approx_count_distinct(v) AS c17, count(v, f) AS c19, count_if(f) AS c20,
             sum(v) FILTER (WHERE f) AS c21, sum(coalesce(v, 1000)) AS c22, try_sum(v) AS c25,
             every(f) AS c26, sum(v + 1) AS c27, sum(CAST(v AS DOUBLE)) AS c28 FROM a GROUP BY k)
FULL OUTER JOIN
     (SELECT k, any_value(w) AS c8, percentile_cont(0.5) WITHIN GROUP (ORDER BY w) AS c14,
             stddev_pop(w) AS c18, count(if(w > 150, 1, NULL)) AS c23, count(DISTINCT w) AS c24
      FROM b GROUP BY k) USING (k)

-- query since 4.2
-- NULLs that are respected are those of the branch, not of the padding
COGROUP a BY k, b BY k
AGGREGATE sort_array(collect_list(a.v) RESPECT NULLS) AS vs, first(a.v) RESPECT NULLS AS f,
          count(DISTINCT coalesce(a.s, 'none')) AS d
-- result
1	[5, 5, 7]	5	2
2	[NULL]	NULL	1
3	[]	NULL	0

-- query
-- the columns of one branch as a struct, and a star of it
COGROUP a BY k, b BY k AGGREGATE max(struct(b.*)) AS top, count(b.*) FILTER (WHERE b.w > 250) AS many
-- result
1	{k: 1, w: 100}	0
2	{k: 2, w: 300}	1
3	{k: 3, w: 400}	1

-- query
-- three DISTINCTs over two branches, one of them filtered
COGROUP a BY k, b BY k
AGGREGATE count(DISTINCT a.v) AS v, count(DISTINCT a.s) FILTER (WHERE a.v > 5) AS s,
          count(DISTINCT b.w) AS w
-- result
1	2	1	1
2	0	0	2
3	0	0	1

-- query
-- a higher-order function and an array of a branch's values
COGROUP a BY k, b BY k
AGGREGATE aggregate(collect_list(b.w), 0, (acc, k) -> acc + k) AS total,
          transform(sort_array(collect_list(b.w)), k -> k + 1) AS more
-- result
1	100	[101]
2	500	[201, 301]
3	400	[401]

-- statement
CREATE TEMPORARY FUNCTION plus(x INT, y INT) RETURNS INT RETURN x + y

-- query
-- a SQL function inside and over aggregates
COGROUP a BY k, b BY k AGGREGATE plus(max(a.v), max(b.w)) AS o, sum(plus(b.w, 1)) AS i
-- result
1	107	101
2	NULL	502
3	NULL	401

-- query
-- Spark itself fails on listagg beside two DISTINCTs, so it stands alone
COGROUP a BY k, b BY k
AGGREGATE listagg(a.s, ',') WITHIN GROUP (ORDER BY a.s) AS s,
  string_agg(CAST(b.w AS STRING), '+') WITHIN GROUP (ORDER BY CAST(b.w AS STRING)) AS w
-- result
1	x,x,y	100
2	z	200+300
3	NULL	400

-- query
-- a count of nothing, beside an aggregate that is computed in its own branch
COGROUP a BY k, b BY k
AGGREGATE count(NULL) AS n, count(1, CAST(NULL AS INT)) AS m, count(1) AS rows, size(collect_list(a.v)) AS l
-- result
1	0	0	4	3
2	0	0	3	0
3	0	0	1	0

-- query
-- DISTINCT with an order, beside an aggregate of the key
COGROUP a BY k, b BY k
AGGREGATE listagg(DISTINCT a.s, '+') WITHIN GROUP (ORDER BY a.s) AS s, max(k) AS m
-- result
1	x+y	1
2	z	2
3	NULL	3

-- query
COGROUP a BY k, b BY k
AGGREGATE listagg(DISTINCT coalesce(a.s, '?')) WITHIN GROUP (ORDER BY coalesce(a.s, '?')) AS s, max(k) AS m
-- result
1	xy	1
2	z	2
3	NULL	3
