"""Runs the command line tool: `python -m eddyline` is the command `eddyline`."""

from eddyline.cli import main

if __name__ == "__main__":
    main()
