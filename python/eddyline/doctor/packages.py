"""The packages in use and their versions."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

from eddyline.versions import eddyline_version


def package_versions() -> dict[str, str]:
    """Returns versions by name: of eddyline, Python, the platform and the packages in use."""
    versions = {
        "eddyline": eddyline_version(),
        "python": platform.python_version(),
        "platform": platform.platform(),
    }
    for package in ("pyspark", "sqlglot", "sqlglotc", "py4j", "click", "rich"):
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = "not installed"
    return versions


def show_versions() -> None:
    """Prints the versions that a bug report should name."""
    width = max(map(len, package_versions()))
    for name, number in package_versions().items():
        print(f"{name:<{width}}  {number}")
