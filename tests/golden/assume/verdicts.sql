-- What a check may not conclude from what it has seen.
-- conf spark.sql.adaptive.enabled=true,false
-- conf spark.sql.autoBroadcastJoinThreshold=-1

-- statement
CREATE TABLE t (u INT, v INT) USING parquet

-- statement
INSERT INTO t SELECT /*+ COALESCE(1) */ * FROM VALUES (1, 5), (2, 1)

-- statement
INSERT INTO t SELECT /*+ COALESCE(1) */ * FROM VALUES (1, 1), (3, 1)

-- query
-- true of these rows, and not of the files
CHECK ASSUMPTION ON (SELECT * FROM t WHERE v > 4) PARTITIONED BY (u)
-- result

-- query equals
SELECT u, count(*) AS n FROM t ASSUME PARTITIONED BY (u) GROUP BY u
-- to
SELECT u, count(*) AS n FROM t GROUP BY u

-- statement
CREATE TABLE hours (u INT, day INT, hour INT) USING parquet PARTITIONED BY (day, hour)

-- statement
INSERT INTO hours VALUES (5, 1, 7), (5, 2, 7)

-- query equals
-- the key has the second partition column alone
SELECT k, count(*) AS n FROM (SELECT u * 100 + hour AS k FROM hours) AS s ASSUME PARTITIONED BY (k) GROUP BY k
-- to
SELECT u * 100 + hour AS k, count(*) AS n FROM hours GROUP BY k

-- statement
INSERT INTO t SELECT /*+ REPARTITION(3) */ INT(id), INT(id * 7919) FROM range(10, 5000)

-- query equals
-- a filter that leaves files out
SELECT u, count(*) AS n FROM (SELECT u FROM t WHERE _metadata.file_size < 2000) AS s ASSUME PARTITIONED BY (u) GROUP BY u
-- to
SELECT u, count(*) AS n FROM t WHERE _metadata.file_size < 2000 GROUP BY u

-- query equals
SELECT u, count(*) AS n FROM (SELECT u FROM t WHERE _metadata.file_size > 2000) AS s ASSUME PARTITIONED BY (u) GROUP BY u
-- to
SELECT u, count(*) AS n FROM t WHERE _metadata.file_size > 2000 GROUP BY u

-- statement
CREATE TABLE edges (src INT, dst INT, day INT) USING json PARTITIONED BY (day)

-- statement
INSERT INTO edges PARTITION (day = 1) SELECT /*+ REPARTITION(2, src) */ INT(id) AS src, INT((id * 7 + 3) % 20) FROM range(20)

-- statement
INSERT INTO edges PARTITION (day = 2) SELECT /*+ REPARTITION(2, dst) */ INT((id * 3 + 1) % 20), INT(id) AS dst FROM range(20)

-- query equals
SELECT a.src, b.src AS other
FROM (SELECT * FROM edges WHERE day = 1) AS a ASSUME PARTITIONED BY (src) LAYOUT g
JOIN (SELECT * FROM edges WHERE day = 2) AS b ASSUME PARTITIONED BY (dst) LAYOUT g ON a.src = b.dst
-- to
SELECT a.src, b.src AS other FROM (SELECT * FROM edges WHERE day = 1) AS a JOIN (SELECT * FROM edges WHERE day = 2) AS b ON a.src = b.dst

-- query error(EDDYLINE_ASSUME.LAYOUT_VIOLATED, 22000) since 4.2
-- the same files and keys, but each key in the other files
SELECT a.src, b.src AS other
FROM (SELECT * FROM edges WHERE day = 2) AS a ASSUME PARTITIONED BY (src) LAYOUT g
JOIN (SELECT * FROM edges WHERE day = 1) AS b ASSUME PARTITIONED BY (dst) LAYOUT g ON a.src = b.dst

