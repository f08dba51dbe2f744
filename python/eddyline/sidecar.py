"""The sidecar, a process that the jar starts to lower SQL; it ends when its input ends.

The jar starts it by `start_sidecar.py`.

Frames on standard input and output are a length (4 bytes, big-endian) and that many bytes of
UTF-8. The first frame out is the version of eddyline. Each frame in is one byte, 1 if "x" is a
name and not a string, else 0, and then a text; the answer to it is JSON:

    {"kind": "unchanged"}
    {"kind": "lowered", "text": …, "edits": [{"start", "stop", "text"}, …], "masked": …}
    {"kind": "refused", "condition": …, "parameters": {…}, "start": …, "stop": …, "masked": …}
    {"kind": "failed", "error": …, "traceback": …}

Offsets count UTF-16 code units, as Java does.
"""

from __future__ import annotations

import json
import struct
import sys
import traceback
from bisect import bisect_left
from collections.abc import Callable
from typing import Any, BinaryIO

from eddyline.errors import ClauseError
from eddyline.lowering import mask, read
from eddyline.versions import eddyline_version


def answer(sql: str, *, double_quoted_identifiers: bool = False) -> dict[str, Any]:
    """Returns the answer to one text.

    Args:
        sql: any text.
        double_quoted_identifiers: whether "x" is a name and not a string.

    >>> answer("SELECT 1")
    {'kind': 'unchanged'}
    """
    offset = _utf16_offsets(sql)
    try:
        lowering = read(sql, double_quoted_identifiers=double_quoted_identifiers)
    except ClauseError as error:
        masked = mask(sql, double_quoted_identifiers=double_quoted_identifiers)
        return {
            "kind": "refused",
            "condition": error.condition,
            "parameters": error.parameters,
            "start": offset(error.start),
            "stop": offset(error.stop),
            "masked": _same_utf16_length(masked, sql),
        }
    if lowering is None:
        return {"kind": "unchanged"}
    edits = [
        {"start": offset(edit.start), "stop": offset(edit.stop), "text": edit.text}
        for edit in lowering.edits
    ]
    masked = _same_utf16_length(lowering.masked, sql)
    return {"kind": "lowered", "text": lowering.sql, "edits": edits, "masked": masked}


def serve(requests: BinaryIO, replies: BinaryIO) -> None:
    """Answers frames until `requests` ends."""
    _write(replies, eddyline_version())
    while (frame := requests.read(4)) and len(frame) == 4:
        body = requests.read(struct.unpack(">i", frame)[0])
        text = body[1:].decode("utf-8", "surrogatepass")
        _write(replies, json.dumps(_answer_always(text, body[0] == 1)))


def _answer_always(sql: str, double_quoted_identifiers: bool) -> dict[str, Any]:
    """Returns the answer to one text, also if a fault of this package raises an error."""
    try:
        return answer(sql, double_quoted_identifiers=double_quoted_identifiers)
    except Exception as error:
        (*_, last) = traceback.format_exception_only(error)
        return {"kind": "failed", "error": last.strip(), "traceback": traceback.format_exc()}


def _write(replies: BinaryIO, text: str) -> None:
    data = text.encode("utf-8")
    replies.write(struct.pack(">i", len(data)) + data)
    replies.flush()


def _utf16_offsets(sql: str) -> Callable[[int], int]:
    """Returns the function from offsets in characters to offsets in UTF-16 code units."""
    if sql.isascii() or max(sql) < "\U00010000":
        return lambda offset: offset
    wide = [index for index, char in enumerate(sql) if char >= "\U00010000"]
    return lambda offset: offset + bisect_left(wide, offset)


def _same_utf16_length(masked: str, sql: str) -> str:
    """Returns `masked` with two blanks for each character of `sql` that is two UTF-16 units."""
    return "".join(
        "  " if char >= "\U00010000" and blank == " " else blank
        for char, blank in zip(sql, masked, strict=True)
    )


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)
