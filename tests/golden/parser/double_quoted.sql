-- Under this setting of Spark's, "x" is a name and no string, in our clauses too.
-- conf spark.sql.ansi.doubleQuotedIdentifiers=true

-- statement
CREATE TABLE a USING parquet AS SELECT * FROM VALUES (1, 10), (1, 20), (2, 30) AS t(k, `my v`)

-- statement
CREATE TABLE b USING parquet AS SELECT * FROM VALUES (1, 100), (3, 300) AS t(k, w)

-- query
COGROUP "a" BY "k", b AS "b b" BY "k" AGGREGATE sum("a"."my v") AS "n n", count("b b".*) AS m
-- result
1	30	1
2	30	0
3	NULL	1

-- query equals
COGROUP "a", "b" USING ("k") AGGREGATE count(*) AS n
-- to
COGROUP `a`, `b` USING (`k`) AGGREGATE count(*) AS n

-- query equals
SELECT "K K" + 1 FROM (COGROUP a BY k AS "K K", b BY k AGGREGATE count(*) AS n)
-- to
SELECT `K K` + 1 FROM (COGROUP a BY k AS `K K`, b BY k AGGREGATE count(*) AS n)

-- query equals
SELECT k, max("my v") AS "top v" FROM a GROUP BY k EMIT ON CHANGE OF ("top v")
-- to
SELECT k, max("my v") AS "top v" FROM a GROUP BY k

-- query equals
SELECT "k", count(*) FROM "a" ASSUME PARTITIONED BY ("k") GROUP BY "k"
-- to
SELECT k, count(*) FROM a GROUP BY k

-- query error(EDDYLINE_EMIT.SYNTAX_ERROR, 42601)
  SELECT k FROM a EMIT EVERY "10 seconds"
--                           ^^^^^^^^^^^^
