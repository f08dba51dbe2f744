-- KIP-557: a source table forwards a record only if it changes the value of its key.
CREATE TABLE source_table USING kafka
OPTIONS ('kafka.bootstrap.servers' '<broker>', subscribe 'source_table', startingOffsets 'earliest');
CREATE TABLE changes USING kafka
OPTIONS ('kafka.bootstrap.servers' '<broker>', subscribe 'changes');

START STREAMING QUERY kip_557 TRIGGER AVAILABLE NOW
AS INSERT INTO changes (key, value)
SELECT key, value FROM STREAM source_table
EMIT ON CHANGE KEY (key);
