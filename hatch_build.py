"""The Hatch hook that puts the jar into a wheel, built by `jvm-shim/build.py` if need be."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class JarHook(BuildHookInterface):  # type: ignore[type-arg]
    """Builds the jar before a wheel is packed; an editable install leaves that to `make jar`."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Builds the jar (needs Java 17 and an importable pyspark: `--no-build-isolation`)."""
        if version == "editable":
            return
        root = Path(self.root)
        if not list((root / "python/eddyline/jars").glob("*.jar")):
            build = runpy.run_path(str(root / "jvm-shim/build.py"))
            build["build_jar"](root)
        # one jar for each Spark minor version, but no platform-specific code
        build_data["pure_python"] = True
