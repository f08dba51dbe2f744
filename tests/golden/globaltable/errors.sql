-- Every named error of a statement, at its place in the text as typed.

-- statement
CREATE TABLE plain (k INT, name STRING) USING parquet

-- statement
INSERT INTO plain VALUES (1, 'a'), (1, 'b'), (2, 'c')

-- statement
CREATE VIEW v AS SELECT 1 AS k

-- query error(EDDYLINE_GLOBAL_TABLE.READS_STREAM, 0A000)
  CREATE GLOBAL TABLE streamed PRIMARY KEY (k) AS SELECT k, name FROM STREAM plain
--                    ^^^^^^^^

-- query error(TABLE_OR_VIEW_NOT_FOUND, 42P01)
-- nothing is left of it
  SELECT * FROM streamed
--              ^^^^^^^^

-- query error(EDDYLINE_GLOBAL_TABLE.NOT_GLOBAL, 42809)
  DROP GLOBAL TABLE plain
--                  ^^^^^

-- query error(EDDYLINE_GLOBAL_TABLE.NOT_GLOBAL, 42809)
  DROP GLOBAL TABLE IF EXISTS default.v
--                            ^^^^^^^^^

-- query error(EDDYLINE_GLOBAL_TABLE.NOT_GLOBAL, 42809)
  REFRESH GLOBAL TABLE plain
--                     ^^^^^

-- query error(EDDYLINE_GLOBAL_TABLE.NOT_GLOBAL, 42809)
  CREATE OR REPLACE GLOBAL TABLE v AS SELECT 2 AS k
--                               ^

-- query error(EDDYLINE_GLOBAL_TABLE.NOT_GLOBAL, 42809)
  CREATE GLOBAL TABLE IF NOT EXISTS plain (k INT) USING parquet
--                                  ^^^^^

-- query error(EDDYLINE_GLOBAL_TABLE.NOT_FOUND, 42P01)
  DESCRIBE GLOBAL TABLE nowhere
--                      ^^^^^^^

-- query error(EDDYLINE_GLOBAL_TABLE.NOT_FOUND, 42P01)
  SHOW CREATE GLOBAL TABLE default.nowhere
--                         ^^^^^^^^^^^^^^^

-- query error(EDDYLINE_GLOBAL_TABLE.NOT_FOUND, 42P01)
  ALTER GLOBAL TABLE nowhere SET REFRESH MANUAL
--                   ^^^^^^^

-- query error(TABLE_OR_VIEW_ALREADY_EXISTS, 42P07)
  CREATE GLOBAL TABLE v AS SELECT 2 AS k

-- query error(TABLE_OR_VIEW_ALREADY_EXISTS, 42P07)
  CREATE GLOBAL TABLE plain (k INT) USING parquet

-- query error(TABLE_OR_VIEW_NOT_FOUND, 42P01)
  CREATE GLOBAL TABLE g AS SELECT k FROM nowhere
--                                       ^^^^^^^

-- query error(UNRESOLVED_COLUMN.WITH_SUGGESTION, 42703)
  CREATE GLOBAL TABLE g AS SELECT key FROM plain
--                                ^^^

-- query error(EDDYLINE_GLOBAL_TABLE.UNRESOLVED_COLUMN, 42703)
  CREATE GLOBAL TABLE g PRIMARY KEY (id) AS SELECT k FROM plain
--                                   ^^

-- query error(EDDYLINE_GLOBAL_TABLE.UNRESOLVED_COLUMN, 42703)
  CREATE GLOBAL TABLE g (k INT) USING parquet PRIMARY KEY (id)
--                                                         ^^

-- query error(EDDYLINE_GLOBAL_TABLE.DUPLICATE_PRIMARY_KEY, 42601)
  CREATE GLOBAL TABLE g (k INT, PRIMARY KEY (k)) USING parquet PRIMARY KEY (k)

-- query error(EDDYLINE_GLOBAL_TABLE.KEY_MISSING, 42601)
  CREATE GLOBAL TABLE g ON DUPLICATE KEY LATEST BY name AS SELECT k, name FROM plain
--                                                 ^^^^

