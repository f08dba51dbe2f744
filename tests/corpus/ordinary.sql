-- Statements of stock Spark 4.3. Each must parse to Spark's own plan, without the sidecar.
-- A line of two dashes and a semicolon ends a statement.

-- Projections, filters, expressions
SELECT eddyline.rules, eddyline.emit FROM eddyline AS eddyline WHERE eddyline.rules > 1
--;
SELECT 1
--;
select boat, skipper from fleet
--;
SELECT * FROM fleet WHERE length_m >= 12 AND NOT retired;
--;
SELECT DISTINCT harbour, berth FROM moorings
--;
SELECT ALL harbour FROM moorings
--;
SELECT m.*, f.boat FROM moorings AS m, fleet f
--;
SELECT * EXCEPT (berth, m.note.draft) FROM moorings m
--;
SELECT struct(* EXCEPT (secret)) AS public_part FROM crew
--;
SELECT boat, length_m * 3.28084 AS feet, -draft, +draft, ~flags, flags & 7 | 8 ^ 1, weight % 10, weight DIV 4 FROM fleet
--;
SELECT flags << 2, flags >> 1, flags >>> 1 FROM fleet
--;
SELECT 'a' || 'b' || boat, "double quoted", 'it''s', 'tab\tnew\nline', r'raw\n', R"raw too" FROM fleet
--;
SELECT a = b, a == b, a <=> b, a <> b, a != b, a < b, a !< b, a <= b, a > b, a !> b, a >= b FROM pairs
--;
SELECT x IS NULL, x IS NOT NULL, x IS TRUE, x IS NOT FALSE, x IS UNKNOWN, x IS NOT UNKNOWN FROM flags
--;
SELECT a IS DISTINCT FROM b, a IS NOT DISTINCT FROM b FROM pairs
--;
SELECT * FROM fleet WHERE built BETWEEN 1990 AND 2005 OR draft NOT BETWEEN 1 AND 2
--;
SELECT * FROM fleet WHERE rig IN ('sloop', 'ketch', 'yawl') AND hull NOT IN (SELECT hull FROM recalls)
--;
SELECT * FROM tides WHERE (harbour, moon) IN (SELECT harbour, moon FROM springs)
--;
SELECT * FROM fleet WHERE boat LIKE 'Sea%' AND boat NOT LIKE '%\_old' AND boat LIKE '50!%' ESCAPE '!'
--;
SELECT * FROM fleet WHERE boat ILIKE 'sea%' AND boat RLIKE '^S.*[0-9]+$' AND boat REGEXP 'x' AND NOT boat RLIKE 'y'
--;
SELECT * FROM fleet WHERE boat LIKE ANY ('A%', 'B%') OR boat LIKE ALL ('%a%', '%e%') OR boat NOT LIKE SOME ('Z%', 'Y%')
--;
SELECT * FROM fleet WHERE boat ILIKE ANY ('a%', 'b%') AND boat NOT ILIKE ALL ('%q%', '%x%')
--;
SELECT * FROM harbours h WHERE EXISTS (SELECT 1 FROM moorings m WHERE m.harbour = h.id) AND NOT EXISTS (SELECT * FROM closures)
--;
SELECT (SELECT max(height) FROM tides) AS highest, (SELECT 1)
--;
SELECT CASE rig WHEN 'sloop' THEN 1 WHEN 'ketch' THEN 2 ELSE 0 END AS masts FROM fleet
--;
SELECT CASE WHEN draft < 1 THEN 'shoal' WHEN draft < 2.5 THEN 'medium' END depth_class FROM fleet
--;
SELECT if(draft > 2, 'deep', 'shoal'), coalesce(nick, boat, '?'), nullif(a, b), nvl2(a, b, c), iff FROM fleet
--;
SELECT CAST(x AS INT), CAST(y AS DECIMAL(12, 3)), CAST(z AS STRUCT<lat: DOUBLE, lon: DOUBLE>), TRY_CAST(w AS DATE), x::bigint, '12'::int + 1 FROM raw
--;
SELECT CAST(a AS ARRAY<MAP<STRING, INT>>), CAST(b AS VARCHAR(20)), CAST(c AS CHAR(3)), CAST(d AS TIMESTAMP_NTZ), CAST(e AS TIMESTAMP_LTZ), CAST(f AS BINARY), CAST(g AS VOID), CAST(h AS VARIANT) FROM raw
--;
SELECT CAST('10' AS INTERVAL DAY), CAST(x AS INTERVAL YEAR TO MONTH), CAST(y AS INTERVAL HOUR TO SECOND) FROM spans
--;
SELECT array(1, 2, 3)[0], map('k', 1)['k'], named_struct('a', 1).a, nested.path.to[2].leaf FROM deep
--;
SELECT transform(knots, k -> k * 1.852) AS kmh, filter(knots, k -> k > 5), exists(knots, k -> k IS NULL) FROM legs
--;
SELECT transform(knots, (k, i) -> k + i), zip_with(a, b, (x, y) -> x - y), map_filter(m, (k, v) -> v > 0 AND k LIKE 'p%') FROM legs
--;
SELECT reduce(knots, 0D, (acc, k) -> acc + k, acc -> acc / size(knots)) AS mean_knots FROM legs
--;
SELECT payload:engine.rpm, payload:['odd key'][0].value::int, payload:list[3] FROM telemetry
--;
SELECT extract(YEAR FROM sailed_on), extract(doy FROM sailed_on), date_part('week', sailed_on), EXTRACT(SECOND FROM INTERVAL '3' MINUTE) FROM trips
--;
SELECT substring(boat FROM 2 FOR 3), substr(boat, 2), substring(boat, 1, 4), position('a' IN boat), position('a', boat, 2) FROM fleet
--;
SELECT overlay(boat PLACING 'XX' FROM 3), overlay(boat PLACING 'XX' FROM 3 FOR 1), overlay(boat, 'Y', 1, 2) FROM fleet
--;
SELECT trim(boat), trim(BOTH FROM boat), trim(LEADING 'x' FROM boat), trim(TRAILING FROM boat), trim('z' FROM boat) FROM fleet
--;
SELECT current_date, current_timestamp, current_user, session_user, localtimestamp(), current_time, current_catalog()
--;
SELECT timestampadd(HOUR, 3, ts), dateadd(DAY, 1, d), date_add(MONTH, 2, d), timestampdiff(MINUTE, a, b), datediff(WEEK, a, b), date_diff(d1, d2) FROM trips
--;
SELECT first(x), first(x IGNORE NULLS), last(x), any_value(x IGNORE NULLS), first_value(x) FROM raw
--;
SELECT count(*), count(DISTINCT rig, hull), count(1), sum(ALL draft), avg(DISTINCT draft) FROM fleet
--;
SELECT count(*) FILTER (WHERE rig = 'sloop') AS sloops, sum(draft) FILTER (WHERE draft IS NOT NULL) FROM fleet
--;
SELECT percentile_cont(0.25) WITHIN GROUP (ORDER BY draft DESC), percentile_disc(0.5) WITHIN GROUP (ORDER BY length_m) FILTER (WHERE length_m > 0) FROM fleet
--;
SELECT listagg(boat, ', ') WITHIN GROUP (ORDER BY boat), string_agg(DISTINCT rig), mode() WITHIN GROUP (ORDER BY rig) FROM fleet
--;
SELECT my_catalog.tools.distance_nm(a.pos, b.pos) FROM a, b
--;
SELECT make_dist(lat => 54.3, lon => 10.1, unit => 'nm')
--;
SELECT IDENTIFIER('boat'), IDENTIFIER('f.' || 'rig'), IDENTIFIER('upper')(boat) FROM IDENTIFIER('fleet') AS f
--;
SELECT (1, 'two', 3.0) AS row_value, struct(1 AS one, 2 AS two), (boat) FROM fleet
--;
SELECT 1 AS a, a + 1 AS b, b * 2 AS c
--;
SELECT stack(2, 1, 'x', 2, 'y') AS (n, s)
--;
SELECT explode(map('a', 1, 'b', 2)) AS (letter, n)
--;
SELECT inline(array(struct(1, 'x'))) (n, s)
--;
SELECT NOT a OR b AND NOT c, ! d, a AND (b OR c) FROM bools
--;
SELECT boat COLLATE UNICODE_CI = 'ALBATROS', lower(boat COLLATE utf8_lcase), collation(boat) FROM fleet
--;
SELECT 'x' COLLATE system.builtin.UTF8_BINARY
--;
SELECT * FROM fleet ORDER BY boat COLLATE de_AI
--;

