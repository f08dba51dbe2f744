-- Every named error of the clause's meaning, at its place in the text as typed.

-- statement
CREATE TABLE a USING parquet AS SELECT 1 AS k, 10 AS v, 'x' AS s, 1.5BD AS dec, TIMESTAMP'2026-01-01 00:00:00' AS ts

-- statement
CREATE TABLE b USING parquet AS SELECT 1 AS k, 20 AS w, 'y' AS s, named_struct('p', 1) AS st, TIMESTAMP'2026-01-01 00:00:00' AS ts

-- query error(EDDYLINE_COGROUP.KEY_TYPE_MISMATCH, 42K09)
  COGROUP a BY k, b BY s AGGREGATE count(*) AS n
--                     ^

-- query error(EDDYLINE_COGROUP.KEY_TYPE_MISMATCH, 42K09)
-- both fit to the first one, and not to each other
  COGROUP a BY CAST(k AS DECIMAL(10)), a AS c BY CAST(k AS DECIMAL(30)), b BY CAST(k AS DECIMAL(28, 20)) AGGREGATE count(*) AS n
--                                                                            ^^^^^^^^^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_COGROUP.KEY_TYPE_MISMATCH, 42K09)
-- over several lines, an emoji before it, the second key
  SELECT '🌊🌊' AS wave, n
  FROM (COGROUP a BY (s,
                      dec),
                b BY (s, /* here: */ k + 1)
--                                   ^^^^^
        AGGREGATE count(*) AS n) AS x

-- query error(EDDYLINE_COGROUP.KEY_TYPE_MISMATCH, 42K09)
  COGROUP a BY s, b BY s COLLATE UTF8_LCASE AGGREGATE count(*) AS n
--                     ^^^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_COGROUP.KEY_TYPE_MISMATCH, 42K09)
  COGROUP b BY st, (SELECT named_struct('q', 1) AS st) AS c BY st AGGREGATE count(*) AS n
--                                                             ^^

-- query error(EDDYLINE_COGROUP.KEY_TYPE_MISMATCH, 42K09)
  COGROUP a BY k, b BY NULL AGGREGATE count(*) AS n
--                     ^^^^

-- query error(EDDYLINE_COGROUP.KEY_TYPE_MISMATCH, 42K09)
-- DECIMAL(38,20) and DECIMAL(38,0) have no common type that keeps every digit
  COGROUP a BY CAST(dec AS DECIMAL(38, 20)), b BY CAST(k AS DECIMAL(38, 0)) AGGREGATE count(*) AS n
--                                                ^^^^^^^^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_COGROUP.KEY_TYPE_MISMATCH, 42K09)
-- bare columns, of which Spark knows only the first's place
  COGROUP a BY (k, s), b BY (k, w) AGGREGATE count(*) AS n
--                              ^

-- query error(EDDYLINE_COGROUP.KEY_COUNT_MISMATCH, 42601)
  COGROUP a BY (k, s), b BY k AGGREGATE count(*) AS n
--                          ^

-- query error(EDDYLINE_COGROUP.KEY_IS_LITERAL, 42K0E)
  COGROUP a BY k, b BY 1 AGGREGATE count(*) AS n
--                     ^

-- query error(EDDYLINE_COGROUP.KEY_NAME_MISMATCH, 42601)
  COGROUP a BY k AS x, b BY k AS y AGGREGATE count(*) AS n
--                               ^

-- query error(EDDYLINE_COGROUP.AGGREGATE_IN_KEY, 42903)
  COGROUP a BY k, b BY max(w) AGGREGATE count(*) AS n
--                     ^^^^^^

-- query error(EDDYLINE_COGROUP.DUPLICATE_ALIAS, 42712)
  COGROUP a BY k, a BY k AGGREGATE count(*) AS n
--                ^

-- query error(EDDYLINE_COGROUP.DUPLICATE_ALIAS, 42712)
  COGROUP a AS x BY k, b AS X BY k AGGREGATE count(*) AS n
--                     ^^^^^^

-- query error(EDDYLINE_COGROUP.MIXED_BRANCHES, 42K0E)
  COGROUP a BY k, b BY k AGGREGATE count(*) AS n, sum(a.v + b.w) AS s
--                                                ^^^^^^^^^^^^^^

-- query error(EDDYLINE_COGROUP.MIXED_BRANCHES, 42K0E)
  COGROUP a BY k, b BY k AGGREGATE sum(a.v) FILTER (WHERE b.w > 1) AS s
--                                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_COGROUP.MIXED_BRANCHES, 42K0E)
  COGROUP a BY k, b BY k AGGREGATE count(*) AS n HAVING max_by(a.v, b.w) > 1
