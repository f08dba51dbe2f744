"""The Java that Spark will start."""

from __future__ import annotations

import os
import re
import shutil
import subprocess

from eddyline.errors import EddylineError
from eddyline.versions import java_version


def find_java() -> tuple[str, str]:
    """Returns the path of the Java that Spark will start, and its version.

    Raises:
        EddylineError: EDDYLINE_ENVIRONMENT.JAVA_MISSING if there is none, or it is too old.
    """
    required = java_version()

    def missing(reason: str) -> EddylineError:
        return EddylineError(
            "EDDYLINE_ENVIRONMENT.JAVA_MISSING", reason=reason, required=str(required)
        )

    home = os.environ.get("JAVA_HOME")
    path = os.path.join(home, "bin", "java") if home else shutil.which("java")
    if path is None or not os.path.exists(path):
        reason = f"JAVA_HOME is {home}, which has no bin/java" if home else "no java on the path"
        raise missing(reason)
    try:
        done = subprocess.run([path, "-version"], capture_output=True, text=True, check=False)
    except OSError as error:
        raise missing(f"{path} cannot be started: {error.strerror}") from error
    found = re.search(r'version "((?:1\.)?(\d+)[^"]*)"', done.stderr)
    if found is None or int(found[2]) < required:
        shown = found[1] if found else "of an unknown version"
        raise missing(f"{path} is Java {shown}")
    return path, found[1]