-- Literals
SELECT NULL, TRUE, false, 1Y, 2S, 3, 4L, 5.5, 6e3, 7.25BD, 8.5D, 9.5F, .5, 1., 0x, 1e-9BD
--;
SELECT X'1AFF', x'00', DATE '2026-03-01', TIMESTAMP '2026-03-01 08:00:00Z', TIMESTAMP_NTZ '2026-03-01 08:00', TIMESTAMP_LTZ '2026-03-01 08:00:00'
--;
SELECT TIME '12:30:15.5', time'08:00'
--;
SELECT INTERVAL 3 DAYS, INTERVAL '2' HOUR, INTERVAL '1-6' YEAR TO MONTH, INTERVAL '2 10:30:00.5' DAY TO SECOND, INTERVAL 1 YEAR 2 MONTHS, INTERVAL -'5' MINUTE
--;
SELECT INTERVAL '1 week 2 days', INTERVAL 2 WEEKS 3 MILLISECONDS 4 MICROSECONDS, - INTERVAL '1' SECOND, interval '90:05' minute to second
--;
SELECT 'adjacent ' 'strings ' "join", '\u00e9', 'percent\%', 'under\_score'
--;
SELECT '⛵ regatta', '👩‍✈️ pilot', 'Ærø', "日本" AS `⚓ anchor`, '𝛑' AS pi
--;
SELECT :harbour AS h, :depth + 1 FROM fleet WHERE id = :id LIMIT :n
--;
SELECT * FROM fleet WHERE rig = ? AND draft < ? LIMIT ?
--;
SELECT * FROM IDENTIFIER(:tab) WHERE IDENTIFIER(:col) = 4 ORDER BY IDENTIFIER(:col)
--;
SELECT 9223372036854775807, -9223372036854775808, 12345678901234567890.123BD, 1.0E+2, 3.D
--;

-- Comments
-- a line comment first
SELECT /* inside */ boat -- at the end
FROM /* nested /* deeper */ still */ fleet
--;
/* {"app": "dbt", "node_id": "model.regatta.entries"} */
SELECT 1 AS entry -- trailing, with a quote ' in it
--;
SELECT '-- no comment', "/* none */", `-- a name` FROM fleet /* the end */
--;
-- continued \
-- line
SELECT 2 -- last
--;
SELECT /**/ 3 /***/ + /*;*/ 4; -- a semicolon; in a comment
--;

-- Relations and joins
SELECT * FROM a JOIN b ON a.id = b.id
--;
SELECT * FROM a INNER JOIN b USING (id, port) LEFT JOIN c ON b.k = c.k RIGHT OUTER JOIN d USING (k)
--;
SELECT * FROM a FULL OUTER JOIN b ON a.x = b.x AND a.y > b.y
--;
SELECT * FROM a LEFT SEMI JOIN b ON a.id = b.id
--;
SELECT * FROM a SEMI JOIN b USING (id) ANTI JOIN c USING (id)
--;
SELECT * FROM a LEFT ANTI JOIN b ON a.id <=> b.id
--;
SELECT * FROM a CROSS JOIN b CROSS JOIN c
--;
SELECT * FROM a NATURAL JOIN b NATURAL LEFT JOIN c
--;
SELECT * FROM a JOIN b ON a.k = b.k AND b.v > (SELECT avg(v) FROM b) JOIN c ON b.k = c.k
--;
SELECT * FROM a JOIN (b JOIN c USING (k)) ON a.k = b.k
--;
SELECT * FROM (a CROSS JOIN b) AS ab WHERE ab.k > 1
--;
SELECT * FROM a, b, LATERAL (SELECT a.x + b.y AS s) AS l
--;
SELECT * FROM harbours h LEFT JOIN LATERAL (SELECT count(*) AS n FROM moorings m WHERE m.harbour = h.id) ON true
--;
SELECT * FROM legs, LATERAL explode(knots) AS k(knot)
--;
SELECT * FROM legs JOIN LATERAL posexplode(knots) p
--;
SELECT * FROM trades ASOF JOIN quotes MATCH_CONDITION (trades.ts >= quotes.ts) ON trades.sym = quotes.sym
--;
SELECT * FROM trades LEFT ASOF JOIN quotes MATCH_CONDITION (trades.ts > quotes.ts) USING (sym)
--;
SELECT * FROM boats b JOIN buoys y APPROX NEAREST 3 BY DISTANCE abs(b.pos - y.pos)
--;
SELECT * FROM boats b LEFT JOIN buoys y EXACT NEAREST BY SIMILARITY b.pos * y.pos
--;
SELECT * FROM fleet AS f (id, boat, rig) WHERE rig = 'yawl'
--;
SELECT * FROM (SELECT 1 AS one) one_row (uno)
--;
SELECT * FROM VALUES (1, 'a'), (2, 'b') AS v (n, s)
--;
SELECT * FROM (VALUES 1, 2, 3) numbers
--;
VALUES (1, DATE '2026-01-01'), (2, NULL)
--;
VALUES 1, 2, 3 ORDER BY 1 DESC LIMIT 2
--;
TABLE fleet
--;
TABLE regatta.main.entries ORDER BY boat
--;
SELECT * FROM range(10), range(0, 100, 5) AS r(i), range(start => 1, end => 4)
--;
SELECT * FROM legs LATERAL VIEW explode(knots) k AS knot LATERAL VIEW OUTER posexplode(stops) s AS pos, stop
--;
SELECT * FROM legs LATERAL VIEW json_tuple(doc, 'a', 'b') j
--;
SELECT * FROM catches PIVOT (sum(kg) FOR species IN ('cod', 'hake' AS hake, 'sole' sole_kg))
--;
SELECT * FROM catches PIVOT (sum(kg) AS kg, max(kg) AS best FOR (species, gear) IN (('cod', 'net') AS cn, ('hake', 'line') AS hl)) AS p
--;
SELECT * FROM monthly UNPIVOT (kg FOR month IN (jan, feb AS february, mar `March`))
--;
SELECT * FROM monthly UNPIVOT INCLUDE NULLS ((kg, boxes) FOR quarter IN ((q1_kg, q1_boxes) AS q1, (q2_kg, q2_boxes) AS q2)) AS u
--;
SELECT * FROM monthly UNPIVOT EXCLUDE NULLS (kg FOR month IN (jan, feb))
--;
SELECT * FROM fleet TABLESAMPLE (10 PERCENT) REPEATABLE (7) AS f
--;
SELECT * FROM fleet TABLESAMPLE (50 ROWS), moorings TABLESAMPLE (BUCKET 2 OUT OF 8)
--;
SELECT * FROM fleet TABLESAMPLE SYSTEM (5.5 PERCENT)
--;
SELECT * FROM fleet VERSION AS OF 12
--;
SELECT * FROM fleet FOR VERSION AS OF 'v3' f JOIN fleet TIMESTAMP AS OF '2026-02-03' g USING (id)
--;
SELECT * FROM fleet FOR SYSTEM_TIME AS OF current_timestamp() - INTERVAL 1 DAY
--;
SELECT * FROM fleet FOR SYSTEM_VERSION AS OF 4 AS old_fleet
--;
SELECT * FROM fleet WITH (`split-size` = 5, mode = 'fast') WHERE id > 3
--;
SELECT * FROM fleet CHANGES FROM VERSION 1 TO VERSION 5
--;
SELECT * FROM fleet CHANGES FROM TIMESTAMP '2026-01-01' AS c
--;
SELECT * FROM UNNEST(array(1, 2), array('x', 'y')) AS u(n, s)
--;
SELECT * FROM UNNEST(sequence(1, 4)) WITH ORDINALITY
--;
SELECT jt.* FROM logs, JSON_TABLE(doc, '$.hits[*]' COLUMNS (n FOR ORDINALITY, url STRING PATH '$.url', seen BOOLEAN EXISTS PATH '$.seen')) AS jt
--;
SELECT * FROM parquet.`/data/fleet/*.parquet`, csv.`s3://bucket/x y.csv`
--;
SELECT * FROM `weird table`.`with ``ticks```.`sel ect` AS `from`
--;
SELECT * FROM polar_diagram(TABLE(legs))
--;
SELECT * FROM polar_diagram(TABLE(SELECT * FROM legs WHERE knots > 3) PARTITION BY boat ORDER BY ts DESC NULLS LAST) AS p
--;
SELECT * FROM polar_diagram(45, TABLE(legs) PARTITION BY boat)
--;
SELECT * FROM polar_diagram(TABLE(legs) PARTITION BY (boat, leg) ORDER BY (ts, id DESC), angle => 30)
--;
SELECT * FROM polar_diagram(boats => TABLE(legs) WITH SINGLE PARTITION, buoys => TABLE(marks) DISTRIBUTE BY id SORT BY id)
--;
SELECT p.* FROM fleet f, LATERAL track(f.id, limit => 10) p
--;
SELECT * FROM spans BIN BY (RANGE began TO ended BIN WIDTH INTERVAL '5' MINUTE DISTRIBUTE UNIFORM (kwh))
--;
SELECT * FROM STREAM fleet_events
--;
SELECT * FROM STREAM(fleet_events) AS e WHERE e.kind = 'dock'
--;
SELECT window.start, count(*) FROM STREAM fleet_events WATERMARK ts DELAY OF INTERVAL 5 MINUTES GROUP BY window(ts, '1 minute')
--;
SELECT * FROM STREAM fleet_events WITH (maxFilesPerTrigger = 3) WATERMARK CAST(at AS TIMESTAMP) AS ts DELAY OF INTERVAL '30' SECOND AS e
--;
SELECT * FROM STREAM kafka_topic(name => 'fleet') AS k
--;

