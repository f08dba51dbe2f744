-- Partition filters and data filters reach the scan, below the units.
SELECT dt, count(*) AS n FROM sales ASSUME PARTITIONED BY (dt) WHERE dt < 3 AND item > 1 GROUP BY dt
