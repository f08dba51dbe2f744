"""Runs statements one after another and prints their rows."""

from __future__ import annotations

import sys
import threading
import uuid
from collections.abc import Callable
from concurrent.futures import Future, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import click
from rich.console import Console
from rich.status import Status

from eddyline.cli.output import RowPrinter
from eddyline.errors import EddylineError
from eddyline.follow import counted, follow
from eddyline.jvm import is_classic
from eddyline.lowering.statements import Statement

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_CANCELLED = 10.0  # seconds that a cancelled statement may take to end
_T = TypeVar("_T")


def progress(message: str) -> Status:
    """Returns a line on stderr that says what is going on; it shows nowhere but on a terminal."""
    return Console(stderr=True, force_terminal=sys.stderr.isatty()).status(message)


@dataclass(frozen=True)
class Runner:
    """Runs statements in a session.

    Attributes:
        spark: the session, classic or of Spark Connect.
        form: the form of the rows, one of `output.FORMATS`.
        follows: whether the rows of a query over streams are printed as they come.
        available_now: whether such a query stops after the rows that are there.
        limit: after how many rows such a query stops; None for no limit.
    """

    spark: SparkSession
    form: str = "table"
    follows: bool = False
    available_now: bool = False
    limit: int | None = None

    def run(self, statement: Statement) -> None:
        """Runs a statement and prints its rows, if it returns any.

        Raises:
            EddylineError: EDDYLINE_FOLLOW.NOT_REQUESTED for a query over streams, unless it is to
                be followed.
            PySparkException: if the statement fails.
            KeyboardInterrupt: if it was interrupted; it has been cancelled.
        """
        form = "vertical" if statement.vertical else self.form
        with progress("Running…") as line:
            stream = cancellable(self.spark, lambda: self._print(statement.text, form, line))
        if stream is not None:
            self._follow(stream, form)

    def _print(self, text: str, form: str, line: Status) -> DataFrame | None:
        """Prints the rows of a statement; returns a query over streams, which has none yet."""
        frame = self.spark.sql(text)
        if not frame.columns:
            return None
        if frame.isStreaming:
            if not self.follows:
                raise EddylineError("EDDYLINE_FOLLOW.NOT_REQUESTED")
            return frame
        printer = RowPrinter(form, frame)
        rows = printer.fetch(frame)
        line.stop()
        printer.print(rows)
        return None

    def _follow(self, frame: DataFrame, form: str) -> None:
        printer = RowPrinter(form, frame)
        with follow(frame, self.limit, available_now=self.available_now) as rows:
            try:
                for batch in rows.batches(printer.select):
                    printer.print(batch)
            finally:
                click.echo(counted(rows.taken), err=True)


def cancellable(spark: SparkSession, work: Callable[[], _T]) -> _T:
    """Runs `work` on another thread, so that an interrupt can cancel what it has started."""
    tag = f"eddyline-{uuid.uuid4()}"
    done: Future[_T] = Future()
    # a classic session interrupts only what its calling thread has tagged, its context any job
    mark: Callable[[str], object]
    cancel: Callable[[str], object]
    if is_classic(spark):
        context = spark.sparkContext
        mark, cancel = context.addJobTag, context.cancelJobsWithTag
    else:
        mark, cancel = spark.addTag, spark.interruptTag

    def run() -> None:
        try:
            mark(tag)
            done.set_result(work())
        except BaseException as error:
            done.set_exception(error)

    thread = threading.Thread(target=run, daemon=True)
    try:
        thread.start()
        return done.result()
    except KeyboardInterrupt:
        click.echo("Cancelled.", err=True)
        cancel(tag)
        if thread.is_alive():
            wait([done], _CANCELLED)
        raise