-- Grouping, windows, ordering
SELECT rig, count(*) FROM fleet GROUP BY rig HAVING count(*) > 2 ORDER BY 2 DESC NULLS FIRST, rig ASC NULLS LAST
--;
SELECT rig, hull, avg(draft) FROM fleet GROUP BY ALL ORDER BY ALL
--;
SELECT rig, hull, grouping(rig), grouping_id(rig, hull) FROM fleet GROUP BY CUBE (rig, hull)
--;
SELECT rig, hull, count(*) FROM fleet GROUP BY rig, ROLLUP (hull, (built, builder))
--;
SELECT rig, hull, count(*) FROM fleet GROUP BY GROUPING SETS ((rig, hull), rig, (), CUBE (hull, built))
--;
SELECT rig, hull, count(*) FROM fleet GROUP BY rig, hull WITH ROLLUP
--;
SELECT rig, hull, count(*) FROM fleet GROUP BY rig, hull WITH CUBE
--;
SELECT rig, hull, count(*) FROM fleet GROUP BY rig, hull GROUPING SETS ((rig), (hull), ())
--;
SELECT window(ts, '10 minutes', '5 minutes').start, session_window(ts, '3 minutes') AS s, sum(x) FROM e GROUP BY window(ts, '10 minutes', '5 minutes'), session_window(ts, '3 minutes')
--;
SELECT count(*) FROM fleet HAVING count(*) > 0
--;
SELECT boat, rank() OVER (PARTITION BY rig ORDER BY draft DESC) AS r, lag(draft, 1, 0) OVER (ORDER BY id) FROM fleet
--;
SELECT boat, sum(kg) OVER (PARTITION BY boat ORDER BY day ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) FROM catches
--;
SELECT boat, avg(kg) OVER (ORDER BY day RANGE BETWEEN INTERVAL 7 DAYS PRECEDING AND INTERVAL 1 DAY FOLLOWING) FROM catches
--;
SELECT boat, max(kg) OVER (DISTRIBUTE BY boat SORT BY day ROWS UNBOUNDED PRECEDING) FROM catches
--;
SELECT boat, sum(kg) OVER w, count(*) OVER (w), avg(kg) OVER v FROM catches WINDOW w AS (PARTITION BY boat), v AS (ORDER BY day ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
--;
SELECT nth_value(kg, 2) IGNORE NULLS OVER (ORDER BY day), lead(kg) RESPECT NULLS OVER (ORDER BY day) FROM catches
--;
SELECT boat, row_number() OVER (ORDER BY draft) AS n FROM fleet QUALIFY n <= 3
--;
SELECT boat FROM fleet WHERE draft > 1 QUALIFY row_number() OVER (PARTITION BY rig ORDER BY built) = 1 ORDER BY boat
--;
SELECT * FROM fleet DISTRIBUTE BY rig SORT BY built DESC
--;
SELECT * FROM fleet CLUSTER BY rig, hull
--;
SELECT * FROM fleet ORDER BY draft, 2 LIMIT 10 OFFSET 20
--;
SELECT * FROM fleet LIMIT ALL
--;
SELECT * FROM fleet OFFSET 5
--;
SELECT * FROM fleet ORDER BY id LIMIT 3 + 4
--;

-- Hints
SELECT /*+ BROADCAST(a) */ * FROM a JOIN b USING (k)
--;
SELECT /*+ SHUFFLE_HASH(a, b), REPARTITION(8, k) COALESCE(2) */ a.k FROM a JOIN b USING (k)
--;
SELECT /*+ REBALANCE(k) */ /*+ MERGE(a) */ * FROM a NATURAL JOIN b
--;
SELECT /*+ NO_SUCH_HINT(t.x, 'y', 3) */ 1
--;
SELECT /*+ ASSUME_PARTITIONED_BY(legs, boat) */ boat, count(*) FROM legs GROUP BY boat
--;

-- Set operations, CTEs, subqueries
SELECT 1 UNION SELECT 2 UNION ALL SELECT 3 EXCEPT SELECT 4 INTERSECT SELECT 5
--;
(SELECT a FROM x ORDER BY a LIMIT 1) UNION ALL (SELECT a FROM y) ORDER BY a LIMIT 5
--;
SELECT a FROM x MINUS DISTINCT SELECT a FROM y INTERSECT ALL SELECT a FROM z
--;
SELECT a FROM x EXCEPT ALL TABLE y UNION DISTINCT VALUES (1)
--;
((((SELECT 1))))
--;
WITH a AS (SELECT 1 AS n), b (m) AS (SELECT n FROM a) SELECT * FROM a JOIN b ON n = m
--;
WITH outer_one AS (WITH inner_one AS (SELECT 1 AS x) SELECT * FROM inner_one) SELECT * FROM outer_one
--;
WITH RECURSIVE down (n) AS (VALUES (10) UNION ALL SELECT n - 1 FROM down WHERE n > 0) SELECT sum(n) FROM down
--;
WITH RECURSIVE t MAX RECURSION LEVEL 50 AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t) SELECT * FROM t LIMIT 20
--;
SELECT * FROM (WITH q AS (SELECT 1 AS a) SELECT * FROM q) WHERE a IN (WITH r AS (SELECT 1) SELECT * FROM r)
--;
SELECT * FROM a WHERE k = (SELECT max(k) FROM b WHERE b.v = a.v) AND v < (TABLE limits)
--;
FROM fleet
--;
FROM fleet SELECT boat, rig WHERE draft > 2
--;
FROM fleet f JOIN moorings m USING (id) SELECT f.boat, count(*) GROUP BY f.boat HAVING count(*) > 1 ORDER BY 1 LIMIT 3
--;
FROM legs INSERT INTO fast SELECT * WHERE knots > 10 INSERT OVERWRITE TABLE slow SELECT * WHERE knots < 3
--;
FROM legs LATERAL VIEW explode(stops) s AS stop INSERT INTO TABLE stops_a SELECT stop INSERT INTO stops_b SELECT upper(stop)
--;

-- TRANSFORM
SELECT TRANSFORM (boat, draft) USING 'cat' AS (b STRING, d DOUBLE) FROM fleet
--;
SELECT TRANSFORM (*) USING 'python3 score.py' FROM legs
--;
SELECT TRANSFORM (a, b) ROW FORMAT DELIMITED FIELDS TERMINATED BY ',' LINES TERMINATED BY '\n' NULL DEFINED AS '-' USING 'tr a b' AS x, y ROW FORMAT DELIMITED FIELDS TERMINATED BY '\t' FROM t WHERE a > 1
--;
FROM legs MAP boat, knots USING './mapper' AS b, k
--;
FROM (FROM legs MAP boat, knots USING './mapper' AS b, k CLUSTER BY b) m REDUCE b, k USING './reducer' AS (b STRING, k INT)
--;

-- Pipe syntax
FROM fleet |> WHERE draft > 2 |> SELECT boat, rig |> ORDER BY boat |> LIMIT 5 OFFSET 1
--;
TABLE fleet |> EXTEND draft * 2 AS twice, length_m AS l |> SET twice = twice + 1, l = 0 |> DROP l
--;
FROM fleet |> AS f |> JOIN moorings AS m USING (id) |> WHERE f.id = m.id
--;
VALUES (1, 2), (3, 4) AS t(a, b) |> UNION ALL VALUES (5, 6) |> EXCEPT (SELECT 1, 2) |> INTERSECT ALL TABLE t2
--;
FROM catches |> PIVOT (sum(kg) FOR species IN ('cod', 'hake')) |> UNPIVOT (kg FOR species IN (cod, hake))
--;
FROM fleet |> TABLESAMPLE (20 PERCENT) |> SELECT DISTINCT rig
--;
SELECT 1 AS a |> CROSS JOIN (SELECT 2 AS b) |> SELECT *, a + b AS c
--;
FROM catches |> SELECT boat, sum(kg) OVER w AS s WINDOW w AS (PARTITION BY boat) |> WHERE s > 1
--;
FROM legs |> LEFT JOIN LATERAL explode(stops) AS s(stop) |> DISTRIBUTE BY stop SORT BY stop
--;

