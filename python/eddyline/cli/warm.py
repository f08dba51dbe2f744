"""The command `eddyline warm`."""

from __future__ import annotations

from collections.abc import Mapping

import click

from eddyline.archive import archive_for
from eddyline.cli.options import settings_option
from eddyline.cli.runner import progress
from eddyline.cli.submit import spark_home
from eddyline.session import settings, spark_defaults


@click.command()
@settings_option
def warm(conf: Mapping[str, str]) -> None:
    """Make the archive of classes with which Spark starts in about 0.6 of the CPU time.

    There is one for each Java, Spark, jar, class path and set of options of Java, in the user's
    cache folder or in that of EDDYLINE_ARCHIVES. `eddyline.configure`, `eddyline sql`, `demo` and
    `serve` use it; `eddyline sql` and `demo` make it by themselves, after the first run. Prints its
    path; takes a minute, unless it is there.
    """
    given = {**spark_defaults(), **conf}
    archive = archive_for({**given, **settings(given)}, spark_home())
    with progress("Making the archive…"):
        made = archive.make()
    click.echo(made)
