"""The formatter of `eddyline fmt`.

It formats a text and changes nothing else: every token and comment stays as it was typed.
sqlglot's generator is not used, since it also rewrites SQL and moves comments.
"""

from eddyline.formatting.files import LINE_LENGTH, format_sql

__all__ = ["LINE_LENGTH", "format_sql"]