-- Namespaces and session state
CREATE DATABASE regatta
--;
CREATE SCHEMA IF NOT EXISTS regatta COMMENT 'races' LOCATION '/data/regatta' WITH DBPROPERTIES (club = 'north', 'year' = 2026)
--;
CREATE NAMESPACE cat.ns.deeper WITH PROPERTIES ('a.b' = 'c')
--;
ALTER DATABASE regatta SET DBPROPERTIES ('edited' = 'yes')
--;
ALTER SCHEMA regatta UNSET PROPERTIES ('edited')
--;
ALTER NAMESPACE cat.ns SET LOCATION 's3://elsewhere'
--;
DROP DATABASE IF EXISTS regatta CASCADE
--;
DROP SCHEMA regatta RESTRICT
--;
USE regatta
--;
USE NAMESPACE cat.regatta
--;
USE DATABASE IDENTIFIER('reg' || 'atta')
--;
SET CATALOG spark_catalog
--;
SET
--;
SET -v
--;
SET spark.sql.shuffle.partitions
--;
SET spark.sql.shuffle.partitions = 12
--;
SET spark.some.text = words with 'quotes', commas = signs
--;
SET `spark.odd-key` = `some value`
--;
SET TIME ZONE LOCAL
--;
SET TIME ZONE 'Europe/Copenhagen'
--;
SET TIME ZONE INTERVAL '02:30' HOUR TO MINUTE
--;
SET PATH = system_path, regatta.main, DEFAULT_PATH
--;
RESET
--;
RESET spark.sql.shuffle.partitions
--;
RESET `spark.odd-key`
--;

-- Variables
DECLARE VARIABLE knots_limit INT DEFAULT 12
--;
DECLARE OR REPLACE wind DOUBLE = 7.5
--;
DECLARE a, b, c STRING DEFAULT 'x'
--;
DECLARE boat_name DEFAULT 'Kittiwake'
--;
SET VAR knots_limit = knots_limit + 1, wind = DEFAULT
--;
SET VARIABLE (a, b) = (SELECT min(x), max(x) FROM t)
--;
DROP TEMPORARY VARIABLE IF EXISTS system.session.wind
--;
EXECUTE IMMEDIATE 'SELECT * FROM fleet WHERE id = ? AND rig = ?' USING 5, 'sloop'
--;
EXECUTE IMMEDIATE 'SELECT max(draft) FROM fleet WHERE rig = :rig' INTO deepest USING ('yawl' AS rig)
--;
EXECUTE IMMEDIATE query_text || ' LIMIT 1' INTO a, b
--;

-- Tables
CREATE TABLE fleet (id BIGINT, boat STRING, draft DECIMAL(4, 2))
--;
CREATE TABLE IF NOT EXISTS regatta.fleet (id BIGINT NOT NULL COMMENT 'the number', boat STRING DEFAULT 'unnamed', built DATE) USING parquet PARTITIONED BY (built) COMMENT 'boats' TBLPROPERTIES ('a' = '1', b.c = true) LOCATION '/data/fleet' OPTIONS (compression 'zstd')
--;
CREATE OR REPLACE TABLE cat.ns.fleet USING iceberg PARTITIONED BY (bucket(16, id), years(built), months(x), days(d), hours(h), truncate(4, boat), identity_col) AS SELECT * FROM old_fleet
--;
REPLACE TABLE cat.ns.fleet (id INT) USING iceberg
--;
CREATE TABLE hashed (id INT, v STRING) USING orc CLUSTERED BY (id) SORTED BY (v ASC) INTO 32 BUCKETS
--;
CREATE TABLE liquid (id INT, v STRUCT<a: INT, b: STRING>) USING delta CLUSTER BY (id, v.a)
--;
CREATE TABLE computed (a INT, b INT GENERATED ALWAYS AS (a * 2), c BIGINT GENERATED ALWAYS AS IDENTITY (START WITH 100 INCREMENT BY 5), d BIGINT GENERATED BY DEFAULT AS IDENTITY) USING delta
--;
CREATE TABLE guarded (id INT PRIMARY KEY, port INT NOT NULL REFERENCES ports (id), len DOUBLE CONSTRAINT positive CHECK (len > 0), CONSTRAINT u UNIQUE (id, port) NOT ENFORCED RELY, FOREIGN KEY (port) REFERENCES ports (id), CHECK (id < 10 OR port IS NULL) ENFORCED)
--;
CREATE TABLE folded (name STRING COLLATE UNICODE_CI, note STRING COLLATE de_CI_AI) DEFAULT COLLATION UTF8_LCASE
--;
CREATE TABLE typed (a TINYINT, b SMALLINT, c INTEGER, d LONG, e REAL, f FLOAT, g DOUBLE, h NUMERIC(10), i BOOLEAN, j BINARY, k TIMESTAMP, l TIMESTAMP_NTZ, m VARIANT, n ARRAY<STRUCT<x: INT NOT NULL COMMENT 'c', y: MAP<STRING, ARRAY<INT>>>>, o INTERVAL DAY TO SECOND, p CHARACTER(4), q TIME(3))
--;
CREATE TABLE shapes (g GEOMETRY(4326), h GEOGRAPHY(4326))
--;
CREATE TABLE hive_like (a INT, b STRING) PARTITIONED BY (day STRING, hour INT) ROW FORMAT DELIMITED FIELDS TERMINATED BY '|' ESCAPED BY '\\' COLLECTION ITEMS TERMINATED BY ',' MAP KEYS TERMINATED BY ':' LINES TERMINATED BY '\n' NULL DEFINED AS 'nil' STORED AS TEXTFILE
--;
CREATE EXTERNAL TABLE ext (a INT) ROW FORMAT SERDE 'org.example.MySerde' WITH SERDEPROPERTIES ('k' = 'v') STORED AS INPUTFORMAT 'in.Format' OUTPUTFORMAT 'out.Format' LOCATION '/ext'
--;
CREATE TABLE copy_of LIKE fleet
--;
CREATE TABLE IF NOT EXISTS copy_of LIKE regatta.fleet USING parquet TBLPROPERTIES ('x' = 'y') LOCATION '/copy'
--;
CREATE TABLE ctas USING parquet AS WITH x AS (SELECT 1 AS a) SELECT * FROM x UNION SELECT 2
--;
CREATE TABLE ctas_no_as USING csv OPTIONS (header = true) SELECT * FROM fleet
--;
CREATE TEMPORARY TABLE scratch USING parquet OPTIONS (path '/tmp/x')
--;
ALTER TABLE fleet RENAME TO armada
--;
ALTER TABLE fleet ADD COLUMN mast_m DOUBLE COMMENT 'height' AFTER draft
--;
ALTER TABLE fleet ADD COLUMNS (a INT FIRST, point.z DOUBLE, c STRING NOT NULL DEFAULT 'c')
--;
ALTER TABLE fleet DROP COLUMN IF EXISTS mast_m
--;
ALTER TABLE fleet DROP COLUMNS (a, point.z)
--;
ALTER TABLE fleet RENAME COLUMN boat TO vessel
--;
ALTER TABLE fleet ALTER COLUMN draft TYPE DOUBLE
--;
ALTER TABLE fleet ALTER COLUMN draft SET NOT NULL, boat COMMENT 'her name', built FIRST, rig DROP DEFAULT
--;
ALTER TABLE fleet ALTER COLUMN boat SET DEFAULT upper('x')
--;
ALTER TABLE fleet REPLACE COLUMNS (id INT, boat STRING COMMENT 'only these')
--;
ALTER TABLE fleet SET TBLPROPERTIES ('k1' = 'v1', k2 = 2)
--;
ALTER TABLE fleet UNSET TBLPROPERTIES IF EXISTS ('k1', 'k2')
--;
ALTER TABLE fleet ADD IF NOT EXISTS PARTITION (day = '2026-01-01', hour = 3) LOCATION '/p' PARTITION (day = '2026-01-02', hour = 4)
--;
ALTER TABLE fleet DROP IF EXISTS PARTITION (day = '2026-01-01'), PARTITION (day = '2026-01-02') PURGE
--;
ALTER TABLE fleet PARTITION (day = 'a') RENAME TO PARTITION (day = 'b')
--;
ALTER TABLE fleet PARTITION (day = 'a') SET LOCATION '/moved'
--;
ALTER TABLE fleet SET SERDE 'x.y.Z' WITH SERDEPROPERTIES ('a' = 'b')
--;
ALTER TABLE fleet RECOVER PARTITIONS
--;
ALTER TABLE fleet CLUSTER BY (id, rig)
--;
ALTER TABLE fleet CLUSTER BY NONE
--;
ALTER TABLE fleet DEFAULT COLLATION UNICODE
--;
ALTER TABLE fleet ADD CONSTRAINT shallow CHECK (draft < 4) ENFORCED
--;
ALTER TABLE fleet ADD CONSTRAINT pk PRIMARY KEY (id) RELY
--;
ALTER TABLE fleet DROP CONSTRAINT IF EXISTS shallow CASCADE
--;
DROP TABLE IF EXISTS fleet PURGE
--;
DROP TABLE cat.ns.fleet
--;
TRUNCATE TABLE fleet PARTITION (day = '2026-01-01')
--;
CREATE INDEX IF NOT EXISTS by_name ON TABLE fleet USING bloom (boat OPTIONS (fpp = 0.1), rig) OPTIONS (x 'y')
--;
DROP INDEX IF EXISTS by_name ON fleet
--;

