DROP TABLE IF EXISTS sales;
DROP TABLE IF EXISTS days;
CREATE TABLE sales (user_id BIGINT, item INT, st STRUCT<x: INT, y: STRING>, dt INT) USING parquet PARTITIONED BY (dt);
INSERT INTO sales VALUES (1, 2, NULL, 1), (2, 3, NULL, 2), (1, 2, NULL, 3);
CREATE TABLE days (day INT, name STRING) USING parquet;
INSERT INTO days VALUES (1, 'mon'), (2, 'tue');