-- query error(EDDYLINE_GLOBAL_TABLE.INVALID_LATEST_BY, 42703)
  CREATE GLOBAL TABLE g PRIMARY KEY (k) ON DUPLICATE KEY LATEST BY ts AS SELECT k FROM plain
--                                                                 ^^

-- query error(EDDYLINE_GLOBAL_TABLE.DUPLICATE_KEY, 23505)
  CREATE GLOBAL TABLE g PRIMARY KEY (k) AS SELECT k FROM plain
--                    ^

-- query error(EDDYLINE_GLOBAL_TABLE.TOO_LARGE, 54000)
  CREATE GLOBAL TABLE g MAX ROWS 2 AS SELECT k FROM plain
--                    ^

-- query error(EDDYLINE_GLOBAL_TABLE.TOO_LARGE, 54000)
  CREATE GLOBAL TABLE g PRIMARY KEY (k) MAX BYTES 10 AS SELECT DISTINCT k FROM plain

-- query error(EDDYLINE_GLOBAL_TABLE.INVALID_INTERVAL, 22023)
  CREATE GLOBAL TABLE g REFRESH EVERY 1 MONTH AS SELECT k FROM plain
--                                    ^^^^^^^

-- query error(EDDYLINE_GLOBAL_TABLE.INVALID_INTERVAL, 22023)
  CREATE GLOBAL TABLE g MAX STALENESS '-1 seconds' AS SELECT k FROM plain
--                                    ^^^^^^^^^^^^

-- query error(EDDYLINE_GLOBAL_TABLE.INVALID_SIZE, 22023)
  CREATE GLOBAL TABLE g MAX BYTES 5 QB AS SELECT k FROM plain
--                                ^

-- query error(EDDYLINE_GLOBAL_TABLE.DUPLICATE_LOCATION, 42601)
  CREATE GLOBAL TABLE g (k INT) USING parquet OPTIONS (path '/a') LOCATION '/b'

-- query error(EDDYLINE_GLOBAL_TABLE.TOPIC_OPTION, 22023)
  CREATE GLOBAL TABLE g (k INT, v STRING, PRIMARY KEY (k)) USING kafka OPTIONS (subscribe 't')
--                    ^

-- query error(EDDYLINE_GLOBAL_TABLE.TOPIC_OPTION, 22023)
  CREATE GLOBAL TABLE g (k INT, v STRING, PRIMARY KEY (k)) USING kafka OPTIONS (kafka.bootstrap.servers 'h:1', subscribe ' ')
--                    ^

-- query error(EDDYLINE_GLOBAL_TABLE.TOPIC_OPTION, 22023)
  CREATE GLOBAL TABLE g (k INT, v STRING, PRIMARY KEY (k)) USING kafka OPTIONS (kafka.bootstrap.servers 'h:1', subscribe 't,u')
--                    ^

-- query error(EDDYLINE_GLOBAL_TABLE.TOPIC_OPTION, 22023)
  CREATE GLOBAL TABLE g (k INT, v STRING, PRIMARY KEY (k)) USING kafka OPTIONS (kafka.bootstrap.servers 'h:1', subscribe 't', startingOffsets 'latest')
--                    ^

-- query error(EDDYLINE_GLOBAL_TABLE.TOPIC_OPTION, 22023)
  CREATE GLOBAL TABLE g (k INT, v STRING, PRIMARY KEY (k)) USING kafka OPTIONS (kafka.bootstrap.servers 'h:1', subscribe 't', value.format 'xml')
--                    ^

-- query error(EDDYLINE_GLOBAL_TABLE.TOPIC_OPTION, 22023)
  CREATE GLOBAL TABLE g (k INT, v STRING, PRIMARY KEY (k)) USING kafka OPTIONS (kafka.bootstrap.servers 'h:1', subscribe 't', value.format 'avro')
--                    ^

-- query error(EDDYLINE_GLOBAL_TABLE.TOPIC_OPTION, 22023)
  CREATE GLOBAL TABLE g (k INT, v STRING, PRIMARY KEY (k)) USING kafka OPTIONS (kafka.bootstrap.servers 'h:1', subscribe 't', value.avroSchema '"string"')
