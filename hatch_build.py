"""The Hatch hook that packs the jars and the demo, and compiles a jar only if some are missing."""

from __future__ import annotations

import os
import runpy
from functools import cached_property
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class JarHook(BuildHookInterface):  # type: ignore[type-arg]
    """Packs the jars that were built from these sources into the wheel or the source archive.

    A source archive has the jars of all Sparks, so that a wheel is built from it without Java. A
    checkout has those that `make` has built there; if one is missing, a wheel of the checkout needs
    Java, and gets the jar of the Spark at hand besides. An editable install leaves all to `make`.
    """

    @cached_property
    def _build(self) -> dict[str, Any]:
        return runpy.run_path(str(Path(self.root) / "jvm-shim/build.py"))

    def _missing(self) -> list[str]:
        built = self._build["built_jars"](Path(self.root))
        return [minor for minor in self._build["lines"](Path(self.root)) if minor not in built]

    def dependencies(self) -> list[str]:
        """Returns what brings Spark's jars, if one is to be compiled and SPARK_HOME has none."""
        if self.target_name == "sdist" or os.environ.get("SPARK_HOME") or not self._missing():
            return []
        return list(self.metadata.core.optional_dependencies["spark"])

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Adds the jars to what is packed, and the demo of `examples` to a wheel."""
        if version == "editable":
            return
        root = Path(self.root)
        if self.target_name == "wheel":
            build_data["force_include"][str(root / "examples/demo")] = "eddyline/demo"
        missing = self._missing()
        jars = set(self._build["built_jars"](root).values())
        if self.target_name == "sdist":
            if missing:
                raise self._build["BuildError"](
                    f"The jars for Spark {', '.join(missing)} are not built: run `make dist`."
                )
            jars |= {jar.with_suffix(".sha256") for jar in jars}
        elif missing:
            jars.add(self._build["build_jar"](root))
        build_data["artifacts"] += [f"/{jar.relative_to(root).as_posix()}" for jar in sorted(jars)]
        # one jar for each Spark minor version, but no platform-specific code
        build_data["pure_python"] = True
