-- What depends on the session is as in the one that made the table. The application is in UTC.
-- conf spark.sql.session.timeZone=America/New_York

-- statement
CREATE TABLE written (k INT, t STRING) USING csv

-- statement
INSERT INTO written VALUES (1, '2024-01-01 00:00:00'), (2, '2024-07-01 12:30:00')

-- statement
CREATE TABLE plain_times (k INT, t TIMESTAMP) USING csv

-- statement
INSERT INTO plain_times SELECT k, to_timestamp(t) FROM written

-- statement
CREATE GLOBAL TABLE times (k INT, t TIMESTAMP) USING csv PRIMARY KEY (k) REFRESH MANUAL

-- statement
INSERT INTO times SELECT k, to_timestamp(t) FROM written

-- statement
REFRESH GLOBAL TABLE times

-- query equals
SELECT k, unix_timestamp(t) AS at FROM times
-- to
SELECT k, unix_timestamp(t) AS at FROM plain_times

-- query equals
SELECT f.k, unix_timestamp(t) AS at FROM VALUES (1), (3) AS f(k) LEFT JOIN times ON times.k = f.k
-- to
SELECT f.k, unix_timestamp(t) AS at FROM VALUES (1), (3) AS f(k) LEFT JOIN plain_times AS times ON times.k = f.k

-- statement
CREATE GLOBAL TABLE formatted REFRESH MANUAL AS
SELECT k, date_format(t, 'HH:mm') AS shown, current_timezone() AS zone, t = TIMESTAMP'2024-01-01 00:00:00' AS first,
  CAST(t AS STRING) AS text
FROM plain_times

-- query equals
SELECT * FROM formatted
-- to
SELECT k, date_format(t, 'HH:mm') AS shown, current_timezone() AS zone, t = TIMESTAMP'2024-01-01 00:00:00' AS first,
  CAST(t AS STRING) AS text
FROM plain_times

-- query
SELECT k, shown, zone FROM formatted
-- result
1	00:00	America/New_York
2	12:30	America/New_York

-- query
-- what a query computes is of its own session
SELECT f.k, g.shown FROM VALUES (1) AS f(k) LEFT JOIN (SELECT k, date_format(t, 'HH:mm') AS shown FROM times) AS g
  ON f.k = g.k
-- result
1	00:00

-- statement
SET spark.sql.caseSensitive = true

-- statement
CREATE GLOBAL TABLE cases PRIMARY KEY (ID) REFRESH MANUAL AS
SELECT id, ID, v FROM VALUES (1, 2, 'a'), (1, 3, 'b') AS t(id, ID, v)

-- query
SELECT f.k, v FROM VALUES (2), (1) AS f(k) LEFT JOIN cases ON cases.ID = f.k
-- result
1	NULL
2	a

-- query
SELECT id, ID, v FROM cases
-- result
1	2	a
1	3	b
