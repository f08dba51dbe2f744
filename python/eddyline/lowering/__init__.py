"""Lowering: each clause of eddyline becomes a call of a placeholder that Spark can parse.

The clauses are found on sqlglot's token stream; all else in a text is opaque. Only keywords are
edited, so every expression stays where it was typed.
"""

from eddyline.lowering.scanner import Lowering, lower, mask, read

__all__ = ["Lowering", "lower", "mask", "read"]
