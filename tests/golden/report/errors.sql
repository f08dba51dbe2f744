-- What EXPLAIN CLAUSES refuses, at the offending word.

-- query error(EDDYLINE_REPORT.SYNTAX_ERROR, 42601)
  EXPLAIN CLAUSES STREAMING QUERIES
--                          ^^^^^^^

-- query error(EDDYLINE_REPORT.SYNTAX_ERROR, 42601)
  EXPLAIN CLAUSES STREAMING QUERY
--

-- query error(EDDYLINE_REPORT.SYNTAX_ERROR, 42601)
  EXPLAIN CLAUSES STREAMING QUERY tops now
--                                     ^^^

-- query error(EDDYLINE_SYNTAX.NEAR_MISS, 42601)
  EXPLAIN CLAUSES SHOW TABLES
--^^^^^^^^^^^^^^^

-- query error(EDDYLINE_REPORT.SYNTAX_ERROR, 42601)
  EXPLAIN CLAUSES WITH
--                ^^^^

-- query error(TABLE_OR_VIEW_NOT_FOUND, 42P01)
  EXPLAIN CLAUSES SELECT 1 FROM nothing
--                              ^^^^^^^

-- query error(EDDYLINE_REPORT.SYNTAX_ERROR, 42601)
  EXPLAIN CLAUSES CREATE TABLE t (AS INT)
--                ^^^^^^

-- query error(EDDYLINE_REPORT.SYNTAX_ERROR, 42601)
  EXPLAIN CLAUSES UPSERT INTO TABLE t SELECT 1
--                                    ^^^^^^

-- query error(TABLE_OR_VIEW_NOT_FOUND, 42P01)
  EXPLAIN CLAUSES INSERT INTO nothing SELECT 1
--                            ^^^^^^^

-- query error(PARSE_SYNTAX_ERROR, 42601)
  EXPLAIN CLAUSES TABLE AND  sales
--                ^^^^^^^^^^^^^^^^
