-- KIP-759: a table that is stored by day needs no shuffle to count by day.
CREATE TABLE sold USING parquet PARTITIONED BY (day) AS
SELECT id AS item, id % 3 + 1 AS day FROM range(12);

SELECT day, count(*) AS items
FROM sold ASSUME PARTITIONED BY (day)
GROUP BY day
ORDER BY day;

EXPLAIN CLAUSES
SELECT day, count(*) AS items
FROM sold ASSUME PARTITIONED BY (day)
GROUP BY day;
