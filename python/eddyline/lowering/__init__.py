"""Lowering, which turns each clause of eddyline into a call of a placeholder that Spark can parse.

The clauses are found in sqlglot's stream of tokens; the rest of a text is opaque. Only keywords
are edited, so every expression stays where it was typed.
"""

from eddyline.lowering.scanner import Lowering, find_clauses, lower_sql, mask, read

__all__ = ["Lowering", "find_clauses", "lower_sql", "mask", "read"]