--                                                      ^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_COGROUP.MIXED_BRANCHES, 42K0E)
  COGROUP a BY k, b BY k AGGREGATE count(*) AS n ORDER BY count(DISTINCT a.v, b.w)
--                                                        ^^^^^^^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_COGROUP.NOT_AGGREGATED, 42803)
  COGROUP a BY k, b BY k AGGREGATE count(*) AS n, a.v + 1 AS v
--                                                ^^^

-- query error(EDDYLINE_COGROUP.NOT_AGGREGATED, 42803)
  COGROUP a BY k, b BY k AGGREGATE v
--                                 ^

-- query error(EDDYLINE_COGROUP.NOT_AGGREGATED, 42803)
  COGROUP a BY k, b BY k AGGREGATE max(v) - a.k AS d
--                                          ^^^

-- query error(EDDYLINE_COGROUP.UNQUALIFIED_STAR, 42K0E)
  COGROUP a BY k, b BY k AGGREGATE *
--                                 ^

-- query error(EDDYLINE_COGROUP.UNQUALIFIED_STAR, 42K0E)
  COGROUP a BY k, b BY k AGGREGATE count(*) AS n, max(struct(*)) AS s
--                                                           ^

-- query error(EDDYLINE_COGROUP.UNQUALIFIED_STAR, 42K0E)
  COGROUP a BY k, b BY k AGGREGATE count(DISTINCT *) AS n
--                                                ^

-- query error(EDDYLINE_COGROUP.UNQUALIFIED_STAR, 42K0E)
  COGROUP a BY k, b BY k AGGREGATE max(struct(* EXCEPT (v))) AS s
--                                            ^^^^^^^^^^^^

-- query error(EDDYLINE_COGROUP.MIXED_BRANCHES, 42K0E)
  COGROUP a BY k, b BY k AGGREGATE count(a.*) FILTER (WHERE b.w > 1) AS n
--                                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_COGROUP.NOT_AGGREGATED, 42803)
  COGROUP a BY k, b BY k AGGREGATE a.*

-- query error(EDDYLINE_COGROUP.MIXED_BRANCHES, 42K0E)
-- in a scalar subquery
  SELECT (SELECT max(s) FROM (COGROUP a BY k, b BY k AGGREGATE sum(a.v * b.w) AS s)) AS top
--                                                             ^^^^^^^^^^^^^^

-- query error(EDDYLINE_COGROUP.NOT_AGGREGATED, 42803)
-- in EXISTS
  SELECT * FROM a WHERE EXISTS (COGROUP a BY k, b BY k AGGREGATE b.w)
--                                                               ^^^

-- query error(EDDYLINE_COGROUP.NO_AGGREGATE, 42601)
  SELECT * FROM __eddyline_cogroup(a => TABLE(SELECT * FROM a) PARTITION BY k, b => TABLE(SELECT * FROM b) PARTITION BY k)

-- query error(EDDYLINE_PLACEHOLDER, 42601)
  SELECT * FROM __eddyline_cogroup(1, 2)

-- query error(EDDYLINE_COGROUP.WINDOW_MISMATCH, 42601)
  COGROUP a BY window(ts, '1 hour'), b BY window(ts, '2 hours') AGGREGATE count(*) AS n
--                                        ^^^^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_COGROUP.WINDOW_MISMATCH, 42601)
  COGROUP a BY ts, b BY window(ts, '2 hours') AGGREGATE count(*) AS n
--                      ^^^^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_COGROUP.NOT_AGGREGATED, 42803)
-- in a lambda
  COGROUP a BY k, b BY k AGGREGATE transform(collect_list(a.v), x -> x + a.k) AS vs
--                                                                       ^^^

-- query error(EDDYLINE_COGROUP.UNRESOLVED_BRANCH, 42703)
  COGROUP a BY k, b BY k AGGREGATE count(c.*) AS n
--                                       ^^^

-- query error(EDDYLINE_COGROUP.UNRESOLVED_BRANCH, 42703)
  COGROUP a BY k, b BY k AGGREGATE max(struct(c.*)) AS n
--                                            ^^^

-- query error(EDDYLINE_COGROUP.UNRESOLVED_BRANCH, 42703)
  COGROUP a BY k, b BY k AGGREGATE max(struct(c.* EXCEPT (v))) AS n
--                                            ^^^^^^^^^^^^^^

-- query error(EDDYLINE_COGROUP.UNRESOLVED_BRANCH, 42703)
  COGROUP a BY k, b BY k AGGREGATE count(*) AS n HAVING count(c.*) > 1
--                                                            ^^^

