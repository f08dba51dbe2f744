-- What the lowering refuses, at the offending word.

-- statement
CREATE TABLE t USING parquet PARTITIONED BY (d) AS SELECT 1 AS k, 10 AS v, 2 AS d

-- query error(EDDYLINE_ASSUME.SYNTAX_ERROR, 42601)
  SELECT * FROM t ASSUME PARTITION BY (d)
--                       ^^^^^^^^^^^^

-- query error(EDDYLINE_ASSUME.SYNTAX_ERROR, 42601)
  SELECT * FROM t ASSUME PARTITIONED (d)
--                                   ^

-- query error(EDDYLINE_ASSUME.SYNTAX_ERROR, 42601)
  SELECT * FROM t ASSUME PARTITIONED BY BY (d)
--                                      ^^

-- query error(EDDYLINE_ASSUME.SYNTAX_ERROR, 42601)
-- a comment takes the place of a blank
  SELECT * FROM t ASSUME PARTITIONED/* */BY BY (d)
--                                          ^^

-- query error(EDDYLINE_ASSUME.SYNTAX_ERROR, 42601)
  SELECT * FROM t ASSUME PARTITIONED BY d
--                                      ^

-- query error(EDDYLINE_ASSUME.SYNTAX_ERROR, 42601)
  SELECT * FROM t ASSUME PARTITIONED BY ()
--                                       ^

-- query error(EDDYLINE_ASSUME.SYNTAX_ERROR, 42601)
  SELECT * FROM t ASSUME PARTITIONED BY (d, , k)
--                                          ^

