"""The dialect beside `sqlfluff[rs]`, whose lexer and parser know sqlfluff's own dialects only.

Where it is installed, sqlfluff takes them for every dialect, and they panic at an unknown one. So
for this one they make way for the lexer and the parser in Python.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

_MODULES = "sqlfluff.core.parser"


def step_aside(dialect: str) -> None:
    """Makes the lexer and the parser of the accelerator give way for a dialect."""
    if find_spec("sqlfluffrs") is None:
        return
    lexers, parsers = import_module(f"{_MODULES}.lexer"), import_module(f"{_MODULES}.rust_parser")
    give_way(lexers.PyRsLexer, lexers.PyLexer, dialect)
    give_way(parsers.RustParser, import_module(_MODULES).Parser, dialect)


def give_way(accelerated: Any, python: Callable[..., Any], dialect: str) -> None:
    """Lets a class make an object of another one for a dialect.

    Args:
        accelerated: the class. Its first argument is a configuration, unless it is given a dialect.
        python: the other class, which takes the same arguments.
        dialect: the dialect.
    """
    new = accelerated.__new__

    def new_or_python(cls: type[Any], *args: Any, **kwargs: Any) -> Any:
        config = kwargs.get("config", args[0] if args else None)
        asked = kwargs.get("dialect") if config is None else config.get("dialect")
        if asked == dialect:
            return python(*args, **kwargs)
        return new(cls) if new is object.__new__ else new(cls, *args, **kwargs)

    accelerated.__new__ = new_or_python
