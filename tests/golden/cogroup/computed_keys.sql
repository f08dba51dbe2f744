-- Keys that Spark computes below the branch: fields of windows, columns of a file.

-- statement
CREATE TABLE a USING parquet AS
SELECT k, v, TIMESTAMP'2026-01-01 00:00:00' + make_dt_interval(0, 0, 0, s) AS ts
FROM VALUES (1, 10, 1), (1, 20, 14), (2, 30, 25) AS t(k, v, s)

-- statement
CREATE TABLE b USING parquet AS SELECT TIMESTAMP'2026-01-01 00:00:14' AS at

-- query equals
-- the window of a key is no column of its branch
COGROUP a BY window(ts, '10 seconds').start AS s, b BY window(at, '10 seconds').start
AGGREGATE max_by(struct(a.*), a.ts) AS last, count(b.*) AS n
-- to
SELECT window(ts, '10 seconds').start AS s, struct(k, v, ts) AS last, if(k = 1 AND v = 20, 1L, 0L) AS n FROM a

-- query equals
COGROUP a WHERE v < 30 BY window(ts, '20 seconds', '10 seconds').end AS e, b BY at
AGGREGATE max_by(struct(a.*), a.ts) AS last, max(struct(b.*)) AS b
-- to
SELECT e, max_by(struct(k, v, ts), ts) AS last, max(if(at IS NULL, NULL, struct(at))) AS b
FROM (SELECT window(ts, '20 seconds', '10 seconds').end AS e, k, v, ts, NULL AS at FROM a WHERE v < 30
      UNION ALL SELECT at, NULL, NULL, NULL, at FROM b)
GROUP BY e

-- query equals
-- the column of a window in a subquery is one
COGROUP (SELECT window(ts, '10 seconds') AS w, v FROM a) AS a BY window_time(w) AS e, b BY at
AGGREGATE max(struct(a.*)) AS last, count(b.*) AS n HAVING last IS NOT NULL
-- to
SELECT window_time(w) AS e, struct(w, v) AS last, 0L AS n FROM (SELECT window(ts, '10 seconds') AS w, v FROM a)

-- query equals
COGROUP a BY _metadata.file_name AS f, (SELECT _metadata.file_name AS f, count(*) AS n FROM a GROUP BY 1) AS c BY f
AGGREGATE count(a.*) AS n, max(c.n) AS m, max(struct(a.*)).v AS v
-- to
SELECT _metadata.file_name AS f, count(*) AS n, count(*) AS m, max(struct(k, v, ts)).v AS v FROM a GROUP BY 1
