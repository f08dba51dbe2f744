-- Partitions of the facts that a filter on the global table rules out are not read: Spark's own
-- broadcast join, over the pinned version. `tests/globaltable/test_sharing.py` counts the files.
-- conf spark.sql.adaptive.enabled=false

-- statement
CREATE TABLE sales (id BIGINT, v BIGINT, k INT) USING parquet PARTITIONED BY (k)

-- statement
INSERT INTO sales SELECT id, id * 10, id % 5 FROM range(20)

-- statement
CREATE TABLE plain_d USING parquet AS SELECT /*+ COALESCE(1) */ * FROM VALUES (0, 'a'), (1, 'b'), (2, 'a'), (9, 'c') AS t(k, name)

-- statement
CREATE GLOBAL TABLE d PRIMARY KEY (k) REFRESH MANUAL AS SELECT * FROM plain_d

-- statement
CREATE GLOBAL TABLE other PRIMARY KEY (k) REFRESH MANUAL AS SELECT k * 10 AS k, name AS label FROM plain_d

-- query equals
SELECT id, name FROM sales JOIN d USING (k) WHERE name = 'a'
-- to
SELECT id, name FROM sales JOIN plain_d USING (k) WHERE name = 'a'

-- plan
SELECT id, name FROM sales JOIN d USING (k) WHERE name = 'a'
-- result
Project
+- BroadcastHashJoin
   :- ColumnarToRow
   :  +- FileScan
   :        +- SubqueryBroadcast
   :           +- BroadcastExchange
   :              +- Filter
   :                 +- ColumnarToRow
   :                    +- FileScan
   +- ReusedExchange

-- plan
-- without a filter there is nothing to prune
SELECT id, name FROM sales JOIN d USING (k)
-- result
Project
+- BroadcastHashJoin
   :- ColumnarToRow
   :  +- FileScan
   +- GlobalLookup

-- query equals
SELECT name, sum(v) AS v FROM d JOIN sales USING (k) WHERE name IN ('a', 'c') GROUP BY name
-- to
SELECT name, sum(v) AS v FROM plain_d JOIN sales USING (k) WHERE name IN ('a', 'c') GROUP BY name

-- query equals
-- only the join that prunes steps aside
SELECT id, name, label FROM sales JOIN d USING (k) LEFT JOIN other ON sales.v = other.k WHERE name = 'a'
-- to
SELECT id, p.name, o.name AS label FROM sales JOIN plain_d AS p USING (k) LEFT JOIN plain_d AS o ON sales.v = o.k * 10 WHERE p.name = 'a'

-- plan
SELECT id, name, label FROM sales JOIN d USING (k) LEFT JOIN other ON sales.v = other.k WHERE name = 'a'
-- result
Project
+- BroadcastHashJoin
   :- Project
   :  +- BroadcastHashJoin
   :     :- ColumnarToRow
   :     :  +- FileScan
   :     :        +- SubqueryBroadcast
   :     :           +- BroadcastExchange
   :     :              +- Filter
   :     :                 +- ColumnarToRow
   :     :                    +- FileScan
   :     +- ReusedExchange
   +- GlobalLookup

-- query equals
SELECT id FROM sales WHERE k IN (SELECT k FROM d WHERE name = 'a')
-- to
SELECT id FROM sales WHERE k IN (SELECT k FROM plain_d WHERE name = 'a')