-- query error(EDDYLINE_ASSUME.SYNTAX_ERROR, 42601)
  SELECT * FROM t ASSUME PARTITIONED BY (d
--

-- query error(EDDYLINE_ASSUME.SYNTAX_ERROR, 42601)
  SELECT * FROM t ASSUME PARTITIONED BY (d) AS x
--                                          ^^

-- query error(EDDYLINE_ASSUME.SYNTAX_ERROR, 42601)
  SELECT * FROM t ASSUME PARTITIONED BY (d) ASSUME PARTITIONED BY (k)
--                                          ^^^^^^

-- query error(EDDYLINE_ASSUME.SYNTAX_ERROR, 42601)
  SELECT * FROM t ASSUME PARTITIONED BY (d) ENFORCED NOT ENFORCED
--                                                   ^^^

-- query error(EDDYLINE_ASSUME.SYNTAX_ERROR, 42601)
  SELECT * FROM t ASSUME PARTITIONED BY (d) ENFORCED ON VIOLATION SHUFFLE
--                                                                ^^^^^^^

-- query error(EDDYLINE_ASSUME.SYNTAX_ERROR, 42601)
  SELECT * FROM t ASSUME PARTITIONED BY (d) ON VIOLATION FAIL
--                                          ^^

-- query error(EDDYLINE_ASSUME.NO_RELATION, 42601)
  SELECT * FROM ASSUME PARTITIONED BY (d)
--              ^^^^^^

-- query error(EDDYLINE_ASSUME.NO_RELATION, 42601)
  SELECT * FROM t WHERE k = 1 ASSUME PARTITIONED BY (d)
--                            ^^^^^^

-- query error(EDDYLINE_ASSUME.NO_RELATION, 42601)
  SELECT * FROM t AS a JOIN t AS b ON a.k = b.k ASSUME PARTITIONED BY (d)
--                                              ^^^^^^

-- query error(EDDYLINE_ASSUME.NO_RELATION, 42601)
  TABLE t ASSUME PARTITIONED BY (d)
--        ^^^^^^

-- query error(EDDYLINE_ASSUME.NO_RELATION, 42601)
  SELECT * FROM t LATERAL VIEW explode(array(1)) x AS y ASSUME PARTITIONED BY (d)
--                                                      ^^^^^^

-- query error(EDDYLINE_ASSUME.NO_RELATION, 42601)
  DELETE FROM t ASSUME PARTITIONED BY (d)
--              ^^^^^^

-- query error(EDDYLINE_ASSUME.SYNTAX_ERROR, 42601)
  SELECT * FROM t ASSUME PARTITIONED BY (d) LAYOUT INTO 4 PARTITIONS
--                                                 ^^^^

-- query error(EDDYLINE_ASSUME.SYNTAX_ERROR, 42601)
  SELECT * FROM t ASSUME PARTITIONED BY (d) LAYOUT months LAYOUT years
--                                                        ^^^^^^

-- query error(EDDYLINE_ASSUME.INVALID_OPTION, 22023)
  SELECT * FROM t ASSUME PARTITIONED BY (k) LAYOUT users INTO 4 PARTITIONS ENFORCED ON VIOLATION REPARTITION
--                                                                                               ^^^^^^^^^^^

-- query error(EDDYLINE_ASSUME.INVALID_OPTION, 22023)
  COGROUP t ASSUME PARTITIONED BY (d) INTO 4 PARTITIONS USING HASH KAFKA BY d, t AS u BY d AGGREGATE count(*)
--                                                                 ^^^^^

-- query error(EDDYLINE_ASSUME.INVALID_OPTION, 22023)
  SELECT * FROM t ASSUME PARTITIONED BY (k) INTO 0 PARTITIONS
--                                               ^

-- query error(EDDYLINE_ASSUME.INVALID_OPTION, 22023)
  SELECT * FROM t ASSUME PARTITIONED BY (k) INTO 200000 PARTITIONS
--                                               ^^^^^^

-- query error(EDDYLINE_SYNTAX.FEATURE_REMOVED, 0A000)
  SELECT * FROM t ASSUME PARTITIONED BY (k) INTO 4 PARTITIONS USING HASH SPARK ENFORCED SAMPLE
--                                                                             ^^^^^^^^^^^^^^^

-- query error(EDDYLINE_SYNTAX.FEATURE_REMOVED, 0A000)
  SELECT k, count(*) FROM t ASSUME PARTITIONED BY (k) ENFORCED sample ON VIOLATION FAIL GROUP BY k
--                                                    ^^^^^^^^^^^^^^^

-- query error(EDDYLINE_SYNTAX.FEATURE_REMOVED, 0A000)
-- as a view of an earlier version has it
  SELECT k FROM __eddyline_assume(TABLE(SELECT * FROM t ), enforced => 'sample', keys => array (k), violation => 'repartition')
--                                                                     ^^^^^^^^

-- query error(EDDYLINE_ASSUME.SYNTAX_ERROR, 42601)
  SELECT * FROM t ASSUME PARTITIONED BY (k) INTO 4 FILES
--                                                 ^^^^^

-- query error(EDDYLINE_ASSUME.SYNTAX_ERROR, 42601)
  SELECT * FROM t ASSUME PARTITIONED BY (k) INTO 4 PARTITIONS USING HASH md5
--                                                                       ^^^

-- query error(EDDYLINE_ASSUME.SYNTAX_ERROR, 42601)
  SELECT * FROM t ASSUME PARTITIONED BY (k) USING HASH SPARK
--                                          ^^^^^

-- query error(EDDYLINE_ASSUME.SYNTAX_ERROR, 42601)
  CHECK ASSUMPTION t PARTITIONED BY (d)
--                 ^

-- query error(EDDYLINE_ASSUME.SYNTAX_ERROR, 42601)
  CHECK ASSUMPTION ON PARTITIONED BY (d)
--                    ^^^^^^^^^^^^^^

-- query error(EDDYLINE_ASSUME.SYNTAX_ERROR, 42601)
  CHECK ASSUMPTION ON t PARTITIONED BY d
--                                     ^

-- query error(EDDYLINE_ASSUME.SYNTAX_ERROR, 42601)
  CHECK ASSUMPTION ON t PARTITIONED BY (d) LIMIT ALL
--                                               ^^^

-- query error(EDDYLINE_ASSUME.SYNTAX_ERROR, 42601)
  CHECK ASSUMPTION ON t PARTITIONED BY (d) LIMIT 2147483648
--                                               ^^^^^^^^^^

-- query error(EDDYLINE_ASSUME.SYNTAX_ERROR, 42601)
  CHECK ASSUMPTION ON t PARTITIONED BY (d) WHERE d > 1
--                                         ^^^^^
