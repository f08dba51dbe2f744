"""The Java that Spark will start."""

from __future__ import annotations

import os
import re
import shutil
import subprocess

from eddyline.errors import EddylineError
from eddyline.versions import java_versions


def java_path() -> str:
    """Returns the path of the Java that Spark will start.

    Raises:
        EddylineError: EDDYLINE_ENVIRONMENT.JAVA_MISSING if there is none.
    """
    home = os.environ.get("JAVA_HOME")
    path = os.path.join(home, "bin", "java") if home else shutil.which("java")
    if path is None or not os.path.exists(path):
        raise _missing(
            f"JAVA_HOME is {home}, which has no bin/java" if home else "no java on the path"
        )
    return path


def find_java() -> tuple[str, str]:
    """Returns the path of the Java that Spark will start, and its version.

    Raises:
        EddylineError: EDDYLINE_ENVIRONMENT.JAVA_MISSING if there is none, or it is too old.
    """
    path = java_path()
    try:
        done = subprocess.run([path, "-version"], capture_output=True, text=True, check=False)
    except OSError as error:
        raise _missing(f"{path} cannot be started: {error.strerror}") from error
    found = re.search(r'version "((?:1\.)?(\d+)[^"]*)"', done.stderr)
    if found is None or int(found[2]) < java_versions()[0]:
        shown = found[1] if found else "of an unknown version"
        raise _missing(f"{path} is Java {shown}")
    return path, found[1]


def _missing(reason: str) -> EddylineError:
    *others, last = map(str, java_versions())
    required = f"{', '.join(others)} or {last}"
    return EddylineError("EDDYLINE_ENVIRONMENT.JAVA_MISSING", reason=reason, required=required)
