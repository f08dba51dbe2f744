"""The dialect as sqlfluff finds it, by the name `sqlfluff.dialects.dialect_eddyline`."""

from eddyline_sqlfluff.versions import find_dialect

eddyline_dialect = find_dialect()