-- query error(EDDYLINE_COGROUP.WINDOW_NOT_CONSTANT, 42K0E)
  COGROUP a BY session_window(ts, concat(k, ' seconds')), b BY session_window(ts, concat(k, ' seconds')) AGGREGATE count(*) AS n
--                                       ^

-- query error(EDDYLINE_COGROUP.WINDOW_NESTED, 42K0E)
  COGROUP a BY session_window(ts, '1 hour').start AS s, b BY ts AGGREGATE count(*) AS n
--             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_COGROUP.WINDOW_IN_AGGREGATE, 42K0E)
  COGROUP a BY k, b BY k AGGREGATE count(a.*) AS n, count(DISTINCT window(b.ts, '1 day')) AS days
--                                                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_COGROUP.WINDOW_IN_AGGREGATE, 42K0E)
  COGROUP a BY k, b BY k AGGREGATE max(window(b.ts, '2 hours', '1 hour').end) AS until
--                                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_COGROUP.WINDOW_IN_AGGREGATE, 42K0E)
  COGROUP a BY k, b BY k AGGREGATE max(session_window(b.ts, '1 hour').end) AS until
--                                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_COGROUP.WINDOW_IN_AGGREGATE, 42K0E)
-- of a key, whose rows a sliding window would double for the other aggregates too
  COGROUP a BY ts, b BY ts AGGREGATE count(*) AS n, max(window(ts, '2 hours', '1 hour').end) AS until
--                                                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

-- Spark's own errors, at the right place.

-- query error(UNRESOLVED_COLUMN.WITH_SUGGESTION, 42703)
  COGROUP a BY nope, b BY k AGGREGATE count(*) AS n
--             ^^^^

-- query error(UNRESOLVED_COLUMN.WITH_SUGGESTION, 42703)
  COGROUP a BY k, b BY k AGGREGATE count(a.*) AS n, max(a.nope) AS m
--                                                      ^^^^^^

-- query error(UNRESOLVED_COLUMN.WITH_SUGGESTION, 42703)
-- the limit of Spark: an aggregate in HAVING and another in ORDER BY
  COGROUP a BY k, b BY k AGGREGATE count(*) AS n HAVING max(a.v) > 1 ORDER BY count(b.*)
--                                                                                  ^^^

-- query error(UNRESOLVED_COLUMN.WITH_SUGGESTION, 42703) since 4.2
  COGROUP a BY k, b BY k AGGREGATE count(*) AS n QUALIFY rank() OVER (ORDER BY count(b.*)) = 1
--                                                                                   ^^^

-- query error(EDDYLINE_COGROUP.COUNT_OVER_WINDOW, 42K0E)
  COGROUP a BY k, b BY k AGGREGATE count(a.*) AS n, count(a.*) OVER () AS m
--                                                  ^^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_COGROUP.COUNT_OVER_WINDOW, 42K0E)
-- a named window
  COGROUP a BY k, b BY k AGGREGATE 1 + count(b.*) OVER w AS n WINDOW w AS (ORDER BY k)
--                                     ^^^^^^^^^^^^^^^^^

-- query error(EDDYLINE_COGROUP.COUNT_OVER_WINDOW, 42K0E) since 4.2
-- in QUALIFY
  COGROUP a BY k, b BY k AGGREGATE count(*) AS n QUALIFY count(b.*) OVER (PARTITION BY n) > 1
--                                                       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

-- query error(UNRESOLVED_COLUMN.WITH_SUGGESTION, 42703)
  COGROUP a, b USING (k, v) AGGREGATE count(*) AS n
--                       ^

-- query error(AMBIGUOUS_REFERENCE, 42704)
  COGROUP a BY k, b BY k AGGREGATE count(s) AS n
--                                       ^

-- query error(TABLE_OR_VIEW_NOT_FOUND, 42P01)
  COGROUP a BY k, nowhere BY k AGGREGATE count(*) AS n
--                ^^^^^^^

-- query error(UNRESOLVED_ROUTINE, 42883)
  COGROUP a BY k, b BY k AGGREGATE nope(a.v) AS n
--                                 ^^^^^^^^^

-- query error(NESTED_AGGREGATE_FUNCTION, 42607)
  COGROUP a BY k, b BY k AGGREGATE sum(count(a.v)) AS n

-- query error(DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN, 42K09)
  COGROUP a WHERE s BY k, b BY k AGGREGATE count(*) AS n

-- query error(DIVIDE_BY_ZERO, 22012)
  COGROUP a BY k, b BY k
  AGGREGATE sum(a.v / 0) AS n
--              ^^^^^^^

-- query error(DIVIDE_BY_ZERO, 22012)
-- in a key, with a named key before it
  COGROUP a BY (k AS x, v / 0), b BY (k, w / 1) AGGREGATE count(*) AS n
--                      ^^^^^
