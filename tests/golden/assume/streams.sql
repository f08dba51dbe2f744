-- Claims about streams: what is refused before a stream starts.
-- conf spark.eddyline.assume.streams.enabled=true

-- statement
CREATE TABLE t USING parquet AS SELECT 1 AS k, 2 AS d, TIMESTAMP'2026-01-01 00:00:00' AS ts

-- query error(EDDYLINE_ASSUME.STREAMING_NOT_SUPPORTED, 0A000)
-- nothing in it can be checked
  SELECT k, count(*) FROM STREAM t ASSUME PARTITIONED BY (k) GROUP BY k
--                                 ^^^^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_ASSUME.STREAMING_NOT_SUPPORTED, 0A000)
-- nor of numbered units without a hash
  SELECT k, count(*) FROM STREAM t ASSUME PARTITIONED BY (k) LAYOUT l INTO 4 PARTITIONS GROUP BY k
--                                 ^^^^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_ASSUME.STREAMING_NOT_SUPPORTED, 0A000)
-- the hint is the claim without a hash
  SELECT /*+ ASSUME_PARTITIONED_BY(t, k) */ k, count(*) FROM STREAM t GROUP BY k
--       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_ASSUME.STREAMING_NOT_SUPPORTED, 0A000)
  SELECT k, count(*) FROM STREAM t ASSUME PARTITIONED BY (k) INTO 4 PARTITIONS USING HASH SPARK NOT ENFORCED GROUP BY k
--                                 ^^^^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_ASSUME.STREAMING_NOT_SUPPORTED, 0A000)
-- a stream of files
  SELECT k, count(*) FROM STREAM t WATERMARK ts DELAY OF INTERVAL 1 SECOND AS r ASSUME PARTITIONED BY (k) INTO 4 PARTITIONS USING HASH SPARK WHERE d > 1 GROUP BY k
--                                                                              ^^^^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_ASSUME.STREAMING_NOT_SUPPORTED, 0A000)
-- an operator between the stream and the claim
  SELECT k, count(*) FROM (SELECT DISTINCT k, d FROM STREAM t) ASSUME PARTITIONED BY (k) INTO 4 PARTITIONS USING HASH SPARK GROUP BY k
--                                                             ^^^^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_ASSUME.STREAMING_NOT_SUPPORTED, 0A000)
-- in a branch
  COGROUP STREAM t ASSUME PARTITIONED BY (k) INTO 4 PARTITIONS USING HASH SPARK BY k, STREAM t AS u BY k AGGREGATE count(t.*)
--                 ^^^^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_ASSUME.STREAMING_NOT_SUPPORTED, 0A000)
    CHECK ASSUMPTION ON STREAM t PARTITIONED BY (k)
--  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_ASSUME.KEY_NOT_ALLOWED, 42K0E)
-- keys are checked as elsewhere
  SELECT k, count(*) FROM STREAM t ASSUME PARTITIONED BY (rand()) INTO 4 PARTITIONS USING HASH SPARK GROUP BY k
--                                                        ^^^^^^

-- query equals
-- in a batch the conf changes nothing
SELECT k, count(*) FROM t ASSUME PARTITIONED BY (k) GROUP BY k
-- to
SELECT k, count(*) FROM t GROUP BY k
