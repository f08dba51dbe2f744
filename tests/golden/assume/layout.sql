-- Relations of one layout are put together by the numbers of their units, without a shuffle.
-- conf spark.sql.adaptive.enabled=true,false
-- conf spark.sql.files.maxPartitionBytes=3000
-- conf spark.sql.autoBroadcastJoinThreshold=-1

-- statement
CREATE TABLE plain USING parquet AS
SELECT nullif(id % 50, 7) AS k, id % 3 AS item, id AS v, concat('u', id % 50) AS name FROM range(1000)

-- statement
CREATE TABLE users USING parquet AS SELECT /*+ REPARTITION(6, k) */ k, item, v, CAST(k AS INT) AS i FROM plain

-- statement
-- written later, in another format
CREATE TABLE carts USING json AS SELECT /*+ REPARTITION(6, k) */ k AS user, item, v AS cart FROM plain WHERE v % 2 = 0

-- statement
-- few keys: most units have no file
CREATE TABLE few USING parquet AS SELECT /*+ REPARTITION(6, k) */ k, v FROM plain WHERE k IN (1, 30)

-- statement
CREATE TABLE others USING parquet AS SELECT /*+ REPARTITION(6, k) */ k, v FROM plain WHERE k IN (2, 30) OR k IS NULL

-- statement
-- whole keys in each file, by another function
CREATE TABLE ranged USING parquet AS SELECT /*+ REPARTITION_BY_RANGE(6, k) */ k, v FROM plain

-- statement
CREATE TABLE days USING parquet PARTITIONED BY (item) AS SELECT /*+ REPARTITION(4, k) */ k, v, item FROM plain

-- statement
CREATE TABLE pairs USING parquet AS SELECT /*+ REPARTITION(5, item, k) */ k, v, item FROM plain

-- query equals
SELECT k, count(*) AS n FROM users ASSUME PARTITIONED BY (k) LAYOUT shop GROUP BY k
-- to
SELECT k, count(*) AS n FROM plain GROUP BY k

-- query equals
SELECT u.k, count(*) AS n, sum(c.cart) AS s
FROM users u ASSUME PARTITIONED BY (k) LAYOUT shop JOIN carts c ASSUME PARTITIONED BY (user) LAYOUT shop ON u.k = c.user
GROUP BY u.k
-- to
SELECT u.k, count(*) AS n, sum(c.v) AS s FROM plain u JOIN plain c ON u.k = c.k AND c.v % 2 = 0 GROUP BY u.k

-- query equals
SELECT f.k, o.k AS j, f.v, o.v AS w
FROM few f ASSUME PARTITIONED BY (k) LAYOUT shop LEFT JOIN others o ASSUME PARTITIONED BY (k) LAYOUT shop ON f.k = o.k
-- to
SELECT f.k, o.k AS j, f.v, o.v AS w FROM (SELECT * FROM plain WHERE k IN (1, 30)) f
LEFT JOIN (SELECT * FROM plain WHERE k IN (2, 30) OR k IS NULL) o ON f.k = o.k

-- query equals
SELECT f.k, o.k AS j, f.v, o.v AS w
FROM few f ASSUME PARTITIONED BY (k) LAYOUT shop RIGHT JOIN others o ASSUME PARTITIONED BY (k) LAYOUT shop ON f.k = o.k
-- to
SELECT f.k, o.k AS j, f.v, o.v AS w FROM (SELECT * FROM plain WHERE k IN (1, 30)) f
RIGHT JOIN (SELECT * FROM plain WHERE k IN (2, 30) OR k IS NULL) o ON f.k = o.k

-- query equals
SELECT f.k, o.k AS j, f.v, o.v AS w
FROM few f ASSUME PARTITIONED BY (k) LAYOUT shop INTO 6 PARTITIONS
FULL JOIN others o ASSUME PARTITIONED BY (k) LAYOUT SHOP INTO 6 PARTITIONS ON f.k = o.k
-- to
SELECT f.k, o.k AS j, f.v, o.v AS w FROM (SELECT * FROM plain WHERE k IN (1, 30)) f
FULL JOIN (SELECT * FROM plain WHERE k IN (2, 30) OR k IS NULL) o ON f.k = o.k

