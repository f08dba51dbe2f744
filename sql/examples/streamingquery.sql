-- A stream started, awaited and dropped by SQL alone.
CREATE TABLE readings (room STRING, degrees INT) USING parquet;

CREATE TABLE hottest (room STRING, degrees INT, batch BIGINT) USING parquet;

INSERT INTO readings VALUES ('kitchen', 21), ('cellar', 12), ('kitchen', 19);

START STREAMING QUERY watch_rooms
  TRIGGER AVAILABLE NOW
AS INSERT INTO hottest WITH BATCH ID batch
SELECT room, max(degrees) FROM STREAM readings GROUP BY room
EMIT ON CHANGE;

AWAIT STREAMING QUERY watch_rooms;

DROP STREAMING QUERY watch_rooms;

SELECT room, degrees FROM hottest ORDER BY room;
