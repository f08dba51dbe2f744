"""Finds out whether a Thrift server lets a client without a password in."""

from __future__ import annotations

import select
import socket
import struct
import time
from collections.abc import Callable

# Thrift's SASL negotiation: a message is one of these, the length of its text, and the text
_HEADER = struct.Struct(">BI")
_START, _BAD, _ERROR, _COMPLETE = 1, 3, 4, 5
_USER = b"\0eddyline\0anonymous"  # what JDBC sends without a password
_NO_LOGIN = "it does not take JDBC's login without a password, as with TLS, Kerberos or HTTP"
_TIMEOUT = 60  # seconds without a reply after which a server is taken to hang


def login_error(host: str, port: int, pause: Callable[[], None]) -> str | None:
    """Logs in as JDBC does by default: by SASL's PLAIN, over TCP.

    Args:
        host: the host of a server that accepts connections.
        port: its port.
        pause: waits for a moment. What it raises ends the waiting for a reply.

    Returns:
        Why the server does not let the client in; None if it does.

    Raises:
        ConnectionRefusedError: the server no longer accepts connections.
    """
    try:
        with (
            socket.create_connection((host, port), _TIMEOUT) as server,
            server.makefile("rb") as answers,
        ):
            server.sendall(_message(_START, b"PLAIN") + _message(_COMPLETE, _USER))
            server.shutdown(socket.SHUT_WR)  # or a server without SASL would wait for more
            _await_answer(server, pause)
            status, length = _HEADER.unpack(answers.read(_HEADER.size))
            if status in (_BAD, _ERROR):
                reason = answers.read(length).decode(errors="replace")
                return f"it does not let in a client without a password: {reason}"
    except ConnectionRefusedError:
        raise
    except (OSError, struct.error):
        return _NO_LOGIN
    return None if status == _COMPLETE else _NO_LOGIN


def _await_answer(server: socket.socket, pause: Callable[[], None]) -> None:
    """Waits until the server has written something or closed the connection.

    Raises:
        TimeoutError: it hangs.
    """
    end = time.monotonic() + _TIMEOUT
    while not select.select([server], [], [], 0)[0]:
        if time.monotonic() > end:
            raise TimeoutError
        pause()


def _message(status: int, text: bytes) -> bytes:
    return _HEADER.pack(status, len(text)) + text