-- Views, functions, procedures
CREATE VIEW shoal AS SELECT * FROM fleet WHERE draft < 1
--;
CREATE OR REPLACE VIEW regatta.shoal (id COMMENT 'number', name) COMMENT 'small' TBLPROPERTIES ('a' = 'b') WITH SCHEMA EVOLUTION AS SELECT id, boat FROM fleet
--;
CREATE VIEW IF NOT EXISTS strict_shoal WITH SCHEMA BINDING AS TABLE shoal
--;
CREATE OR REPLACE TEMPORARY VIEW nearby AS FROM fleet SELECT boat
--;
CREATE TEMP VIEW csv_view (a INT, b STRING) USING csv OPTIONS (path '/x.csv', header 'true')
--;
CREATE VIEW folded_view DEFAULT COLLATION UNICODE_CI AS SELECT 'a' AS a
--;
ALTER VIEW shoal AS SELECT 1 AS one
--;
ALTER VIEW shoal RENAME TO shallows
--;
ALTER VIEW shoal SET TBLPROPERTIES ('x' = 'y')
--;
ALTER VIEW shoal WITH SCHEMA TYPE EVOLUTION
--;
DROP VIEW IF EXISTS regatta.shoal
--;
CREATE VIEW measured WITH METRICS LANGUAGE YAML AS $$
version: 0.1
source: fleet
$$
--;
CREATE TEMPORARY FUNCTION to_knots AS 'org.example.ToKnots' USING JAR '/a.jar', FILE '/b.txt'
--;
CREATE OR REPLACE FUNCTION regatta.score AS 'org.example.Score'
--;
CREATE FUNCTION speed(nm DOUBLE, h DOUBLE DEFAULT 1.0) RETURNS DOUBLE LANGUAGE SQL DETERMINISTIC CONTAINS SQL COMMENT 'nm an hour' RETURN nm / h
--;
CREATE TEMPORARY FUNCTION boats_of(r STRING) RETURNS TABLE (id BIGINT, boat STRING) READS SQL DATA RETURN SELECT id, boat FROM fleet WHERE rig = r
--;
CREATE OR REPLACE FUNCTION hello() RETURNS STRING RETURN 'ahoy'
--;
DROP TEMPORARY FUNCTION IF EXISTS to_knots
--;
DROP FUNCTION regatta.score
--;
CALL cat.system.rewrite_data_files(table => 'fleet', dry_run => true)
--;
CALL tidy('fleet', 5)
--;
COMMENT ON TABLE fleet IS 'all the boats'
--;
COMMENT ON SCHEMA regatta IS NULL
--;
COMMENT ON COLUMN regatta.fleet.draft IS 'metres'
--;

-- DML
INSERT INTO fleet VALUES (1, 'Auk', 1.5), (2, 'Tern', DEFAULT)
--;
INSERT INTO TABLE fleet (id, boat) SELECT id, name FROM staging
--;
INSERT INTO fleet BY NAME SELECT 'Gull' AS boat, 3 AS id
--;
INSERT INTO fleet PARTITION (day = '2026-01-01', hour) SELECT id, boat, hour FROM staging
--;
INSERT INTO fleet TABLE staging
--;
INSERT INTO fleet FROM staging SELECT id, boat WHERE id > 3
--;
INSERT OVERWRITE fleet SELECT * FROM staging
--;
INSERT OVERWRITE TABLE fleet PARTITION (day = 'x') IF NOT EXISTS SELECT * FROM staging
--;
INSERT OVERWRITE fleet BY NAME TABLE staging
--;
INSERT OVERWRITE LOCAL DIRECTORY '/out' ROW FORMAT DELIMITED FIELDS TERMINATED BY ',' STORED AS TEXTFILE SELECT * FROM fleet
--;
INSERT OVERWRITE DIRECTORY '/out' USING parquet OPTIONS (compression 'gzip') SELECT * FROM fleet
--;
INSERT INTO fleet REPLACE WHERE day = '2026-01-01' SELECT * FROM staging
--;
INSERT INTO fleet REPLACE USING (id) SELECT * FROM staging
--;
INSERT INTO fleet AS f REPLACE ON f.id = s.id SELECT * FROM staging s
--;
INSERT WITH SCHEMA EVOLUTION INTO fleet SELECT * FROM staging
--;
INSERT INTO fleet WITH (`write.format` = 'orc') SELECT 1
--;
WITH s AS (SELECT 1 AS id) INSERT INTO fleet SELECT * FROM s
--;
INSERT INTO IDENTIFIER(:target) (VALUES (1), (2))
--;
MERGE INTO fleet AS f USING staging AS s ON f.id = s.id WHEN MATCHED AND s.gone THEN DELETE WHEN MATCHED THEN UPDATE SET f.boat = s.boat, draft = DEFAULT WHEN NOT MATCHED BY TARGET AND s.id > 0 THEN INSERT (id, boat) VALUES (s.id, s.boat) WHEN NOT MATCHED BY SOURCE THEN DELETE
--;
MERGE WITH SCHEMA EVOLUTION INTO fleet USING (SELECT * FROM staging) s ON fleet.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT * WHEN NOT MATCHED BY SOURCE AND fleet.old THEN UPDATE SET seen = false
--;
UPDATE fleet SET boat = 'Petrel', draft = draft + 0.1 WHERE id = 4
--;
UPDATE regatta.fleet AS f SET f.spec.rig = DEFAULT
--;
DELETE FROM fleet WHERE id IN (SELECT id FROM scrapped)
--;
DELETE FROM fleet AS f
--;
WITH gone AS (SELECT 3 AS id) DELETE FROM fleet WHERE id IN (SELECT id FROM gone)
--;
LOAD DATA LOCAL INPATH '/in/f.csv' OVERWRITE INTO TABLE fleet PARTITION (day = 'x')
--;
LOAD DATA INPATH '/in/*' INTO TABLE fleet
--;

