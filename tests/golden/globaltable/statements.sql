-- Statements about global tables, in every place that a statement may stand.

-- statement
CREATE TABLE source (k INT, name STRING) USING parquet

-- statement
INSERT INTO source VALUES (1, 'one'), (2, 'two')

-- statement
CREATE GLOBAL TABLE g PRIMARY KEY (k) AS SELECT k, name FROM source

-- query
SELECT f.k, name FROM VALUES (1), (3) AS f(k) LEFT JOIN g ON f.k = g.k
-- result
1	one
3	NULL

-- statement
INSERT INTO source VALUES (3, 'three')

-- query
SELECT count(*) FROM g
-- result
2

-- statement
REFRESH GLOBAL TABLE g

-- query
SELECT f.k, name FROM VALUES (1), (3) AS f(k) LEFT JOIN g ON f.k = g.k
-- result
1	one
3	three

-- query
SHOW CREATE GLOBAL TABLE g
-- result ordered
CREATE GLOBAL TABLE default.g
PRIMARY KEY (k)
AS SELECT k, name FROM source

-- statement
CREATE GLOBAL TABLE IF NOT EXISTS g AS SELECT 1 AS one

-- query
SELECT count(*) FROM g
-- result
3

-- statement
CREATE OR REPLACE GLOBAL TABLE g
  PRIMARY KEY (id, `the name`)
  ON DUPLICATE KEY FAIL
  REFRESH EVERY 5 MINUTES
  MAX STALENESS INTERVAL 1 HOUR ON STALE WAIT '10 seconds'
  MAX ROWS 100
  MAX BYTES 1 MB
  COMMENT 'it\'s'
  TBLPROPERTIES ('team' = 'me')
AS SELECT k AS id, name AS `the name` FROM source

-- query
SHOW CREATE GLOBAL TABLE g
-- result ordered
CREATE GLOBAL TABLE default.g
PRIMARY KEY (id, `the name`)
REFRESH EVERY 300000 MILLISECONDS
MAX STALENESS 3600000 MILLISECONDS
ON STALE WAIT 10000 MILLISECONDS
MAX ROWS 100
MAX BYTES 1048576
TBLPROPERTIES ('team' = 'me')
COMMENT 'it\'s'
AS SELECT k AS id, name AS `the name` FROM source

-- statement
ALTER GLOBAL TABLE g SET REFRESH MANUAL MAX STALENESS 1 DAY ON STALE FAIL MAX ROWS 7 COMMENT 'new' TBLPROPERTIES ('team' 'you')

-- query
SHOW CREATE GLOBAL TABLE default.g
-- result ordered
CREATE GLOBAL TABLE default.g
PRIMARY KEY (id, `the name`)
REFRESH MANUAL
MAX STALENESS 86400000 MILLISECONDS
MAX ROWS 7
MAX BYTES 1048576
TBLPROPERTIES ('team' = 'you')
COMMENT 'new'
AS SELECT k AS id, name AS `the name` FROM source

-- statement
ALTER GLOBAL TABLE g SET COMMENT 'copied with password=hunter22, it\'s old'

-- query
SHOW CREATE GLOBAL TABLE default.g
-- result ordered
CREATE GLOBAL TABLE default.g
PRIMARY KEY (id, `the name`)
REFRESH MANUAL
MAX STALENESS 86400000 MILLISECONDS
MAX ROWS 7
MAX BYTES 1048576
TBLPROPERTIES ('team' = 'you')
COMMENT 'copied with password=*********(redacted), it\'s old'
AS SELECT k AS id, name AS `the name` FROM source

-- statement
ALTER GLOBAL TABLE g SET ON STALE WAIT 1 MINUTE ON DUPLICATE KEY LATEST BY id

-- statement
DESCRIBE GLOBAL TABLE spark_catalog.default.g

-- statement
DESC GLOBAL TABLE g

-- statement
SHOW GLOBAL TABLES

-- statement
SHOW GLOBAL TABLES IN default

-- statement
SHOW GLOBAL TABLES FROM spark_catalog.default

-- statement
DROP GLOBAL TABLE g

-- statement
DROP GLOBAL TABLE IF EXISTS g

-- words that are no secrets are shown as typed

-- statement
CREATE GLOBAL TABLE words COMMENT 'of the token' AS SELECT k, 'password' AS kind FROM source WHERE name NOT IN ('token', 'x') AND name <> 'secret' AND name <> 'y'

-- query
SHOW CREATE GLOBAL TABLE words
-- result ordered
CREATE GLOBAL TABLE default.words
COMMENT 'of the token'
AS SELECT k, 'password' AS kind FROM source WHERE name NOT IN ('token', 'x') AND name <> 'secret' AND name <> 'y'

