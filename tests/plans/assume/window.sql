-- One Sort and no Exchange.
SELECT dt, item, row_number() OVER (PARTITION BY dt ORDER BY item) AS r FROM sales ASSUME PARTITIONED BY (dt)
