-- Real-time mode: each record is answered when it comes, and not at the end of a micro-batch.
CREATE TABLE clicks USING kafka
OPTIONS ('kafka.bootstrap.servers' '<broker>', subscribe 'clicks', startingOffsets 'earliest');
CREATE TABLE soon USING kafka
OPTIONS ('kafka.bootstrap.servers' '<broker>', subscribe 'soon');
CREATE TABLE later USING kafka
OPTIONS ('kafka.bootstrap.servers' '<broker>', subscribe 'later');

START STREAMING QUERY real_time TRIGGER REAL TIME
AS INSERT INTO soon (key, value)
SELECT key, string(count(*)) AS value FROM STREAM clicks GROUP BY key EMIT ON CHANGE;

-- The same query without TRIGGER: a micro-batch begins when the one before has ended.
START STREAMING QUERY micro_batches
AS INSERT INTO later (key, value)
SELECT key, string(count(*)) AS value FROM STREAM clicks GROUP BY key EMIT ON CHANGE;