-- statement
DROP GLOBAL TABLE words

-- the table form

-- statement
CREATE GLOBAL TABLE t (k INT, name STRING, PRIMARY KEY (k)) USING parquet

-- statement
INSERT INTO t VALUES (1, 'a'), (NULL, 'n')

-- statement
REFRESH GLOBAL TABLE t

-- query
SELECT * FROM t
-- result
1	a

-- query since 4.2
SHOW CREATE GLOBAL TABLE t
-- result ordered
CREATE GLOBAL TABLE spark_catalog.default.t (
  k INT,
  name STRING COLLATE UTF8_BINARY)
USING parquet
PRIMARY KEY (k)

-- statement
CREATE GLOBAL TABLE IF NOT EXISTS t USING orc

-- statement
CREATE GLOBAL TABLE csv (k INT COMMENT 'the key', name STRING) USING csv
  OPTIONS (header true, 'sep' = ';')
  COMMENT 'rooms'
  PRIMARY KEY (k) ON DUPLICATE KEY LATEST BY name REFRESH MANUAL
  TBLPROPERTIES ('team' = 'me')

-- query since 4.2
SHOW CREATE GLOBAL TABLE csv
-- result ordered
CREATE GLOBAL TABLE spark_catalog.default.csv (
  k INT COMMENT 'the key',
  name STRING COLLATE UTF8_BINARY)
USING csv
OPTIONS (
  'header' = 'true',
  'sep' = ';')
COMMENT 'rooms'
PRIMARY KEY (k)
ON DUPLICATE KEY LATEST BY name
REFRESH MANUAL
TBLPROPERTIES ('team' = 'me')

-- statement
ALTER GLOBAL TABLE csv SET COMMENT 'it\'s read with token=hunter22'

-- query since 4.2
SHOW CREATE GLOBAL TABLE csv
-- result ordered
CREATE GLOBAL TABLE spark_catalog.default.csv (
  k INT COMMENT 'the key',
  name STRING COLLATE UTF8_BINARY)
USING csv
OPTIONS (
  'header' = 'true',
  'sep' = ';')
COMMENT 'it\'s read with token=*********(redacted)'
PRIMARY KEY (k)
ON DUPLICATE KEY LATEST BY name
REFRESH MANUAL
TBLPROPERTIES ('team' = 'me')

-- statement
INSERT INTO csv VALUES (1, 'a'), (1, 'c'), (1, 'b')

-- statement
REFRESH GLOBAL TABLE csv

-- query
SELECT * FROM csv
-- result
1	c

-- query
-- in a script, in dynamic SQL, and over COGROUP and EMIT
BEGIN
  DECLARE n INT;
  CREATE GLOBAL TABLE scripted AS SELECT k FROM source WHERE k > 1;
  SET n = (SELECT count(*) FROM scripted);
  DROP GLOBAL TABLE scripted;
  SELECT n;
END
-- result
2

-- statement
EXECUTE IMMEDIATE 'CREATE GLOBAL TABLE dynamic AS SELECT k FROM source WHERE k > ?' USING 2

-- query
SELECT k FROM dynamic
-- result
3

-- statement
EXECUTE IMMEDIATE 'CREATE OR REPLACE GLOBAL TABLE dynamic AS
  COGROUP source WHERE k < ? BY k, t BY k AGGREGATE max(source.name) AS name HAVING name <> ?' USING 3, 'one'

-- query
SELECT name FROM dynamic
-- result
two

-- statement
EXECUTE IMMEDIATE 'DROP GLOBAL TABLE dynamic'

-- statement
CREATE GLOBAL TABLE grouped PRIMARY KEY (k) AS
COGROUP source BY k, t BY k AGGREGATE count(source.name) AS sources, count(t.name) AS tables
EMIT ON CHANGE

-- query
SELECT f.k, sources, tables FROM VALUES (1), (2) AS f(k) JOIN grouped AS g ON f.k = g.k
-- result
1	1	1
2	1	0

-- query
SHOW CREATE GLOBAL TABLE grouped
-- result ordered
CREATE GLOBAL TABLE default.grouped
PRIMARY KEY (k)
AS COGROUP source BY k, t BY k AGGREGATE count(source.name) AS sources, count(t.name) AS tables
EMIT ON CHANGE

-- statement
-- plain Spark's statements do with it what they do with any table or view
CREATE DATABASE other

-- statement
CREATE GLOBAL TABLE other.g AS SELECT 1 AS k

-- query
SELECT k FROM other.g
-- result
1

-- statement
DROP VIEW other.g

-- statement
DROP DATABASE other
