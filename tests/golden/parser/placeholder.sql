-- The carrier itself: a placeholder typed by hand, wherever a plan may hide.

-- statement
CREATE TABLE a USING parquet AS SELECT * FROM VALUES (1, 10), (2, 20) AS t(k, v)

-- statement
CREATE TABLE b USING parquet AS SELECT * FROM VALUES (1, 100) AS t(k, w)

-- query
FROM __eddyline_cogroup(a => TABLE(SELECT * FROM a) PARTITION BY k, b => TABLE(SELECT * FROM b) PARTITION BY k)
SELECT count(*) AS n GROUP BY __eddyline_keys
-- result
1	2
2	1

-- query
-- TABLE(t) needs no SELECT *, and a function's name has no case
WITH c AS (FROM __EDDYLINE_COGROUP(a => TABLE(a) PARTITION BY k, b => TABLE(b) PARTITION BY k)
           SELECT count(*) AS n GROUP BY __eddyline_keys)
SELECT max(n) FROM c
-- result
2

-- query
WITH RECURSIVE r(i) AS (
  SELECT 1L UNION ALL
  SELECT i + n FROM r JOIN
    (FROM __eddyline_cogroup(a => TABLE(a) PARTITION BY k, b => TABLE(b) PARTITION BY k)
     SELECT count(*) AS n GROUP BY __eddyline_keys) ON i < 4 AND k = 1)
SELECT * FROM r
-- result
1
3
5

-- statement
CREATE VIEW v AS
FROM __eddyline_cogroup(a => TABLE(a) PARTITION BY k, b => TABLE(b) PARTITION BY k)
SELECT sum(b.w) AS w GROUP BY __eddyline_keys

-- statement
CREATE TEMPORARY VIEW tv AS
FROM __eddyline_cogroup(a => TABLE(a) PARTITION BY k, v => TABLE(v) PARTITION BY k)
SELECT sum(v.w) AS w GROUP BY __eddyline_keys

-- query
SELECT * FROM tv
-- result
1	100
2	NULL

-- query
SELECT a.k, c.n FROM a, LATERAL (
  FROM __eddyline_cogroup(b => TABLE(SELECT * FROM b WHERE b.k = a.k) PARTITION BY k, c => TABLE(a) PARTITION BY k)
  SELECT count(b.*) AS n GROUP BY __eddyline_keys HAVING n > 0) AS c
-- result
1	1

-- query
BEGIN
  FOR r AS FROM __eddyline_cogroup(a => TABLE(a) PARTITION BY k, b => TABLE(b) PARTITION BY k)
           SELECT count(*) AS n GROUP BY __eddyline_keys DO
    IF (SELECT max(n) FROM (FROM __eddyline_cogroup(a => TABLE(a) PARTITION BY k, b => TABLE(b) PARTITION BY k)
                            SELECT count(*) AS n GROUP BY __eddyline_keys)) = r.n THEN
      SELECT r.k, r.n;
    END IF;
  END FOR;
  REPEAT
    SELECT 'once';
  UNTIL (SELECT count(*) FROM (FROM __eddyline_cogroup(a => TABLE(a) PARTITION BY k, b => TABLE(b) PARTITION BY k)
                               SELECT count(*) AS n GROUP BY __eddyline_keys)) = 2 END REPEAT;
END
-- result
once

-- statement
CREATE TABLE o USING parquet AS
FROM __eddyline_cogroup(a => TABLE(a) PARTITION BY k, b => TABLE(b) PARTITION BY k)
SELECT count(*) AS n GROUP BY __eddyline_keys

-- statement
INSERT INTO o
FROM __eddyline_cogroup(a => TABLE(a) PARTITION BY k, b => TABLE(b) PARTITION BY k)
SELECT -count(*) AS n GROUP BY __eddyline_keys

-- query
SELECT * FROM o
-- result
1	-2
1	2
2	-1
2	1

-- query
EXECUTE IMMEDIATE 'FROM __eddyline_cogroup(a => TABLE(a) PARTITION BY k, b => TABLE(b) PARTITION BY k)
  SELECT count(*) AS n GROUP BY __eddyline_keys HAVING n = ?' USING 2
-- result
1	2

-- query error(UNRESOLVABLE_TABLE_VALUED_FUNCTION, 42883)
SELECT * FROM __eddyline_from_another_version(TABLE(a))