-- query equals
SELECT a.k, count(*) AS n FROM users a ASSUME PARTITIONED BY (k) LAYOUT shop
JOIN users b ASSUME PARTITIONED BY (k) LAYOUT shop ON a.k = b.k AND a.v < b.v GROUP BY a.k
-- to
SELECT a.k, count(*) AS n FROM plain a JOIN plain b ON a.k = b.k AND a.v < b.v GROUP BY a.k

-- query equals
SELECT k, v FROM users ASSUME PARTITIONED BY (k) LAYOUT shop
WHERE EXISTS (SELECT 1 FROM carts ASSUME PARTITIONED BY (user) LAYOUT shop WHERE user = k AND cart > 900)
  AND NOT EXISTS (SELECT 1 FROM few f ASSUME PARTITIONED BY (k) LAYOUT shop WHERE f.k = users.k)
-- to
SELECT k, v FROM plain WHERE k IN (SELECT k FROM plain WHERE v % 2 = 0 AND v > 900) AND k NOT IN (1, 30)

-- query equals
-- an empty side
SELECT u.k, f.v FROM users u ASSUME PARTITIONED BY (k) LAYOUT shop
LEFT JOIN (SELECT * FROM days WHERE item = 17) f ASSUME PARTITIONED BY (k) LAYOUT shop ON u.k = f.k WHERE u.v < 60
-- to
SELECT k, CAST(NULL AS BIGINT) AS v FROM plain WHERE v < 60

-- query equals
COGROUP users ASSUME PARTITIONED BY (k) LAYOUT shop BY k,
        carts ASSUME PARTITIONED BY (user) LAYOUT shop WHERE cart > 30 BY user,
        few ASSUME PARTITIONED BY (k) LAYOUT shop BY k
AGGREGATE count(users.v) AS n, sum(carts.cart) AS s, count(few.*) AS m
-- to
COGROUP plain BY k, (SELECT * FROM plain WHERE v % 2 = 0) AS c WHERE v > 30 BY k, (SELECT * FROM plain WHERE k IN (1, 30)) AS f BY k
AGGREGATE count(plain.v) AS n, sum(c.v) AS s, count(f.*) AS m

-- query equals
-- two keys
SELECT a.item, a.k, count(*) AS n, max(b.v) AS v
FROM pairs a ASSUME PARTITIONED BY (item, k) LAYOUT both JOIN pairs b ASSUME PARTITIONED BY (item, k) LAYOUT both
  ON a.item = b.item AND a.k = b.k GROUP BY a.item, a.k
-- to
SELECT a.item, a.k, count(*) AS n, max(b.v) AS v FROM plain a JOIN plain b ON a.item = b.item AND a.k = b.k GROUP BY a.item, a.k

-- query equals
-- crosswise, and by one key of two
SELECT a.item, a.k, count(*) AS n
FROM pairs a ASSUME PARTITIONED BY (item, k) LAYOUT both JOIN pairs b ASSUME PARTITIONED BY (item, k) LAYOUT both
  ON a.item = b.k AND a.k = b.item GROUP BY a.item, a.k
-- to
SELECT a.item, a.k, count(*) AS n FROM plain a JOIN plain b ON a.item = b.k AND a.k = b.item GROUP BY a.item, a.k

-- query equals
SELECT a.item, count(*) AS n
FROM pairs a ASSUME PARTITIONED BY (item, k) LAYOUT both JOIN pairs b ASSUME PARTITIONED BY (item, k) LAYOUT both
  ON a.k = b.k GROUP BY a.item