-- SHOW, DESCRIBE, EXPLAIN, ANALYZE, caches, resources
SHOW DATABASES LIKE 'reg*'
--;
SHOW SCHEMAS IN cat
--;
SHOW NAMESPACES FROM cat.ns
--;
SHOW TABLES
--;
SHOW TABLES IN regatta LIKE 'f*|g*'
--;
SHOW TABLE EXTENDED IN regatta LIKE 'fl*' PARTITION (day = '1')
--;
SHOW TBLPROPERTIES fleet ('owner.name')
--;
SHOW COLUMNS IN fleet FROM regatta
--;
SHOW VIEWS FROM regatta 's*'
--;
SHOW PARTITIONS fleet PARTITION (day = '2026-01-01')
--;
SHOW FUNCTIONS
--;
SHOW USER FUNCTIONS IN regatta LIKE 'to_*'
--;
SHOW SYSTEM FUNCTIONS LIKE 'min'
--;
SHOW CREATE TABLE fleet AS SERDE
--;
SHOW CURRENT NAMESPACE
--;
SHOW CATALOGS LIKE 'c*'
--;
SHOW COLLATIONS LIKE 'UNI*'
--;
SHOW PROCEDURES IN cat.system
--;
DESCRIBE fleet
--;
DESC TABLE EXTENDED regatta.fleet PARTITION (day = 'x')
--;
DESCRIBE FORMATTED fleet spec.rig
--;
DESCRIBE EXTENDED fleet AS JSON
--;
DESCRIBE DATABASE EXTENDED regatta
--;
DESCRIBE FUNCTION EXTENDED upper
--;
DESC FUNCTION `<=>`
--;
DESCRIBE PROCEDURE cat.system.tidy
--;
DESCRIBE QUERY SELECT 1 AS a
--;
DESCRIBE WITH x AS (SELECT 1) SELECT * FROM x
--;
EXPLAIN SELECT * FROM fleet
--;
EXPLAIN EXTENDED INSERT INTO fleet SELECT * FROM staging
--;
EXPLAIN FORMATTED SELECT rig, count(*) FROM fleet GROUP BY rig
--;
EXPLAIN CODEGEN SELECT 1
--;
EXPLAIN COST TABLE fleet
--;
ANALYZE TABLE fleet COMPUTE STATISTICS
--;
ANALYZE TABLE fleet PARTITION (day = 'x', hour) COMPUTE STATISTICS NOSCAN
--;
ANALYZE TABLE fleet COMPUTE STATISTICS FOR COLUMNS id, boat
--;
ANALYZE TABLE fleet COMPUTE STATISTICS FOR ALL COLUMNS
--;
ANALYZE TABLES IN regatta COMPUTE STATISTICS NOSCAN
--;
CACHE TABLE fleet
--;
CACHE LAZY TABLE hot OPTIONS ('storageLevel' = 'DISK_ONLY') AS SELECT * FROM fleet WHERE draft > 2
--;
UNCACHE TABLE IF EXISTS hot
--;
CLEAR CACHE
--;
REFRESH TABLE regatta.fleet
--;
REFRESH FUNCTION regatta.score
--;
REFRESH '/data/fleet'
--;
REFRESH /data/fleet/x
--;
MSCK REPAIR TABLE fleet SYNC PARTITIONS
--;
REPAIR TABLE fleet
--;
ADD JAR '/libs/a.jar' '/libs/b.jar'
--;
ADD FILE /tmp/some file.txt
--;
LIST JARS
--;

-- Scripts
BEGIN END
--;
BEGIN
  SELECT 1;
  SELECT 2;
END
--;
BEGIN
  a_label: BEGIN SELECT 1; END;
  BEGIN END;
END
--;
BEGIN
  DECLARE n INT DEFAULT 3;
  DECLARE OR REPLACE name STRING;
  SET n = n + 1;
  SET name = 'tern';
  INSERT INTO log VALUES (n, name);
END;
--;
BEGIN
  DECLARE depth DOUBLE = 1.5;
  IF depth > 3 THEN
    SELECT 'deep';
  ELSEIF depth > 1 THEN
    SELECT 'medium'; SELECT 'really';
  ELSE
    SELECT 'shoal';
  END IF;
END
--;
BEGIN
  DECLARE rig STRING DEFAULT 'yawl';
  CASE rig
    WHEN 'sloop' THEN SELECT 1;
    WHEN 'yawl' THEN SELECT 2;
    ELSE SELECT 0;
  END CASE;
  CASE WHEN rig IS NULL THEN SELECT 'none'; END CASE;
END
--;
BEGIN
  DECLARE i INT DEFAULT 0;
  counting: WHILE i < 10 DO
    SET i = i + 1;
    IF i = 5 THEN ITERATE counting; END IF;
    IF i = 8 THEN LEAVE counting; END IF;
  END WHILE counting;
END
--;
BEGIN
  DECLARE i INT DEFAULT 0;
  REPEAT
    SET i = i + 2;
  UNTIL i >= 6
  END REPEAT;
  spin: LOOP
    SET i = i - 1;
    IF i <= 0 THEN LEAVE spin; END IF;
  END LOOP spin;
  SELECT i;
END
--;
BEGIN
  FOR boat AS SELECT id, name FROM fleet WHERE draft > 1 DO
    INSERT INTO seen VALUES (boat.id, boat.name);
  END FOR;
  FOR VALUES (1), (2) DO
    SELECT 'anonymous';
  END FOR;
END
--;
BEGIN
  DECLARE too_deep CONDITION FOR SQLSTATE '45123';
  DECLARE EXIT HANDLER FOR too_deep BEGIN SELECT 'aground'; END;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION, NOT FOUND SELECT 'anything';
  DECLARE EXIT HANDLER FOR DIVIDE_BY_ZERO, SQLSTATE VALUE '22012' SELECT 'zero';
  SELECT 1 / 0;
END
--;
BEGIN
  DECLARE CONTINUE HANDLER FOR SQLSTATE '22012' SET flag = 1;
  SELECT 1 / 0;
END
--;
BEGIN
  DECLARE answer INT;
  EXECUTE IMMEDIATE 'SELECT max(id) FROM fleet' INTO answer;
  EXECUTE IMMEDIATE 'DELETE FROM fleet WHERE id = ?' USING answer;
  VALUES (answer);
END
--;
BEGIN
  DECLARE x INT; DECLARE y STRING;
  DECLARE c CURSOR FOR SELECT id, boat FROM fleet;
  OPEN c;
  FETCH NEXT FROM c INTO x, y;
  FETCH c INTO x, y;
  CLOSE c;
END
--;
BEGIN
  DECLARE c INSENSITIVE CURSOR FOR SELECT * FROM fleet WHERE id = ? FOR READ ONLY;
  OPEN c USING 4;
  CLOSE c;
END
--;
BEGIN
  CREATE TABLE tmp (a INT) USING parquet;
  MERGE INTO tmp USING fleet ON tmp.a = fleet.id WHEN NOT MATCHED THEN INSERT (a) VALUES (fleet.id);
  UPDATE tmp SET a = 1;
  DELETE FROM tmp WHERE a = 1;
  TRUNCATE TABLE tmp;
  DROP TABLE tmp;
  FROM fleet |> WHERE id > 1 |> SELECT boat;
  USE regatta;
  EXPLAIN SELECT 1;
END
--;
BEGIN
  -- a comment with END; in it
  DECLARE `strange name` STRING DEFAULT 'END; -- not the end';
  lbl: BEGIN
    BEGIN
      SELECT `strange name` /* ; */;
    END;
  END lbl;
END -- done
--;
BEGIN
  DECLARE a, b INT DEFAULT 0;
  SET (a, b) = (SELECT 1, 2);
  WITH t AS (SELECT a + b AS s) SELECT CASE WHEN s > 1 THEN 'x' END FROM t;
END
--;

-- Pipelines
CREATE STREAMING TABLE landed AS SELECT * FROM STREAM raw
--;
CREATE MATERIALIZED VIEW IF NOT EXISTS daily PARTITIONED BY (day) COMMENT 'a day' AS SELECT day, count(*) FROM landed GROUP BY day
--;
CREATE FLOW fill COMMENT 'x' AS INSERT INTO landed BY NAME SELECT * FROM STREAM more
--;
CREATE STREAMING TABLE landed (id INT, at TIMESTAMP) USING delta CLUSTER BY (id) TBLPROPERTIES ('a' = 'b')
--;
CREATE FLOW upserts AS AUTO CDC INTO target FROM STREAM changes_feed KEYS (id) APPLY AS DELETE WHEN op = 'D' SEQUENCE BY seq COLUMNS * EXCEPT (op, seq) STORED AS SCD TYPE 1
--;

