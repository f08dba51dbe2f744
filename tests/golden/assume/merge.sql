-- The source of a MERGE may carry a claim: true, false or dropped, the rows of the target are the same.
-- conf spark.sql.adaptive.enabled=true,false
-- conf spark.sql.autoBroadcastJoinThreshold=-1

-- statement
CREATE TABLE good USING parquet AS SELECT /*+ REPARTITION(3, k) */ id % 10 AS k, id AS v FROM range(10)

-- statement
CREATE TABLE bad USING parquet AS SELECT /*+ REPARTITION(3, v) */ id % 10 AS k, id AS v FROM range(60)

-- statement
CREATE TABLE lake.assumed.target (k BIGINT, v BIGINT)

-- statement
INSERT INTO lake.assumed.target SELECT id * 2, -1L FROM range(7)

-- statement
MERGE INTO lake.assumed.target AS t USING good AS s ASSUME PARTITIONED BY (k) ON t.k = s.k
WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT (k, v) VALUES (s.k, s.v)

-- query
SELECT k, v FROM lake.assumed.target ORDER BY k
-- result
0	0
1	1
2	2
3	3
4	4
5	5
6	6
7	7
8	8
9	9
10	-1
12	-1

-- statement
MERGE INTO lake.assumed.target AS t USING (
  SELECT k, max(v) AS v FROM bad ASSUME PARTITIONED BY (k) GROUP BY k) AS s ON t.k = s.k
WHEN MATCHED AND s.k > 3 THEN UPDATE SET v = s.v WHEN MATCHED THEN DELETE

-- query
SELECT k, v FROM lake.assumed.target ORDER BY k
-- result
4	54
5	55
6	56
7	57
8	58
9	59
10	-1
12	-1

-- query error(EDDYLINE_ASSUME.VIOLATED, 22000)
  MERGE INTO lake.assumed.target AS t USING (SELECT k, max(v) AS v FROM bad ASSUME PARTITIONED BY (k) ENFORCED ON VIOLATION FAIL GROUP BY k) AS s ON t.k = s.k WHEN MATCHED THEN DELETE
--                                                                          ^^^^^^^^^^^^^^^^^^^^^

-- statement
DROP TABLE lake.assumed.target
