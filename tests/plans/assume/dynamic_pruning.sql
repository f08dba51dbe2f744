-- The filter that dynamic pruning makes reaches the scan.
SELECT /*+ BROADCAST(days) */ dt, count(*) AS n
FROM sales ASSUME PARTITIONED BY (dt) JOIN days ON dt = day WHERE name = 'mon' GROUP BY dt
