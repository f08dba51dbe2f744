-- What became of each clause of a query: the claim, and the shuffle that it saves.
CREATE TABLE delivered USING parquet PARTITIONED BY (day) AS
SELECT id AS parcel, id % 3 + 1 AS day FROM range(12);

EXPLAIN CLAUSES
SELECT day, count(*) AS parcels
FROM delivered ASSUME PARTITIONED BY (day)
GROUP BY day;