-- Newer corners
SELECT * FROM STREAM fleet_events IDENTIFIED BY events_source AS e
--;
SELECT * FROM STREAM fleet_events CHANGES FROM VERSION 3 AS c
--;
SELECT * FROM fleet CHANGES FROM VERSION 2 EXCLUSIVE TO VERSION 9 INCLUSIVE AS c WHERE c.id = 1
--;
CREATE STREAMING TABLE kept FLOW AUTO CDC FROM STREAM changes_feed KEYS (id) SEQUENCE BY seq STORED AS SCD TYPE 1
--;
SHOW TABLES IN regatta LIKE 'f*' AS JSON
--;
INSERT INTO fleet BY NAME REPLACE WHERE day = 'x' SELECT * FROM staging
--;
INSERT WITH SCHEMA EVOLUTION OVERWRITE fleet SELECT * FROM staging
--;
FROM spans |> BIN BY (RANGE began TO ended BIN WIDTH INTERVAL '1' HOUR DISTRIBUTE UNIFORM (kwh, cost) BIN_START AS bs BIN_END AS be)
--;
FROM a |> NATURAL JOIN b |> UNION DISTINCT (FROM c) |> CLUSTER BY k
--;
SELECT count(*) FROM measured_view GROUP BY ALL HAVING measure(depth) > 2
--;
SELECT try_divide(a, b), try_cast(c AS INT), a % b, mod(a, b), -(-1), - -1, +(+1) FROM t
--;
SELECT st.*, arr[0].field, t.st.inner_st.* FROM t
--;
SELECT date '2026-01-01' + 3, ts - INTERVAL 2 HOURS, d1 - d2, INTERVAL 3 DAYS * 2, INTERVAL '4' HOUR / 3 FROM t
--;
SELECT decode(bin, 'UTF-8'), hex(X'CAFE'), 'a' = "a", 'not' 'apart' FROM t
--;
SELECT a.b.c.d.e, `a.b`.`c d`, _leading, x9_ FROM t
--;
SELECT year, month, day, hour, minute, second, date, timestamp, time, interval, string, array FROM calendar
--;
SELECT timestamp, value, key, type, position, path, level, option, source, target FROM non_reserved
--;
SELECT a.* FROM a SEMI JOIN b ON a.id = b.id WHERE a.x IN (1, 2 + 3, :p) GROUP BY ALL
--;
SELECT explode(array(1, 2)) WHERE 1 = 1 HAVING true
--;
SELECT grouping_id(), spark_partition_id(), input_file_name(), monotonically_increasing_id(), _metadata.file_path FROM fleet
--;
SELECT *, 1 AS one, count(*) OVER () FROM (SELECT DISTINCT * FROM (TABLE a UNION TABLE b) u)
--;
SELECT parse_json('{"a": [1, 2]}'):a[0]::int, try_variant_get(v, '$.a', 'int'), schema_of_variant(v) FROM t
--;
SELECT `⚓`.id, `größe`, `日本` FROM `⚓`
--;
SELECT "⛵🚢" || '👩‍👩‍👧' AS `é𝛑` -- 🏴‍☠️
FROM fleet /* 🌊 */ WHERE boat = '🦭' AND :mark = '🪸'
--;
WITH a AS (SELECT 1), b AS (WITH c AS (SELECT 2) TABLE c), d AS (VALUES (3)) FROM a, b, d |> SELECT *
--;
WITH src (k, v) AS (VALUES (1, 'x')) MERGE INTO fleet USING src ON fleet.id = src.k WHEN MATCHED THEN UPDATE SET boat = v
--;
WITH x AS (SELECT 1 AS id) UPDATE fleet SET boat = 'x' WHERE id IN (SELECT id FROM x)
--;
WITH x AS (SELECT 1) FROM x INSERT INTO a SELECT * INSERT INTO b SELECT *
--;
CREATE TABLE z (a INT DEFAULT (1 + 2) COMMENT 'three', `b c` STRUCT<`d e`: STRING COLLATE UNICODE>) USING parquet TBLPROPERTIES ('p' 'q', r.s = 1.5, t = true)
--;
CREATE TABLE zz USING parquet CLUSTERED BY (a, b) INTO 4 BUCKETS AS SELECT 1 AS a, 2 AS b
--;
CREATE VIEW deep AS WITH a AS (SELECT 1 AS x), b AS (SELECT x FROM a WHERE EXISTS (SELECT 1 FROM a)) SELECT * FROM b ORDER BY x LIMIT 3
--;
EXPLAIN EXTENDED WITH a AS (SELECT 1 AS x) SELECT x, sum(x) OVER (ORDER BY x) FROM a JOIN LATERAL (SELECT a.x + 1 AS y) ON y > x
--;
EXPLAIN CREATE TABLE t2 USING parquet AS SELECT * FROM fleet
--;
DECLARE OR REPLACE VARIABLE v ARRAY<STRUCT<a: INT>> DEFAULT array(named_struct('a', 1))
--;
SELECT * FROM fleet WHERE (SELECT bool_and(x) FROM (VALUES (true)) AS t(x)) ORDER BY (SELECT 1), rand() LIMIT (1 + 1)
--;