--                    ^

-- query error(EDDYLINE_GLOBAL_TABLE.TOPIC_SCHEMA, 22023)
  CREATE GLOBAL TABLE g (k INT, v STRING, PRIMARY KEY (k)) USING kafka OPTIONS (kafka.bootstrap.servers 'h:1', subscribe 't', value.format 'avro', value.avroSchema '["nothing"]')
--                    ^

-- query error(EDDYLINE_GLOBAL_TABLE.TOPIC_SCHEMA, 22023)
  CREATE GLOBAL TABLE g (k INT, v STRING, PRIMARY KEY (k)) USING kafka OPTIONS (kafka.bootstrap.servers 'h:1', subscribe 't', value.format 'avro', value.avroSchema '"int"')
--                    ^

-- query error(EDDYLINE_GLOBAL_TABLE.TOPIC_SCHEMA, 22023)
  CREATE GLOBAL TABLE g (k INT, v STRING, PRIMARY KEY (k)) USING kafka OPTIONS (kafka.bootstrap.servers 'h:1', subscribe 't', value.format 'avro', value.avroSchema '{"type": "record", "name": "r", "fields": [{"name": "w", "type": "string"}]}')
--                    ^

-- query error(EDDYLINE_GLOBAL_TABLE.TOPIC_SCHEMA, 22023)
  CREATE GLOBAL TABLE g (k INT, v STRING, PRIMARY KEY (k)) USING kafka OPTIONS (kafka.bootstrap.servers 'h:1', subscribe 't', value.format 'avro', value.avroSchema '{"type": "record", "name": "r", "fields": [{"name": "v", "type": "long"}]}')
--                    ^

-- query error(EDDYLINE_GLOBAL_TABLE.TOPIC_OPTION, 22023)
  CREATE GLOBAL TABLE g (k INT, v STRING, PRIMARY KEY (k)) USING kafka OPTIONS (kafka.bootstrap.servers 'h:1', subscribe 't', mode 'LENIENT')
--                    ^

-- query error(EDDYLINE_GLOBAL_TABLE.TOPIC_OPTION, 22023)
  CREATE GLOBAL TABLE g (k INT, v STRING, PRIMARY KEY (k)) USING kafka OPTIONS (kafka.bootstrap.servers 'h:1', subscribe 't', delete.retention.ms '1 day')
--                    ^

-- query error(EDDYLINE_GLOBAL_TABLE.TOPIC_KEY_MISSING, 42601)
  CREATE GLOBAL TABLE g (k INT, v STRING) USING kafka OPTIONS (kafka.bootstrap.servers 'h:1', subscribe 't')
--                    ^

-- query error(EDDYLINE_GLOBAL_TABLE.TOPIC_KEY_TYPE, 42K09)
  CREATE GLOBAL TABLE g (k MAP<STRING, INT>, v STRING, PRIMARY KEY (k)) USING kafka OPTIONS (kafka.bootstrap.servers 'h:1', subscribe 't', key.format 'json')
--                    ^

-- query error(EDDYLINE_GLOBAL_TABLE.TOPIC_COLUMNS, 42K09)
  CREATE GLOBAL TABLE g (k INT, PRIMARY KEY (k)) USING kafka OPTIONS (kafka.bootstrap.servers 'h:1', subscribe 't')
--                    ^

-- query error(EDDYLINE_GLOBAL_TABLE.TOPIC_COLUMNS, 42K09)
  CREATE GLOBAL TABLE g (k INT, l INT, v INT, PRIMARY KEY (k, l)) USING kafka OPTIONS (kafka.bootstrap.servers 'h:1', subscribe 't')
--                    ^

-- query error(EDDYLINE_GLOBAL_TABLE.TOPIC_COLUMNS, 42K09)
  CREATE GLOBAL TABLE g (k INT, v INT, w INT, PRIMARY KEY (k)) USING kafka OPTIONS (kafka.bootstrap.servers 'h:1', subscribe 't', value.format 'string')
--                    ^

