"""dbt in a process of its own, with a project that has the package of eddyline."""

from __future__ import annotations

import itertools
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from interop.launch import process

_SHOWN = 6_000  # characters


@dataclass(frozen=True)
class Dbt:
    """A project, and a process that runs dbt for it.

    Attributes:
        project: the folder of the project, a copy.
        scratch: the folder of the server or of the session, with its tables in `warehouse`.
        started: the process.
    """

    project: Path
    scratch: Path
    started: subprocess.Popen[str]

    def run(self, *arguments: str, fails: bool = False) -> dict[str, Any]:
        """Runs a command such as `build`, and returns what `dbt_process.run` says of it."""
        done = self.ask(*arguments)
        assert done["success"] is not fails, f"{arguments}: {done}\n{self.printed()}"
        return dict(done)

    def ask(self, *arguments: str) -> dict[str, Any]:
        """Runs a command, which may fail, and returns what `dbt_process.run` says of it."""
        return dict(self._ask(arguments))

    def deaths(self, *arguments: str) -> Iterator[int]:
        """Runs a command that dies before its first statement that writes, its second, and so on.

        Yields how many it has sent, after each death and last after a run that was not killed.
        """
        for writes in itertools.count():
            done = self._ask({"arguments": arguments, "writes": writes})
            assert done["success"] is not done["died"], f"{done}\n{self.printed()}"
            yield writes
            if not done["died"]:
                break
        assert writes > 0, "nothing was killed"

    def interrupted(self, *arguments: str, before: str, statement: str) -> dict[str, Any]:
        """Runs a command; another client runs a statement before the one that begins so."""
        return dict(self._ask({"arguments": arguments, "before": before, "statement": statement}))

    def unlisted(self, *arguments: str) -> dict[str, Any]:
        """Runs a command for which Spark lists no tables."""
        return dict(self._ask({"arguments": arguments, "unlisted": True}))

    def messages(self, *arguments: str, fails: bool = False) -> dict[str, str]:
        """Runs a command and returns the message of each node."""
        nodes = self.run(*arguments, fails=fails)["nodes"]
        return {name: node["message"] for name, node in nodes.items()}

    def failure(self, model: str) -> str:
        """Runs a model that fails, and returns its message."""
        return self.messages("run", "--select", model, fails=True)[model]

    def sql(self, statement: str) -> list[list[Any]]:
        """Returns the rows of a statement; dbt has no part in it."""
        return list(self._ask(statement))

    def _ask(self, question: object) -> Any:
        assert self.started.stdin is not None
        assert self.started.stdout is not None
        print(json.dumps(question), file=self.started.stdin, flush=True)
        answer = self.started.stdout.readline()
        assert answer, self.printed()
        answered = json.loads(answer)
        assert "raised" not in answered, answered["raised"]
        return answered["done"]

    def change(self, path: str, old: str, new: str) -> None:
        """Replaces a part of the text of a model."""
        file = self.project / "models" / path
        text = file.read_text("utf-8")
        assert old in text, text
        file.write_text(text.replace(old, new), "utf-8")

    def printed(self) -> str:
        """Returns the end of what dbt has printed."""
        return (self.project / "printed.txt").read_text("utf-8", "replace")[-_SHOWN:]

    def last_printed(self) -> str:
        """Returns what the last command has printed."""
        printed = (self.project / "printed.txt").read_text("utf-8", "replace")
        return printed.rpartition("Running with dbt")[2]

    @contextmanager
    def model(self, path: str, text: str = "") -> Iterator[Path]:
        """Yields the file of a model, which is as before afterwards."""
        file = self.project / "models" / path
        before = file.read_text("utf-8") if file.exists() else None
        if text:
            file.write_text(text, "utf-8")
        try:
            yield file
        finally:
            if before is None:
                file.unlink()
            else:
                file.write_text(before, "utf-8")

    @property
    def sent(self) -> str:
        """All that dbt has logged, with the statements that it sent."""
        return (self.project / "logs/dbt.log").read_text("utf-8")


def install_package(project: Path) -> None:
    """Writes the packages.yml that docs/dbt.md shows."""
    from click.testing import CliRunner

    from eddyline.cli.commands import eddyline

    found = CliRunner().invoke(eddyline, ["dbt", "path"]).output.strip()
    (project / "packages.yml").write_text(f"packages:\n  - local: {found}\n", "utf-8")


@contextmanager
def dbt_project(
    scratch: Path, target: str, given: Mapping[str, str] | None = None, port: int = 0
) -> Iterator[Dbt]:
    """Copies the project, starts a process that runs dbt for it, and installs the package.

    Args:
        scratch: the folder of the server or of the session.
        target: the way to Spark, `session` or `thrift`.
        given: confs of the session.
        port: the port of the server.
    """
    project = shutil.copytree(Path(__file__).with_name("dbt_project"), scratch / "project")
    install_package(project)
    with (
        (project / "printed.txt").open("ab") as printed,
        process(
            [sys.executable, "-P", str(Path(__file__).with_name("dbt_process.py"))],
            project,
            subprocess.PIPE,
            printed.fileno(),
            stdin=subprocess.PIPE,
            DBT_PROJECT_DIR=str(project),
            DBT_PROFILES_DIR=str(project),
            DBT_TARGET=target,
            DBT_USE_COLORS="false",
            DBT_SEND_ANONYMOUS_USAGE_STATS="false",
            DBT_VERSION_CHECK="false",
            DBT_LOG_FILE_MAX_BYTES="0",  # one file, however much is logged
            EDDYLINE_TEST_CONFS=json.dumps(given or {}),
            EDDYLINE_TEST_PORT=str(port),
        ) as started,
    ):
        dbt = Dbt(project, scratch, started)
        dbt.run("deps")
        yield dbt
