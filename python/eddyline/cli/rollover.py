"""Copies standard input into a log file, which is renamed to `<file>.1` when it is full, and so on.

Its arguments are the file, the bytes that one holds, and how many full ones are kept. It is a
process of its own, so that a server can write as long as it runs, whatever becomes of the command
that has started it. What a full disk refuses is left out: it must not stop the server.
"""

import logging
import sys
from logging.handlers import RotatingFileHandler

_LINE = 2**16  # bytes, after which a line is broken

if __name__ == "__main__":
    logging.raiseExceptions = False
    path, size, full = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    file = RotatingFileHandler(
        path, maxBytes=size, backupCount=full, encoding="utf-8", errors="surrogateescape"
    )
    for line in iter(lambda: sys.stdin.buffer.readline(_LINE), b""):
        text = line.removesuffix(b"\n").decode("utf-8", "surrogateescape")
        file.handle(logging.makeLogRecord({"msg": text}))
