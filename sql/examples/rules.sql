-- The rules of eddyline: what they changed in a plan, which of them there are, and a switch.
CREATE TABLE parcels USING parquet PARTITIONED BY (day) AS
SELECT id AS parcel, id % 3 AS day FROM range(12);

SET spark.eddyline.rules.excluded=NarrowAssume;

SHOW EDDYLINE RULES;

RESET spark.eddyline.rules.excluded;

EXPLAIN EDDYLINE
SELECT day, count(*) FROM parcels ASSUME PARTITIONED BY (day, parcel) GROUP BY day;
