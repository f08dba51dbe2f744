"""The Hatch hook that puts the jars into the wheel, after it has built that of one Spark."""

from __future__ import annotations

import os
import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class JarHook(BuildHookInterface):  # type: ignore[type-arg]
    """Builds the jar for a wheel; an editable install leaves that to `make jar`."""

    def dependencies(self) -> list[str]:
        """Returns what a build needs beside Java 17: Spark's jars, unless SPARK_HOME has them."""
        if os.environ.get("SPARK_HOME"):
            return []
        return list(self.metadata.core.optional_dependencies["spark"])

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Builds the jar of this Spark, and packs it with those built from the same sources."""
        if version == "editable":
            return
        root = Path(self.root)
        build = runpy.run_path(str(root / "jvm-shim/build.py"))
        for jar in sorted({build["build_jar"](root), *build["built_jars"](root)}):
            build_data["artifacts"].append(f"/{jar.relative_to(root).as_posix()}")
        # one jar for each Spark minor version, but no platform-specific code
        build_data["pure_python"] = True
