"""sqlglot's dialect `eddyline`, which sqlglot finds by the entry point of this package."""

from eddyline.dialect.plugin import Eddyline

__all__ = ["Eddyline"]
