-- The life of a streaming query, by SQL alone. Checkpoints lie in spark.sql.streaming.checkpointLocation.

-- statement
CREATE TABLE events (k INT, v INT, ts TIMESTAMP) USING parquet

-- statement
CREATE TABLE copy (k INT, v BIGINT) USING parquet

-- statement
CREATE TABLE tops (k INT, top INT, batch BIGINT) USING parquet

-- statement
INSERT INTO events VALUES (1, 10, NULL), (2, 20, NULL)

-- statement
-- without EMIT: what is read is appended; INSERT casts
START STREAMING QUERY copying TRIGGER AVAILABLE NOW AS INSERT INTO copy SELECT k, v FROM STREAM events

-- query
SELECT status FROM (SELECT 1) CROSS JOIN VALUES ('as a column') AS t(status)
-- result
as a column

-- statement
AWAIT STREAMING QUERY copying

-- query
SELECT * FROM copy
-- result
1	10
2	20

-- statement
INSERT INTO events VALUES (1, 5, NULL), (3, 30, NULL)

-- statement
-- a finished query starts again where it ended
START STREAMING QUERY copying

-- statement
AWAIT STREAMING QUERY COPYING TIMEOUT 1 HOUR

-- query
SELECT * FROM copy
-- result
1	10
1	5
2	20
3	30

-- statement
START STREAMING QUERY IF NOT EXISTS copying AS INSERT INTO copy SELECT 1, 2

-- statement
DROP STREAMING QUERY copying

-- statement
DROP STREAMING QUERY IF EXISTS copying

-- statement
-- EMIT gives the output mode; a COGROUP, a quoted name, every clause
START STREAMING QUERY IF NOT EXISTS `my tops`
  TRIGGER AVAILABLE NOW
  OPTIONS ('spark.sql.shuffle.partitions' '1', note.text = 'x', n 5)
  COMMENT 'the tops'
AS INSERT INTO TABLE tops WITH BATCH ID batch
COGROUP STREAM events AS a BY k, STREAM events AS b BY k AGGREGATE max(a.v) AS top
EMIT ON CHANGE

-- statement
AWAIT STREAMING QUERY `my tops`

-- query
SELECT * FROM tops
-- result
1	10	0
2	20	0
3	30	0

-- statement
INSERT INTO events VALUES (1, 3, NULL), (2, 21, NULL)

-- statement
RESTART STREAMING QUERY `my tops`

-- statement
AWAIT STREAMING QUERY `my tops` TIMEOUT INTERVAL '60' MINUTE

-- query
SELECT * FROM tops WHERE batch > 0
-- result
2	21	1

-- statement
-- what a batch of it did, what it is, how it runs
SHOW STREAMING QUERY PROGRESS `my tops`

-- statement
DESC STREAMING QUERY `my tops`

-- statement
DESCRIBE STREAMING QUERY `my tops`

-- statement
EXPLAIN STREAMING QUERY `my tops`

-- statement
SHOW STREAMING QUERIES

-- statement
-- columns by list and by name
START STREAMING QUERY listed TRIGGER AVAILABLE NOW AS INSERT INTO tops (top, k) WITH BATCH ID batch
SELECT v, k FROM STREAM events WHERE v = 30

-- statement
START STREAMING QUERY named TRIGGER AVAILABLE NOW AS INSERT INTO tops BY NAME WITH BATCH ID batch
SELECT v + 1 AS top, k FROM STREAM events WHERE v = 30

-- statement
AWAIT STREAMING QUERY listed

-- statement
AWAIT STREAMING QUERY named

-- query
SELECT k, top FROM tops WHERE top >= 30 AND batch = 0 AND k = 3
-- result
3	30
3	30
3	31

-- statement
-- a running query, stopped
START STREAMING QUERY slow TRIGGER EVERY 1 HOUR AS INSERT INTO copy SELECT k, v FROM STREAM events

-- statement
STOP STREAMING QUERY slow

-- statement
STOP STREAMING QUERY slow

-- statement
-- the pace of EMIT EVERY
START STREAMING QUERY paced AS INSERT INTO copy SELECT k, v FROM STREAM events EMIT EVERY 1 HOUR

-- statement
-- a CTE called batch is no batch id; names and columns that are words of a query
START STREAMING QUERY map TRIGGER AVAILABLE NOW AS INSERT INTO copy (v, k)
WITH batch AS (SELECT * FROM STREAM events) SELECT v, k FROM batch WHERE v = 30 EMIT ON UPDATE

-- statement
AWAIT STREAMING QUERY map

-- statement
BEGIN
  DECLARE EXIT HANDLER FOR SQLEXCEPTION STOP STREAMING QUERY map;
  STOP STREAMING QUERY paced;
  IF (SELECT count(*) > 0 FROM copy) THEN
    RESTART STREAMING QUERY paced;
  END IF;
  STOP STREAMING QUERY paced;
END

-- query error(EDDYLINE_STREAMING_QUERY.ALREADY_EXISTS, 42P07)
  START STREAMING QUERY Slow AS INSERT INTO copy SELECT k, v FROM STREAM events
--                      ^^^^

-- statement
-- a definition that is stored
CREATE STREAMING QUERY stored TRIGGER AVAILABLE NOW AS INSERT INTO copy SELECT k, v FROM STREAM events

-- statement
AWAIT STREAMING QUERY stored

-- statement
CREATE STREAMING QUERY IF NOT EXISTS stored AS INSERT INTO copy SELECT k, v FROM STREAM events

-- query
-- what would change
VALIDATE STREAMING QUERY stored TRIGGER AVAILABLE NOW AS INSERT INTO copy SELECT k, -v FROM STREAM events WHERE k > 1
-- result
filter	NULL	k > 1	keeps state	It applies to rows that arrive from now on; the state stays as it is.
output column	v INT = events.v	(- v) INT = -v	keeps state	Rows that are written from now on have it.

-- query error(EDDYLINE_STREAMING_QUERY.LOSES_STATE, 55000)
CREATE OR REPLACE STREAMING QUERY stored AS INSERT INTO copy SELECT k, count(*) FROM STREAM events GROUP BY k EMIT ON CHANGE
--                                ^^^^^^

-- statement
CREATE OR REPLACE STREAMING QUERY stored RESET CHECKPOINT TRIGGER AVAILABLE NOW AS INSERT INTO copy SELECT k, count(*) FROM STREAM events GROUP BY k EMIT ON CHANGE

-- statement
AWAIT STREAMING QUERY stored

-- statement
CREATE OR REPLACE STREAMING QUERY stored RESET CHECKPOINT TRIGGER AVAILABLE NOW AS INSERT INTO copy SELECT k, v FROM STREAM events

-- statement
AWAIT STREAMING QUERY stored

-- statement
CREATE OR REPLACE STREAMING QUERY stored TRIGGER AVAILABLE NOW AS INSERT INTO copy SELECT k, -v FROM STREAM events

-- query
SHOW CREATE STREAMING QUERY stored
-- result
CREATE OR REPLACE STREAMING QUERY stored TRIGGER AVAILABLE NOW AS INSERT INTO copy SELECT k, -v FROM STREAM events

-- statement
AWAIT STREAMING QUERY stored

-- statement
DROP STREAMING QUERY stored PURGE
