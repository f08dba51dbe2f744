-- KIP-99: small tables of which every executor holds a copy, joined by lookup.
CREATE TABLE rooms_read (room STRING, floor INT, seen INT) USING parquet;

INSERT INTO rooms_read VALUES ('kitchen', 0, 1), ('cellar', -1, 1), ('kitchen', 1, 2);

CREATE GLOBAL TABLE rooms PRIMARY KEY (room)
  ON DUPLICATE KEY LATEST BY seen
  REFRESH EVERY 10 SECONDS
AS SELECT room, floor, seen FROM rooms_read;

CREATE GLOBAL TABLE floors (floor INT, name STRING) USING parquet
  REFRESH MANUAL
  MAX ROWS 1000;

INSERT INTO floors VALUES (-1, 'basement'), (0, 'ground'), (1, 'first');

REFRESH GLOBAL TABLE floors;

SELECT r.room, f.name, degrees
FROM VALUES ('kitchen', 21), ('cellar', 12), ('attic', 30) AS readings(room, degrees)
JOIN rooms AS r ON r.room = readings.room
JOIN floors AS f ON f.floor = r.floor
ORDER BY r.room;

DROP GLOBAL TABLE rooms;

DROP GLOBAL TABLE floors;
