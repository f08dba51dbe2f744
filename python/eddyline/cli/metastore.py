"""Which catalog a server will have: Hive's metastore, embedded in the server, or another one."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree

from eddyline.session import settings_folder

_CATALOG = "spark.sql.catalogImplementation"
_POOLING = "datanucleus.connectionPoolingType"
_URL = "javax.jdo.option.ConnectionURL"
_URIS = "hive.metastore.uris"
_HADOOP = "spark.hadoop."

ADVICE = (
    "The catalog is Spark's embedded Derby, which is made for one client: no other server can open "
    "it, and statements wait for each other. Another metastore is named by "
    f"--conf {_HADOOP}{_URIS}=thrift://<host>:9083"
)


def is_embedded(default: str, present: Mapping[str, str]) -> bool:
    """Whether a server keeps its tables in Derby, as a part of its own process.

    Args:
        default: the catalog that the server has without a setting, `hive` or `in-memory`.
        present: the settings of Spark.

    >>> is_embedded("in-memory", {})
    False
    >>> is_embedded("hive", {"spark.hadoop.hive.metastore.uris": "thrift://host:9083"})
    False
    >>> is_embedded("hive", {"spark.hive.metastore.uris": "thrift://host:9083"})
    False
    """
    hive = _hive(present)
    url = hive.get(_URL, "jdbc:derby:")
    in_process = url.startswith("jdbc:derby:") and not url.startswith("jdbc:derby://")
    return present.get(_CATALOG, default) == "hive" and in_process and not hive.get(_URIS)


def settings(default: str, present: Mapping[str, str]) -> dict[str, str]:
    """Returns the settings with which a cancelled statement does not stop a server with Derby.

    A cancel interrupts the thread of its statement, and Derby closes the connection of a thread
    that is interrupted. The pool of DataNucleus counts each as in use for ever, and when it has
    given out all, a statement waits for another one while it holds the lock of Spark's catalog.

    Args:
        default: the catalog that the server has without a setting.
        present: the settings of Spark, which win.
    """
    if not is_embedded(default, present) or _POOLING in _hive(present):
        return {}
    return {f"{_HADOOP}{_POOLING}": "None"}


def _hive(present: Mapping[str, str]) -> dict[str, str]:
    """Returns the settings of Hive's metastore."""
    sites = (folder / "hive-site.xml" for folder in _folders())
    found = next((_properties(site) for site in sites if site.is_file()), {})
    for key, value in present.items():
        if key.startswith(_HADOOP):
            found[key.removeprefix(_HADOOP)] = value
        elif key.startswith("spark.hive."):
            found[key.removeprefix("spark.")] = value
    return found


def _folders() -> list[Path]:
    """Returns the folders of settings on the class path of Spark, of which the first one counts."""
    others = (os.environ.get(name) for name in ("HADOOP_CONF_DIR", "YARN_CONF_DIR"))
    return [Path(folder) for folder in (settings_folder(), *others) if folder]


def _properties(path: Path) -> dict[str, str]:
    """Returns the properties in a file of Hadoop's form."""
    try:
        root = ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError):  # the server reads it too, and says so
        return {}
    return {
        (each.findtext("name") or "").strip(): (each.findtext("value") or "").strip()
        for each in root.iter("property")
    }
