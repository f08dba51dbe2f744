"""Replaces itself with the command of its arguments, which is asked to end when stdin is closed.

The parent holds the other end of stdin, which the kernel closes however the parent ends. Another
process of the same group waits for that, and sends SIGTERM to the command.
"""

import os
import signal
import sys

if __name__ == "__main__":
    command = os.getpid()
    if os.fork() == 0:
        os.closerange(1, 3)
        sys.stdin.buffer.read()
        os.kill(command, signal.SIGTERM)
        os._exit(0)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores it, and so would the command
    os.execv(sys.argv[1], sys.argv[1:])
