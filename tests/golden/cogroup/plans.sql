-- The shape that COGROUP is for; `tests/plans/cogroup` has whole plans.
-- conf spark.sql.adaptive.enabled=false

-- statement
CREATE TABLE a USING parquet AS SELECT id AS k, id AS v FROM range(10)

-- plan
COGROUP a BY k, a AS b BY v AGGREGATE count(a.v) AS n, sum(b.k) AS s
-- result
HashAggregate
+- Exchange
   +- HashAggregate
      +- Union
         :- Project
         :  +- Filter
         :     +- ColumnarToRow
         :        +- FileScan
         +- Project
            +- Filter
               +- ColumnarToRow
                  +- FileScan

-- statement
CREATE TEMPORARY FUNCTION half(x BIGINT) RETURNS BIGINT RETURN x DIV 2

-- plan
-- an SQL function hides nothing: each branch is aggregated by itself, as without one
COGROUP a BY k, a AS b BY v AGGREGATE count(DISTINCT half(a.v)) AS n
-- result
HashAggregate
+- Union
   :- HashAggregate
   :  +- Exchange
   :     +- HashAggregate
   :        +- HashAggregate
   :           +- Exchange
   :              +- HashAggregate
   :                 +- Project
   :                    +- Filter
   :                       +- ColumnarToRow
   :                          +- FileScan
   +- HashAggregate
      +- Exchange
         +- HashAggregate
            +- Project
               +- Filter
                  +- ColumnarToRow
                     +- FileScan
