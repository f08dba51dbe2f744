-- KIP-557: report what changed. In a stream the second load of a sensor that stays at its maximum is
-- dropped; a batch query reports each key once, with EMIT as without.
CREATE TEMPORARY VIEW readings AS
SELECT * FROM VALUES ('kitchen', 21), ('cellar', 12), ('kitchen', 19), ('attic', 30)
AS readings(room, degrees);

SELECT room, max(degrees) AS hottest, count(*) AS n
FROM readings
GROUP BY room
EMIT ON CHANGE EXCEPT (n);

-- Degrees that differ by less than 2 from what was reported are no news, but once an hour all are repeated.
SELECT room, max(degrees) AS hottest
FROM readings
GROUP BY room
EMIT ON CHANGE TOLERANCE 2 HEARTBEAT 1 HOUR;

-- A room that leaves HAVING is reported as a delete. In batch each row is an insert.
SELECT room, max(degrees) AS hottest
FROM readings
GROUP BY room
HAVING max(degrees) - min(degrees) < 5
EMIT ON CHANGE WITH CHANGE TYPE;
