-- Every syntax error of the clause: named, at the word where it shows.

-- statement
CREATE TEMPORARY VIEW a AS SELECT 1 AS k

-- query error(EDDYLINE_COGROUP.SYNTAX_ERROR, 42601)
  COGROUP

-- query error(EDDYLINE_COGROUP.SYNTAX_ERROR, 42601)
  COGROUP a BY k
--              ^

-- query error(EDDYLINE_COGROUP.SYNTAX_ERROR, 42601)
  COGROUP a BY k AGGREGATE count(*) AS n
--               ^^^^^^^^^

-- query error(EDDYLINE_COGROUP.SYNTAX_ERROR, 42601)
  COGROUP a BY k, AGGREGATE count(*) AS n
--                ^^^^^^^^^

-- query error(EDDYLINE_COGROUP.SYNTAX_ERROR, 42601)
  COGROUP a BY k, a AS b BY k
--                           ^

-- query error(EDDYLINE_COGROUP.SYNTAX_ERROR, 42601)
  COGROUP a BY , a AS b BY k AGGREGATE count(*) AS n
--             ^

-- query error(EDDYLINE_COGROUP.SYNTAX_ERROR, 42601)
  COGROUP a BY (k, ), a AS b BY k AGGREGATE count(*) AS n
--                 ^

-- query error(EDDYLINE_COGROUP.SYNTAX_ERROR, 42601)
  COGROUP a BY k AS 1, a AS b BY k AGGREGATE count(*) AS n
--                  ^

-- query error(EDDYLINE_COGROUP.SYNTAX_ERROR, 42601)
  COGROUP a WHERE BY k, a AS b BY k AGGREGATE count(*) AS n

-- query error(EDDYLINE_COGROUP.SYNTAX_ERROR, 42601)
  COGROUP a BY k, a AS b BY k AGGREGATE
--                                     ^

-- query error(EDDYLINE_COGROUP.SYNTAX_ERROR, 42601)
  COGROUP a BY k, a AS b BY k AGGREGATE count(*) AS n, , 2
--                                                     ^

-- query error(EDDYLINE_COGROUP.SYNTAX_ERROR, 42601)
  COGROUP a BY k, a AS b BY k AGGREGATE count(*) AS n WHERE n > 1
--                                                    ^^^^^

-- query error(EDDYLINE_COGROUP.SYNTAX_ERROR, 42601)
  COGROUP a BY k, a AS b BY k AGGREGATE count(*) AS n GROUP BY k
--                                                    ^^^^^^^^

-- query error(EDDYLINE_COGROUP.SYNTAX_ERROR, 42601)
  COGROUP a BY k, a AS b BY k AGGREGATE count(*) AS n SELECT k
--                                                    ^^^^^^

-- query error(EDDYLINE_COGROUP.SYNTAX_ERROR, 42601)
  COGROUP a BY k, a AS b BY k AGGREGATE count(*) AS n HAVING
--                                                          ^

-- query error(EDDYLINE_COGROUP.SYNTAX_ERROR, 42601)
  COGROUP a BY k, a AS b BY k AGGREGATE count(*) AS n HAVING AT LEAST many BRANCHES
--                                                                    ^^^^

-- query error(EDDYLINE_COGROUP.SYNTAX_ERROR, 42601)
  COGROUP a BY k, a AS b BY k AGGREGATE count(*) AS n HAVING AT LEAST 2 ROWS
--                                                                      ^^^^

-- query error(EDDYLINE_COGROUP.SYNTAX_ERROR, 42601)
  COGROUP a BY k, a AS b BY k AGGREGATE count(*) AS n HAVING EVERY BRANCH OR n > 1
--                                                                        ^^

-- query error(EDDYLINE_COGROUP.SYNTAX_ERROR, 42601)
  COGROUP a BY k, a AS b BY k AGGREGATE count(*) AS n HAVING EVERY BRANCH AND
--                                                                           ^

-- query error(EDDYLINE_COGROUP.SYNTAX_ERROR, 42601)
  COGROUP a, a AS b USING k AGGREGATE count(*) AS n
--                        ^

-- query error(EDDYLINE_COGROUP.SYNTAX_ERROR, 42601)
  COGROUP a, a AS b USING (k, 1) AGGREGATE count(*) AS n
--                            ^

-- query error(EDDYLINE_COGROUP.SYNTAX_ERROR, 42601)
  COGROUP a, a AS b USING (k) count(*) AS n
--                            ^^^^^