-- query equals
-- the same relations, which never meet
SELECT count(*) AS n FROM (SELECT src FROM (SELECT * FROM edges WHERE day = 2) AS a ASSUME PARTITIONED BY (src) LAYOUT g GROUP BY src)
UNION ALL
SELECT count(*) AS n FROM (SELECT dst FROM (SELECT * FROM edges WHERE day = 1) AS b ASSUME PARTITIONED BY (dst) LAYOUT g GROUP BY dst)
-- to
SELECT count(DISTINCT src) AS n FROM edges WHERE day = 2 UNION ALL SELECT count(DISTINCT dst) FROM edges WHERE day = 1

-- statement
CACHE TABLE by_src AS
SELECT src, count(*) AS n FROM (SELECT * FROM edges WHERE day = 2) AS s ASSUME PARTITIONED BY (src) LAYOUT g GROUP BY src

-- statement
CACHE TABLE by_dst AS
SELECT dst, count(*) AS n FROM (SELECT * FROM edges WHERE day = 1) AS s ASSUME PARTITIONED BY (dst) LAYOUT g GROUP BY dst

-- query error(EDDYLINE_ASSUME.LAYOUT_VIOLATED, 22000) since 4.2
-- each is true by itself
SELECT src FROM by_src JOIN by_dst ON src = dst

-- statement
UNCACHE TABLE by_src

-- statement
UNCACHE TABLE by_dst

-- query
COGROUP (SELECT * FROM edges WHERE day = 98) AS a ASSUME PARTITIONED BY (src) LAYOUT g BY src,
        (SELECT * FROM edges WHERE day = 99) AS b ASSUME PARTITIONED BY (dst) LAYOUT g BY dst
AGGREGATE count(*) AS n
-- result

-- statement
-- y lies whole in the files, x does not
CREATE TABLE two USING parquet AS SELECT /*+ REPARTITION(3, y) */ id % 5 AS x, id % 20 AS y FROM range(100)

-- statement
CREATE VIEW claimed AS SELECT * FROM two ASSUME PARTITIONED BY (x)

-- query
-- asks of y alone, and not of what the view claims
CHECK ASSUMPTION ON claimed PARTITIONED BY (y)
-- result

-- query equals
SELECT x, count(*) AS n FROM two ASSUME PARTITIONED BY (x) GROUP BY x
-- to
SELECT x, count(*) AS n FROM two GROUP BY x

-- statement
CREATE TABLE parts USING parquet PARTITIONED BY (day) AS SELECT /*+ REPARTITION(2, u) */ id % 6 AS u, id % 2 + 1 AS day FROM range(60)

-- statement
INSERT INTO parts SELECT id, 2 FROM range(3)

-- query
CHECK ASSUMPTION ON (SELECT * FROM parts WHERE day = (SELECT min(day) FROM hours)) PARTITIONED BY (u)
-- result

-- query equals
-- the subquery left a day out
SELECT u, count(*) AS n FROM parts ASSUME PARTITIONED BY (u) GROUP BY u
-- to
SELECT u, count(*) AS n FROM parts GROUP BY u

-- statement
CREATE TABLE source USING parquet AS SELECT /*+ REPARTITION(3, y) */ x, y FROM two

-- statement
CACHE TABLE of_x AS SELECT x AS z FROM source

-- statement
-- its rows come from the files, not from what is cached
CHECK ASSUMPTION ON source PARTITIONED BY (x)

-- query equals
SELECT x, count(*) AS n FROM source ASSUME PARTITIONED BY (x) GROUP BY x
-- to
SELECT x, count(*) AS n FROM two GROUP BY x

-- statement
UNCACHE TABLE of_x

-- statement
CREATE TABLE buckets USING parquet CLUSTERED BY (b) INTO 4 BUCKETS AS
SELECT /*+ COALESCE(1) */ id % 5 AS k, id % 16 AS b, id AS v FROM range(400)

-- query equals
-- a filter on the column of the buckets leaves files out of the scan
SELECT k, count(*) AS n FROM buckets ASSUME PARTITIONED BY (k) WHERE b = 3 GROUP BY k
-- to
SELECT k, count(*) AS n FROM buckets WHERE b = 3 GROUP BY k

-- query equals
SELECT k, count(*) AS n FROM buckets ASSUME PARTITIONED BY (k) GROUP BY k
-- to
SELECT k, count(*) AS n FROM buckets GROUP BY k