-- to
SELECT a.item, count(*) AS n FROM plain a JOIN plain b ON a.k = b.k GROUP BY a.item

-- query equals
SELECT a.k, count(*) AS n
FROM pairs a ASSUME PARTITIONED BY (item, k) LAYOUT both JOIN pairs b ASSUME PARTITIONED BY (item, k) LAYOUT both
  ON a.k = b.k GROUP BY a.k
-- to
SELECT a.k, count(*) AS n FROM plain a JOIN plain b ON a.k = b.k GROUP BY a.k

-- query equals
SELECT k, count(*) AS n FROM (SELECT k FROM pairs ASSUME PARTITIONED BY (item, k) LAYOUT both) GROUP BY k
-- to
SELECT k, count(*) AS n FROM plain GROUP BY k

-- query equals
-- values of partition columns are units by themselves
SELECT a.item, count(*) AS n FROM days a ASSUME PARTITIONED BY (item) LAYOUT item JOIN days b ASSUME PARTITIONED BY (item) LAYOUT item
  ON a.item = b.item AND a.v < 60 GROUP BY a.item
-- to
SELECT a.item, count(*) AS n FROM plain a JOIN plain b ON a.item = b.item AND a.v < 60 GROUP BY a.item

-- query equals
-- the part number tells the unit, in all folders
SELECT d.k, count(*) AS n FROM days d ASSUME PARTITIONED BY (k) LAYOUT four JOIN days e ASSUME PARTITIONED BY (k) LAYOUT four ON d.k = e.k
GROUP BY d.k
-- to
SELECT d.k, count(*) AS n FROM plain d JOIN plain e ON d.k = e.k GROUP BY d.k

-- query equals
-- a key of another type is not put together with the others
SELECT a.k, count(*) AS n FROM users a ASSUME PARTITIONED BY (k) LAYOUT shop JOIN users b ASSUME PARTITIONED BY (i) LAYOUT shop ON a.k = b.i
GROUP BY a.k
-- to
SELECT a.k, count(*) AS n FROM plain a JOIN plain b ON a.k = b.k GROUP BY a.k

-- query equals
-- by hash, with a name
SELECT u.k, count(*) AS n FROM users u ASSUME PARTITIONED BY (k) LAYOUT shop INTO 6 PARTITIONS USING HASH SPARK
JOIN ranged r ASSUME PARTITIONED BY (k) LAYOUT shop INTO 6 PARTITIONS USING HASH SPARK ON u.k = r.k GROUP BY u.k
-- to
SELECT u.k, count(*) AS n FROM plain u JOIN plain r ON u.k = r.k GROUP BY u.k

-- query error(EDDYLINE_ASSUME.LAYOUT_VIOLATED, 22000) since 4.2
-- each is true by itself
  SELECT u.k FROM users u ASSUME PARTITIONED BY (k) LAYOUT shop JOIN ranged r ASSUME PARTITIONED BY (k) LAYOUT shop ON u.k = r.k
--                        ^^^^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_ASSUME.LAYOUT_VIOLATED, 22000) since 4.3
  COGROUP ranged ASSUME PARTITIONED BY (k) LAYOUT shop BY k, few AS f ASSUME PARTITIONED BY (k) LAYOUT shop BY k AGGREGATE count(*)
--               ^^^^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_ASSUME.LAYOUT_VIOLATED, 22000)
  SELECT v, count(*) FROM users ASSUME PARTITIONED BY (v % 7) LAYOUT shop GROUP BY v, v % 7
--                              ^^^^^^^^^^^^^^^^^^^^^

-- query since 4.2
-- what trust gives
SELECT count(*) < 19600 AS wrong FROM users u ASSUME PARTITIONED BY (k) LAYOUT shop NOT ENFORCED
JOIN ranged r ASSUME PARTITIONED BY (k) LAYOUT shop NOT ENFORCED ON u.k = r.k
-- result
true

