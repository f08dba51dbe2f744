"""The other Javas of this machine: `python tests/javas.py` prints the folder of each, or `none`.

They are looked for in JAVA_HOMES, a list of folders as in PATH, and beside the Java in use.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from eddyline.java import java_path
from eddyline.versions import java_versions


def homes() -> dict[int, Path | None]:
    """Returns the folder of each Java that is to be tested but the one in use, by its version."""
    used = Path(java_path()).resolve().parents[1]
    given = [Path(home) for home in os.environ.get("JAVA_HOMES", "").split(os.pathsep) if home]
    found = {version(home): home.resolve() for home in (*sorted(used.parent.iterdir()), *given)}
    return {java: found.get(java) for java in java_versions() if java != version(used)}


def version(home: Path) -> int | None:
    """Returns the major version of the Java in a folder, or None if there is none."""
    release = home / "release"
    if not (release.is_file() and (home / "bin/java").exists()):
        return None
    found = re.search(r'^JAVA_VERSION="(\d+)', release.read_text("utf-8"), re.MULTILINE)
    return int(found[1]) if found else None


if __name__ == "__main__":
    for java, home in homes().items():
        print(java, home or "none")
