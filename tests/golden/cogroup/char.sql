-- CHAR and VARCHAR: keys are compared as Spark compares columns.
-- conf spark.sql.readSideCharPadding=true,false
-- conf spark.eddyline.cogroup.preaggregate=true,false

-- statement
CREATE TABLE takings (shop CHAR(3), kind CHAR(4), place STRUCT<x: CHAR(3), y: CHAR(3)>, codes ARRAY<CHAR(3)>,
  name VARCHAR(3)) USING parquet

-- statement
CREATE TABLE footfall (shop CHAR(5), kind CHAR(4), place STRUCT<x: CHAR(5), y: CHAR(5)>, codes ARRAY<CHAR(5)>,
  name VARCHAR(5)) USING parquet

-- statement
INSERT INTO takings VALUES ('AB', 'x', struct('p', 'q'), array('p', null), 'AB'), ('CD', 'y', null, null, 'CD'),
  (null, 'y', struct(null, 'q'), array('q'), null)

-- statement
INSERT INTO footfall VALUES ('AB', 'x', struct('p', 'q'), array('p', null), 'AB'), ('EF', 'x', null, null, 'EF  '),
  (null, 'y', struct(null, 'q'), array('r'), null)

-- query equals
-- CHAR of two lengths: the key has the longer one
COGROUP takings BY shop, footfall BY shop AGGREGATE count(takings.*) AS t, count(DISTINCT footfall.kind) AS f
-- to
SELECT rpad(coalesce(t.shop, f.shop), 5) AS shop, count(t.shop) AS t, count(f.shop) AS f
FROM takings AS t FULL OUTER JOIN footfall AS f ON t.shop = f.shop
WHERE t.shop IS NOT NULL OR f.shop IS NOT NULL GROUP BY 1

-- query equals
COGROUP footfall, takings USING (shop) AGGREGATE count(takings.*) AS t, count(footfall.*) AS f HAVING shop = 'AB'
-- to
SELECT rpad(shop, 5) AS shop, count(t.shop) AS t, count(f.shop) AS f
FROM takings AS t JOIN footfall AS f USING (shop) GROUP BY shop

-- query equals
-- a NULL of a STRUCT or an ARRAY is no key, though Spark pads a STRUCT to one of NULLs
COGROUP takings BY place, footfall BY place AGGREGATE count(takings.*) AS t, count(footfall.*) AS f
-- to
SELECT named_struct('x', rpad(coalesce(t.place, f.place).x, 5), 'y', rpad(coalesce(t.place, f.place).y, 5)) AS place,
  count(t.place) AS t, count(f.place) AS f
FROM takings AS t FULL OUTER JOIN footfall AS f ON t.place = f.place
WHERE t.place IS NOT NULL OR f.place IS NOT NULL GROUP BY 1

-- query equals
COGROUP takings BY codes, footfall BY codes AGGREGATE count(takings.*) AS t, count(footfall.*) AS f
-- to
SELECT transform(coalesce(t.codes, f.codes), c -> rpad(c, 5)) AS codes, count(t.codes) AS t, count(f.codes) AS f
FROM takings AS t FULL OUTER JOIN footfall AS f ON t.codes = f.codes
WHERE t.codes IS NOT NULL OR f.codes IS NOT NULL GROUP BY 1

-- query equals
-- Spark pads CHAR where it compares it with CHAR alone
COGROUP takings BY shop, footfall BY name AGGREGATE count(takings.*) AS t, count(footfall.*) AS f
-- to
SELECT coalesce(t.shop, f.name) AS shop, count(t.shop) AS t, count(f.name) AS f
FROM takings AS t FULL OUTER JOIN footfall AS f ON t.shop = f.name
WHERE t.shop IS NOT NULL OR f.name IS NOT NULL GROUP BY 1

-- query equals
COGROUP takings BY name, footfall BY name AGGREGATE count(takings.*) AS t, count(footfall.*) AS f
-- to
SELECT coalesce(t.name, f.name) AS name, count(t.name) AS t, count(f.name) AS f
FROM takings AS t FULL OUTER JOIN footfall AS f ON t.name = f.name
WHERE t.name IS NOT NULL OR f.name IS NOT NULL GROUP BY 1

-- query equals
-- in three branches, whatever their order
COGROUP takings BY name AS k, takings AS t BY shop, footfall AS f BY shop AGGREGATE count(t.*) AS t, count(f.*) AS f
-- to
COGROUP footfall AS f BY shop AS k, takings BY name, takings AS t BY shop AGGREGATE count(t.*) AS t, count(f.*) AS f

-- query equals
-- columns of each branch are compared with text as the branch's own
COGROUP takings BY shop, footfall BY shop
AGGREGATE count_if(takings.kind = 'x') AS t, count(footfall.*) FILTER (WHERE footfall.kind = 'x') AS f
-- to
SELECT rpad(coalesce(t.shop, f.shop), 5) AS shop, count_if(t.kind = 'x') AS t, count_if(f.kind = 'x') AS f
FROM takings AS t FULL OUTER JOIN footfall AS f ON t.shop = f.shop
WHERE t.shop IS NOT NULL OR f.shop IS NOT NULL GROUP BY 1

-- statement
-- the key of a table that is made so holds the keys of all branches
CREATE TABLE shops USING parquet AS
COGROUP takings BY shop, footfall BY shop, (VALUES ('ABCDEFG')) AS v(shop) BY shop AGGREGATE count(*) AS n

-- query
SELECT trim(shop) AS shop, n FROM shops
-- result
AB	2
ABCDEFG	1
CD	1
EF	1

-- statement
SET spark.sql.legacy.charVarcharAsString = true

-- query equals
COGROUP takings BY shop, footfall BY shop AGGREGATE count(takings.*) AS t, count(footfall.*) AS f
-- to
SELECT coalesce(t.shop, f.shop) AS shop, count(t.shop) AS t, count(f.shop) AS f
FROM takings AS t FULL OUTER JOIN footfall AS f ON t.shop = f.shop
WHERE t.shop IS NOT NULL OR f.shop IS NOT NULL GROUP BY 1