-- Our keywords as ordinary names, aliases, functions, strings and comments
SELECT cogroup, emit, assume, branch, branches, every, least FROM words
--;
SELECT cogroup.emit, `COGROUP`.`EMIT`, words.assume AS assume FROM cogroup, words
--;
SELECT 1 AS emit, 2 AS cogroup, 3 AS assume, 4 AS global, 5 AS branch, 6 AS every, 7 AS `update`, 8 AS change, 9 AS `check`
--;
SELECT 1 emit, 2 cogroup, 3 assume, 4 branch, 5 branches
--;
SELECT start, stop, streaming, global, change FROM engine_log WHERE start < stop AND streaming
--;
SELECT * FROM cogroup
--;
SELECT * FROM COGROUP c WHERE c.k = 1
--;
SELECT * FROM emit JOIN assume ON emit.id = assume.id
--;
SELECT * FROM global JOIN streaming USING (id)
--;
SELECT * FROM a AS emit, b AS cogroup, c AS assume
--;
SELECT emit.k FROM t emit WHERE emit.k > 0 GROUP BY emit.k ORDER BY emit.k
--;
SELECT * FROM fleet assume WHERE assume.partitioned = true
--;
SELECT partitioned, enforced, layout, tolerance, heartbeat, expire, checkpoint, trigger FROM settings
--;
SELECT aggregate(knots, 0, (acc, k) -> acc + k) AS total FROM legs
--;
SELECT AGGREGATE(knots, CAST(0 AS DOUBLE), (a, b) -> a + b, a -> a * 2) FROM legs
--;
SELECT every(seaworthy), least(a, b, c), greatest(a, b), some(x), any(y) FROM fleet
--;
SELECT every(seaworthy) OVER (PARTITION BY rig) AS every FROM fleet
--;
SELECT rig, every(seaworthy) FROM fleet GROUP BY rig HAVING every(seaworthy) AND least(min(draft), 2) > 1
--;
SELECT least(1, 2) AS least, emit(3), cogroup(1, 2), assume(x), branch(y) FROM t
--;
SELECT tools.emit(x), cat.tools.cogroup(y => 1), assume.partitioned_by(z) FROM t
--;
SELECT 'EMIT ON CHANGE', "COGROUP a BY k, b BY k AGGREGATE count(*)", 'ASSUME PARTITIONED BY (k)', 'CREATE GLOBAL TABLE' AS texts
--;
SELECT k -- EMIT ON CHANGE
FROM t /* COGROUP a BY k, b BY k AGGREGATE 1 */
--;
-- CREATE GLOBAL TABLE g AS SELECT 1
-- START STREAMING QUERY q AS INSERT INTO s SELECT 1
SELECT 1 AS `EMIT ON CHANGE`
--;
/* ASSUME PARTITIONED BY (k) */ SELECT * FROM `ASSUME PARTITIONED BY`
--;
SELECT `cogroup a by k` AS `emit every 5 seconds`, `global table` FROM `start streaming query`
--;
SELECT * FROM a JOIN b EMIT ON CHANGE
--;
SELECT * FROM a LEFT JOIN b EMIT ON EMIT.k = a.k
--;
WITH cogroup AS (SELECT 1 AS k), emit (v) AS (SELECT 2) SELECT * FROM cogroup, emit
--;
WITH assume AS (SELECT 1 AS partitioned) SELECT partitioned FROM assume
--;
WITH RECURSIVE branch (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM branch WHERE n < 3) SELECT n AS branches FROM branch
--;
SELECT sum(x) OVER emit, avg(x) OVER cogroup FROM t WINDOW emit AS (PARTITION BY k), cogroup AS (ORDER BY every)
--;
SELECT * FROM t ORDER BY emit, cogroup DESC, assume NULLS LAST
--;
SELECT branch, count(*) AS branches FROM bank GROUP BY branch HAVING count(*) > 1
--;
SELECT * FROM bank.branch.branches AS branch
--;
SELECT STRUCT(1 AS emit, 2 AS cogroup).emit, map('assume', 1)['assume'], event:emit.cogroup::string FROM t
--;
SELECT transform(xs, emit -> emit + 1), filter(xs, (cogroup, every) -> cogroup > every) FROM t
--;
SELECT measure(emit => 3, cogroup => 'x') FROM t
--;
SELECT * FROM cogroup(1, 2)
--;
SELECT * FROM COGROUP(TABLE(a) PARTITION BY k, TABLE(b) PARTITION BY k)
--;
SELECT * FROM emit(TABLE(t), on => 'change') AS assume
--;
SELECT * FROM t LATERAL VIEW explode(emit) cogroup AS assume, every
--;
SELECT * FROM t PIVOT (sum(emit) AS cogroup FOR branch IN ('north' AS emit, 'south' AS assume))
--;
SELECT * FROM t UNPIVOT (emit FOR cogroup IN (a AS assume, b AS branch))
--;
SELECT * FROM t TABLESAMPLE (10 ROWS) emit
--;
SELECT * FROM t VERSION AS OF 3 cogroup
--;
SELECT * FROM range(3) EMIT
--;
SELECT * FROM VALUES (1) AS emit(cogroup)
--;
SELECT * FROM (SELECT 1 AS k) emit
--;
SELECT * FROM STREAM emit AS cogroup
--;
SELECT * FROM STREAM streaming WATERMARK emit DELAY OF INTERVAL 1 MINUTE AS assume
--;
SELECT /*+ BROADCAST(emit), EMIT(cogroup) */ * FROM emit
--;
SELECT :emit, :cogroup FROM t WHERE k = :assume
--;
SELECT IDENTIFIER('emit') FROM IDENTIFIER('cog' || 'roup')
--;
FROM t |> AGGREGATE count(*) AS n GROUP BY k
--;
FROM t |> AGGREGATE sum(x) AS emit, every(y) AS every
--;
FROM cogroup |> WHERE emit > 1 |> AGGREGATE least(max(a), 3) AS least GROUP BY branch AS b, floor(emit) AS assume |> AS cogroup
--;
FROM emit |> EXTEND 1 AS assume |> SET assume = 2 |> DROP cogroup |> ORDER BY emit
--;
FROM t |> AS emit |> JOIN u EMIT2 ON EMIT2.k = emit.k
--;
CREATE TABLE emit (cogroup INT, assume STRING, `global` BOOLEAN, branch INT, every INT, start DATE, stop DATE)
--;
CREATE TABLE assume PARTITIONED BY (k) AS SELECT 1 AS k
--;
CREATE TABLE global (streaming INT) USING parquet
--;
CREATE TABLE checked (change INT, CONSTRAINT emit CHECK (change > 0), CONSTRAINT assume CHECK (cogroup IS NOT NULL) ENFORCED)
--;
CREATE TABLE t (emit INT CONSTRAINT cogroup CHECK (emit > 0)) TBLPROPERTIES ('emit.on' = 'change', 'global.refresh' = 'every 5 seconds')
--;
CREATE GLOBAL TEMPORARY VIEW dim AS SELECT 1 AS k
--;
CREATE OR REPLACE GLOBAL TEMPORARY VIEW emit AS SELECT * FROM cogroup
--;
CREATE OR REPLACE GLOBAL TEMP VIEW g (a COMMENT 'x') AS TABLE t
--;
CREATE GLOBAL TEMPORARY VIEW g (a INT) USING json OPTIONS (path '/g.json')
--;
SELECT * FROM global_temp.emit
--;
CREATE VIEW cogroup AS SELECT emit, every(assume) AS every FROM t GROUP BY emit
--;
CREATE FUNCTION emit(cogroup INT, every STRING DEFAULT 'x') RETURNS INT RETURN cogroup + 1
--;
CREATE TEMPORARY FUNCTION cogroup AS 'org.example.CoGroup'
--;
CREATE DATABASE emit COMMENT 'EMIT EVERY 5 SECONDS'
--;
CREATE STREAMING TABLE assume PARTITIONED BY (k) AS SELECT * FROM STREAM emit
--;
CREATE INDEX emit ON change (k)
--;
DROP INDEX emit ON t
--;
DROP TABLE IF EXISTS assume
--;
DROP VIEW cogroup
--;
ALTER TABLE global RENAME TO emit
--;
ALTER TABLE t CHANGE COLUMN emit emit INT COMMENT 'on change'
--;
ALTER TABLE t CHANGE COLUMN cogroup AFTER assume
--;
ALTER TABLE t ADD COLUMNS (emit INT, cogroup STRING AFTER branch)
--;
ALTER TABLE t ADD CONSTRAINT assume CHECK (emit > 0)
--;
ALTER TABLE t RENAME COLUMN emit TO every
--;
ALTER TABLE t SET TBLPROPERTIES ('assume.partitionedBy' = 'k')
--;
INSERT INTO emit VALUES (1)
--;
INSERT INTO global SELECT 1
--;
INSERT INTO s SELECT k FROM t EMIT
--;
INSERT INTO cogroup (emit, assume) SELECT every, branch FROM global
--;
INSERT INTO emit REPLACE WHERE cogroup = 1 SELECT * FROM assume
--;
UPDATE emit SET cogroup = 1, assume = DEFAULT WHERE every > 2
--;
UPDATE t EMIT SET EMIT.x = 1
--;
DELETE FROM cogroup emit WHERE emit.k = 1
--;
MERGE INTO t USING s EMIT ON change WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *
--;
MERGE INTO cogroup USING assume ON cogroup.k = assume.k WHEN MATCHED AND emit THEN UPDATE SET every = 1
--;
EXPLAIN SELECT * FROM emit
--;
DESCRIBE emit
--;
DESCRIBE GLOBAL g
--;
DESCRIBE cogroup c
--;
SHOW TABLES IN emit LIKE 'cogroup*'
--;
SHOW TABLES FROM global_temp
--;
SHOW VIEWS IN global_temp
--;
SHOW COLUMNS FROM emit IN global
--;
SHOW CREATE TABLE cogroup
--;
CACHE TABLE emit AS SELECT * FROM cogroup
--;
REFRESH TABLE global
--;
REFRESH `global`.emit
--;
ANALYZE TABLE emit COMPUTE STATISTICS FOR COLUMNS cogroup, assume
--;
SET spark.eddyline.emit = EMIT ON CHANGE
--;
SET VAR emit = 1, cogroup = 'COGROUP'
--;
DECLARE VARIABLE emit INT DEFAULT least(1, 2)
--;
EXECUTE IMMEDIATE 'SELECT * FROM t EMIT ON CHANGE' INTO emit USING cogroup AS assume
--;
USE emit
--;
COMMENT ON TABLE emit IS 'EMIT ON CHANGE OF (a)'
--;
CALL cat.emit(every => 5, cogroup => 'x')
--;
BEGIN
  emit: BEGIN
    DECLARE cogroup INT DEFAULT 0;
    every: WHILE cogroup < 3 DO
      SET cogroup = cogroup + 1;
      IF cogroup = 2 THEN LEAVE every; END IF;
    END WHILE every;
    FOR assume AS SELECT branch FROM branches DO
      SELECT assume.branch AS emit;
    END FOR;
  END emit;
END
--;
BEGIN
  DECLARE assume CONDITION FOR SQLSTATE '45001';
  DECLARE EXIT HANDLER FOR assume SELECT 'EMIT ON CHANGE' AS emit;
  SELECT * FROM a JOIN b EMIT ON CHANGE;
  INSERT INTO emit SELECT aggregate(xs, 0, (s, x) -> s + x) FROM cogroup;
END
--;
SELECT `⚓`.emit FROM `⚓`
--;
SELECT '🚢 EMIT ON CHANGE 🚢' AS `🚢 cogroup`, emit FROM t -- 🚢 ASSUME PARTITIONED BY (k)
--;
SELECT '__eddyline_cogroup' AS s, __eddyline_keys FROM __eddyline_t
--;
SELECT pipeline FROM start
--;
SELECT * FROM stop AS start JOIN restart stop ON start.id = stop.id
--;
SELECT await, upsert, purge, timeout, progress, batch FROM streaming.queries AS query
--;
SELECT * FROM cogroup AS aggregate, aggregate AS emit WHERE aggregate.every = emit.least
--;
FROM cogroup a, purchases b |> AGGREGATE count(*) AS n GROUP BY a.k
--;
SELECT * FROM a JOIN cogroup BY ON BY.k = a.k
--;
SELECT CASE cogroup WHEN emit THEN assume END AS aggregate FROM t
--;
SELECT at, at.least, at.least.branches FROM at
--;
SELECT k, count(*) AS n FROM cogroup GROUP BY k HAVING every AND branch > 1
--;
SELECT count(cart.item) AS cogroup FROM cart LEFT JOIN purchases BY USING (k)
--;
SELECT * FROM carts AS using_cogroup WHERE (cogroup, emit) IN (SELECT every, least FROM branches)
--;
WITH a AS (TABLE cogroup) SELECT * FROM a JOIN b EMIT USING (change)
--;
CREATE TABLE emit USING parquet AS SELECT * FROM a JOIN b EMIT ON EMIT.k = a.k
--;
DROP TABLE cogroup
--;
USE cogroup
--;
TRUNCATE TABLE emit PARTITION (cogroup = 'assume')
--;
MSCK REPAIR TABLE cogroup ADD PARTITIONS
--;
DESCRIBE QUERY FROM cogroup a, b
--;
SHOW PARTITIONS emit PARTITION (every = 1)
--;
LOAD DATA INPATH '/emit/on/change' INTO TABLE cogroup
--;
UNCACHE TABLE IF EXISTS assume
--;
SELECT clauses.k AS clauses FROM clauses, laws AS clauses2 WHERE clauses.k = 1
--;
EXPLAIN SELECT clauses FROM VALUES (1) AS t(clauses)
