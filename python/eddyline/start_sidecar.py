"""Starts the sidecar, which imports nothing from the working directory.

The jar gives this text to `python -c`. Python would look up every module in the working directory
first, and PYTHONSAFEPATH forbids that since Python 3.11 only. A Ctrl-C at the terminal reaches all
processes there; it is for the statement that runs, and the sidecar ends when its input ends.
"""

import sys

if __name__ == "__main__":
    sys.path[:] = filter(None, sys.path)
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    from runpy import run_module

    run_module("eddyline.sidecar", run_name="__main__", alter_sys=True)