-- statement
-- appended from partitions of the same keys
INSERT INTO users SELECT /*+ REPARTITION(6, k) */ k, item, v, CAST(k AS INT) AS i FROM plain

-- query equals
SELECT u.k, count(*) AS n FROM users u ASSUME PARTITIONED BY (k) LAYOUT shop
JOIN carts c ASSUME PARTITIONED BY (user) LAYOUT shop ON u.k = c.user GROUP BY u.k
-- to
SELECT u.k, 2 * count(*) AS n FROM plain u JOIN plain c ON u.k = c.k AND c.v % 2 = 0 GROUP BY u.k

-- statement
CACHE TABLE remembered AS SELECT k, count(*) AS n FROM users ASSUME PARTITIONED BY (k) LAYOUT shop GROUP BY k

-- query equals
SELECT m.k, m.n, c.cart FROM remembered m JOIN carts c ASSUME PARTITIONED BY (user) LAYOUT shop ON m.k = c.user WHERE c.cart < 60
-- to
SELECT k, 40L AS n, v AS cart FROM plain WHERE v % 2 = 0 AND v < 60 AND k IS NOT NULL

-- query error(EDDYLINE_ASSUME.LAYOUT_VIOLATED, 22000) since 4.2
-- a cached relation keeps its layout, and is checked with the others
  SELECT m.k FROM remembered m JOIN ranged r ASSUME PARTITIONED BY (k) LAYOUT shop ON m.k = r.k
--                                           ^^^^^^^^^^^^^^^^^^^^^

-- statement
UNCACHE TABLE remembered

-- statement
-- Spark would compute the function of a layout
SET spark.sql.sources.v2.bucketing.shuffle.enabled = true

-- query equals
SELECT u.k, count(*) AS n FROM users u ASSUME PARTITIONED BY (k) LAYOUT shop JOIN plain c ON u.k = c.k GROUP BY u.k
-- to
SELECT u.k, 2 * count(*) AS n FROM plain u JOIN plain c ON u.k = c.k GROUP BY u.k

-- query equals
SELECT f.k, count(*) AS n FROM few f ASSUME PARTITIONED BY (k) LAYOUT shop JOIN others o ASSUME PARTITIONED BY (k) LAYOUT shop
ON f.k = o.k GROUP BY f.k
-- to
SELECT k, 400L AS n FROM plain WHERE k = 30 GROUP BY k

-- statement
SET spark.sql.sources.v2.bucketing.shuffle.enabled = false

-- statement
SET spark.sql.sources.v2.bucketing.allowKeysSubsetOfPartitionKeys.enabled = true

-- query equals
-- Spark would take one key of a layout for all
SELECT item, count(*) AS n FROM pairs ASSUME PARTITIONED BY (item, k) LAYOUT both GROUP BY item
-- to
SELECT item, count(*) AS n FROM plain GROUP BY item

-- statement
SET spark.sql.sources.v2.bucketing.partiallyClusteredDistribution.enabled = true

-- statement
SET spark.sql.sources.v2.bucketing.partition.filter.enabled = true

-- query equals
SELECT f.k, o.k AS j, f.v, o.v AS w
FROM few f ASSUME PARTITIONED BY (k) LAYOUT shop LEFT JOIN others o ASSUME PARTITIONED BY (k) LAYOUT shop ON f.k = o.k
-- to
SELECT f.k, o.k AS j, f.v, o.v AS w FROM (SELECT * FROM plain WHERE k IN (1, 30)) f
LEFT JOIN (SELECT * FROM plain WHERE k IN (2, 30) OR k IS NULL) o ON f.k = o.k

-- statement
SET spark.eddyline.assume.check.maxKeys = 3

-- query error(EDDYLINE_ASSUME.LAYOUT_NOT_PROVEN, 22000)
  SELECT v, count(*) FROM few ASSUME PARTITIONED BY (v) LAYOUT odd GROUP BY v
--                            ^^^^^^^^^^^^^^^^^^^^^