-- query error(EDDYLINE_GLOBAL_TABLE.TOPIC_CLAUSE, 42601)
  CREATE GLOBAL TABLE g (k INT, v STRING, PRIMARY KEY (k)) USING kafka OPTIONS (kafka.bootstrap.servers 'h:1', subscribe 't') ON DUPLICATE KEY LATEST BY v
--                    ^

-- query error(EDDYLINE_GLOBAL_TABLE.TOPIC_CLAUSE, 42601)
  CREATE GLOBAL TABLE g (k INT, v STRING, PRIMARY KEY (k)) USING kafka OPTIONS (kafka.bootstrap.servers 'h:1', subscribe 't') PARTITIONED BY (v)
--                    ^

-- query error(EDDYLINE_GLOBAL_TABLE.TOPIC_CLAUSE, 42601)
  CREATE GLOBAL TABLE g (k INT, v STRING, PRIMARY KEY (k)) USING kafka OPTIONS (kafka.bootstrap.servers 'h:1', subscribe 't') LOCATION '/t'
--                    ^

-- query error(EDDYLINE_GLOBAL_TABLE.INVALID_NAME, 42601)
  CREATE GLOBAL TABLE IDENTIFIER(concat('a', 'b')) AS SELECT 1

-- query
-- nothing of them stays
SHOW GLOBAL TABLES
-- result

-- query
SHOW TABLES
-- result
default	plain	false
default	v	false

-- statement
-- a change that cannot be loaded is taken back
CREATE GLOBAL TABLE g PRIMARY KEY (k) ON DUPLICATE KEY LATEST BY name AS SELECT k, name FROM plain

-- query error(EDDYLINE_GLOBAL_TABLE.DUPLICATE_KEY, 23505)
  ALTER GLOBAL TABLE g SET ON DUPLICATE KEY FAIL
--                   ^

-- query error(EDDYLINE_GLOBAL_TABLE.TOO_LARGE, 54000)
  CREATE OR REPLACE GLOBAL TABLE g MAX ROWS 1 AS SELECT k FROM plain

-- query
SELECT * FROM g
-- result
1	b
2	c

-- query
SHOW CREATE GLOBAL TABLE g
-- result ordered
CREATE GLOBAL TABLE default.g
PRIMARY KEY (k)
ON DUPLICATE KEY LATEST BY name
AS SELECT k, name FROM plain

-- statement
-- properties set by hand
ALTER VIEW g SET TBLPROPERTIES ('eddyline.global.maxRows' = 'many')

-- query error(EDDYLINE_GLOBAL_TABLE.INVALID_PROPERTY, 22023)
  REFRESH GLOBAL TABLE g
--                     ^

-- statement
SHOW GLOBAL TABLES

-- query error(EDDYLINE_GLOBAL_TABLE.INVALID_PROPERTY, 22023)
  CREATE GLOBAL TABLE h TBLPROPERTIES ('eddyline.global.maxRows' = '5') AS SELECT 1 AS k

-- statement
ALTER VIEW g SET TBLPROPERTIES ('eddyline.global.maxRows' = '7')

-- statement
CREATE GLOBAL TABLE files (k INT) USING parquet

-- query error(EDDYLINE_GLOBAL_TABLE.HIDDEN_COLUMN, 0A000)
SELECT _metadata.file_path FROM files

-- a statement is no query

-- query error(UNRESOLVABLE_TABLE_VALUED_FUNCTION, 42883)
SELECT * FROM (SELECT * FROM __eddyline_global_table(action => 'show'))

-- query error(EDDYLINE_PLACEHOLDER, 42601)
SELECT * FROM __eddyline_create_global_table(name => TABLE(h), or_replace => true, if_not_exists => true, text => X'53454c454354203120', query => TABLE(SELECT 1))

-- query error(EDDYLINE_GLOBAL_TABLE.TOO_LARGE, 54000)
  ALTER GLOBAL TABLE g SET MAX ROWS 1
--                   ^

-- statement
-- what chooses no rows can be changed while the source is gone
DROP TABLE plain

-- statement
ALTER GLOBAL TABLE g SET MAX STALENESS 1 DAY

-- query error(TABLE_OR_VIEW_NOT_FOUND, 42P01)
REFRESH GLOBAL TABLE g
