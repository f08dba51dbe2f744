"""Environments that hold what pip installs and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from interop.pip import OTHERS, SQLGLOT, pip
from waiting import PROCESS_HANGS

REQUIRED = [SQLGLOT, *OTHERS]
# of these the settings of this machine would reach an installation, or Spark
_HIDDEN = ("JAVA_HOME", "PYTHON", "SPARK_", "PYSPARK_", "VIRTUAL_ENV")


@dataclass(frozen=True)
class Environment:
    """A virtual environment.

    Attributes:
        folder: where it lies.
    """

    folder: Path

    @property
    def scripts(self) -> Path:
        """The folder of its Python and of the commands that its packages bring."""
        return self.folder / "bin"

    @property
    def packages(self) -> Path:
        """The folder of its packages."""
        (found,) = self.folder.glob("lib/python*/site-packages")
        return found

    def fetch(self, *requirements: str) -> None:
        """Installs packages of an index; where it cannot, the test is skipped and says why."""
        pip(self.scripts / "python", "install", "--quiet", *requirements)

    def install(self, archive: Path, *options: str) -> None:
        """Installs a wheel or a source archive of eddyline, without an index and without a Java."""
        command = ["python", "-m", "pip", "install", "--quiet", "--no-index", *options]
        done = self.run(*command, str(archive), PATH=str(self.scripts), JAVA_HOME="/nowhere")
        assert done.returncode == 0, done.stderr

    def run(
        self, program: str, *arguments: str, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """Runs a program of this environment to its end; the caller checks the exit code."""
        return subprocess.run(
            [str(self.scripts / program), *arguments],
            env={**self.variables(), **variables},
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=PROCESS_HANGS,
            check=False,
        )

    def python(self, code: str, **variables: str) -> str:
        """Returns what a program prints, or the last line of the error that ends it."""
        done = self.run("python", "-c", code, **variables)
        return (done.stdout if done.returncode == 0 else done.stderr.splitlines()[-1]).strip()

    def variables(self) -> dict[str, str]:
        """Returns the environment variables of its processes."""
        shown = {key: value for key, value in os.environ.items() if not key.startswith(_HIDDEN)}
        path = os.pathsep.join([str(self.scripts), os.environ["PATH"]])
        java = {"JAVA_HOME": os.environ["JAVA_HOME"]} if "JAVA_HOME" in os.environ else {}
        return {**shown, **java, "PATH": path, "SPARK_LOCAL_IP": "127.0.0.1"}


def new_environment(folder: Path) -> Environment:
    """Returns an environment that holds nothing but pip."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True, timeout=PROCESS_HANGS)
    return Environment(folder)


def build(root: Path, target: str, to: Path, **variables: str) -> Path:
    """Builds the wheel or the source archive of a tree, and returns its path."""
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(to)],
        cwd=root,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=PROCESS_HANGS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (built,) = to.glob("*.whl" if target == "wheel" else "*.tar.gz")
    return built
