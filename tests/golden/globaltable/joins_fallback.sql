-- A join that must keep rows of the global table: refused, if one wishes; else an ordinary join.
-- conf spark.eddyline.globalTable.fallback=fail
-- conf spark.sql.adaptive.enabled=true,false

-- statement
CREATE TABLE f USING parquet AS SELECT /*+ COALESCE(1) */ * FROM VALUES (1, 1), (2, 2), (3, 9) AS t(id, k)

-- statement
CREATE GLOBAL TABLE d PRIMARY KEY (k) REFRESH MANUAL AS SELECT * FROM VALUES (1, 'a'), (2, 'b'), (3, 'c') AS t(k, name)

-- statement
CREATE GLOBAL TABLE e PRIMARY KEY (k) REFRESH MANUAL AS SELECT * FROM VALUES (1, 'x'), (3, 'y') AS t(k, label)

-- query error(EDDYLINE_GLOBAL_TABLE.JOIN_TYPE, 0A000)
SELECT id, d.k FROM f FULL JOIN d ON f.k = d.k
--                    ^^^^^^^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_GLOBAL_TABLE.JOIN_TYPE, 0A000)
SELECT id, d.k FROM f RIGHT JOIN d ON f.k = d.k

-- query error(EDDYLINE_GLOBAL_TABLE.JOIN_TYPE, 0A000)
SELECT id, d.k FROM d LEFT JOIN f ON f.k = d.k

-- query error(EDDYLINE_GLOBAL_TABLE.JOIN_TYPE, 0A000)
SELECT d.k FROM d LEFT ANTI JOIN f ON f.k = d.k

-- query error(EDDYLINE_GLOBAL_TABLE.JOIN_TYPE, 0A000)
SELECT id, d.k FROM f FULL JOIN (d JOIN e USING (k)) ON f.k = d.k

-- query error(EDDYLINE_GLOBAL_TABLE.JOIN_TYPE, 0A000)
SELECT k FROM d WHERE k IN (SELECT k FROM f) OR name = 'c'

-- query error(EDDYLINE_GLOBAL_TABLE.NO_LOOKUP, 0A000)
SELECT id, name FROM f JOIN (SELECT * FROM d WHERE name < (SELECT max(label) FROM e)) AS d ON f.k = d.k

-- query error(EDDYLINE_GLOBAL_TABLE.NO_LOOKUP, 0A000)
SELECT id, r FROM f LEFT JOIN (SELECT k, rand() AS r FROM d) AS d ON f.k = d.k

-- query
-- two global tables have no facts to look up for
SELECT d.k, label FROM d FULL JOIN e ON d.k = e.k
-- result
1	x
2	NULL
3	y

-- query
-- nor once adaptive execution has broadcast one of them
SELECT d.k, label FROM d LEFT JOIN e ON d.k + 1 < e.k
-- result
1	y
2	NULL
3	NULL

-- query
SELECT d.k FROM d LEFT SEMI JOIN e ON d.k < e.k
-- result
1
2

-- query
SELECT k FROM d WHERE k NOT IN (SELECT k FROM e)
-- result
2

-- query
SELECT id, name FROM d RIGHT JOIN f ON f.k = d.k
-- result
1	a
2	b
3	NULL

-- statement
SET spark.eddyline.globalTable.fallback = WARN

-- query
SELECT id, d.k FROM f FULL JOIN d ON f.k = d.k
-- result
1	1
2	2
3	NULL
NULL	3

-- statement
SET spark.sql.adaptive.enabled = false

-- plan
SELECT id, d.k FROM f FULL JOIN d ON f.k = d.k
-- result
Project
+- SortMergeJoin
   :- Sort
   :  +- Exchange
   :     +- ColumnarToRow
   :        +- FileScan
   +- Sort
      +- Exchange
         +- ColumnarToRow
            +- FileScan
