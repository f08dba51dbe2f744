-- No Exchange: the branches are put together by the values of their partition column.
COGROUP sales ASSUME PARTITIONED BY (dt) BY dt, (SELECT dt, item FROM sales) AS again ASSUME PARTITIONED BY (dt) BY dt
AGGREGATE count(sales.item) AS n, sum(again.item) AS m