-- query error(EDDYLINE_COGROUP.SYNTAX_ERROR, 42601)
  SELECT * FROM (COGROUP a BY k, a AS b BY k AGGREGATE count(* AS n
--                                                                 ^

-- query error(EDDYLINE_COGROUP.SYNTAX_ERROR, 42601)
  COGROUP a BY k, a AS b BY k SELECT count(*) AS n
--                            ^^^^^^

-- query error(EDDYLINE_COGROUP.SYNTAX_ERROR, 42601)
  COGROUP a BY k, a AS b BY k GROUP BY k
--                            ^^^^^^^^

-- query error(EDDYLINE_COGROUP.SYNTAX_ERROR, 42601)
  COGROUP a JOIN a AS b BY k, a AS c BY k AGGREGATE count(*) AS n
--          ^^^^

-- query error(EDDYLINE_COGROUP.KEY_MISSING, 42601)
  COGROUP a, a AS b BY k AGGREGATE count(*) AS n
--        ^

-- query error(EDDYLINE_COGROUP.USING_UNUSED, 42601)
  COGROUP a BY k, a AS b BY k USING (k) AGGREGATE count(*) AS n
--                            ^^^^^

-- query error(EDDYLINE_COGROUP.BRANCH_COUNT_OUT_OF_RANGE, 22023)
  COGROUP a BY k, a AS b BY k AGGREGATE count(*) AS n HAVING AT LEAST 3 BRANCHES
--                                                                    ^

-- query error(EDDYLINE_COGROUP.BRANCH_COUNT_OUT_OF_RANGE, 22023)
  COGROUP a BY k, a AS b BY k AGGREGATE count(*) AS n HAVING AT LEAST 0 BRANCHES
--                                                                    ^

-- query error(EDDYLINE_COGROUP.NOT_A_RELATION, 42601)
  SELECT * FROM COGROUP a BY k, a AS b BY k AGGREGATE count(*) AS n
--              ^^^^^^^

-- query error(EDDYLINE_COGROUP.SYNTAX_ERROR, 42601)
-- in a script, behind an emoji and over several lines
  BEGIN
    SELECT '🌊';
    COGROUP a BY k,
            a AS b BY k
    AGGREGATE count(*) AS n
    WHERE n > 1;
--  ^^^^^
  END

-- query error(EDDYLINE_COGROUP.SYNTAX_ERROR, 42601)
  COGROUP a ON k, a AS b BY k AGGREGATE count(*) AS n
--          ^^

-- query error(EDDYLINE_COGROUP.SYNTAX_ERROR, 42601)
  COGROUP a BY k, a AS b GROUP BY k AGGREGATE count(*) AS n
--                       ^^^^^^^^

-- query error(EDDYLINE_COGROUP.BRANCH_UNNAMED, 42601)
  COGROUP a BY k, (SELECT 1 AS k) BY k AGGREGATE count(*) AS n
--                ^

-- query error(EDDYLINE_COGROUP.BRANCH_UNNAMED, 42601)
  COGROUP a BY k, ((TABLE a) UNION ALL (TABLE a)) BY k AGGREGATE count(*) AS n
--                ^

-- query error(EDDYLINE_COGROUP.BRANCH_UNNAMED, 42601)
  COGROUP VALUES (1), (2) BY col1, a BY k AGGREGATE count(*) AS n
--        ^^^^^^

-- query error(EDDYLINE_COGROUP.BRANCH_UNNAMED, 42601)
  COGROUP VALUES 1, 2 BY col1, a BY k AGGREGATE count(*) AS n
--        ^^^^^^

-- query error(EDDYLINE_COGROUP.SYNTAX_ERROR, 42601)
  COGROUP VALUES NULL AS v BY col1, a BY k AGGREGATE count(*) AS n
--               ^^^^

-- query error(EDDYLINE_COGROUP.SYNTAX_ERROR, 42601)
  COGROUP a BY k, a AS b BY k AGREGATE count(*) AS n, max(b.k) HAVING n > 1
--                            ^^^^^^^^

-- query error(EDDYLINE_COGROUP.SYNTAX_ERROR, 42601)
  COGROUP a, a AS b USING (k) AGGREGAT count(*) AS n
--                            ^^^^^^^^

-- query error(EDDYLINE_COGROUP.SYNTAX_ERROR, 42601)
  COGROUP a BY k WHERE k = 1, a AS b BY k AGGREGATE count(*) AS n
--               ^^^^^

-- query error(EDDYLINE_COGROUP.SYNTAX_ERROR, 42601)
  COGROUP a BY k, a AS b BY (k) WHERE k = 1 AGGREGATE count(*) AS n
--                              ^^^^^

-- query error(EDDYLINE_COGROUP.SYNTAX_ERROR, 42601)
  COGROUP a BY k, a AS b BY k AGGREGATE HAVING count(*) > 1
--                                      ^^^^^^

-- query error(EDDYLINE_COGROUP.SYNTAX_ERROR, 42601)
  COGROUP a BY k, a AS b BY k AGGREGATE HAVING EVERY BRANCH
--                                      ^^^^^^

-- query error(EDDYLINE_SYNTAX.NEAR_MISS, 42601)
  COGROUP a BY k, a AS b BY k AGGREGATE count(*) AS n HAVING ALL BRANCHES
--                                                    ^^^^^^^^^^^^^^^^^^^

-- Spark's own parse errors in the second reading, where the user typed them.

-- query error(PARSE_SYNTAX_ERROR, 42601)
  COGROUP a BY k +, a AS b BY k AGGREGATE count(*) AS n
--                ^

-- query error(PARSE_SYNTAX_ERROR, 42601)
  COGROUP a BY k, a AS b BY k AGGREGATE count(*) AS n,
    sum(b.k b.k) AS s
--          ^^^

-- query error(PARSE_SYNTAX_ERROR, 42601)
  SELECT * FROM (COGROUP a BY k, a AS b BY k AGGREGATE count(*) AS n) x WHER y
--                                                                      ^^^^

-- query error(PARSE_SYNTAX_ERROR, 42601)
  SELECT cogroup FROM a WHER x
--                           ^

-- query error(UNSUPPORTED_TYPED_LITERAL, 0A000)
  COGROUP a BY k, a AS b BY k"y" AGGREGATE count(*) AS n
--                          ^^^^

-- query error(PARSE_SYNTAX_ERROR, 42601)
  COGROUP a BY k, a AS b BY k AGGREGATE a.
--                                        ^
