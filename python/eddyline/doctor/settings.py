"""What the settings of an application say about the jar and the extension."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from eddyline.doctor.findings import Finding
from eddyline.session import BUFFER_WAIT, EXPLAIN, EXTENSIONS, has_buffer_wait, items
from eddyline.versions import native_engines

Setting = Callable[[str], str | None]

_JAR = re.compile(r"eddyline-spark-(\d+\.\d+)[^/]*\.jar")
_CLASS_PATH = "spark.driver.extraClassPath"
_LIST = "spark.sql.extensions"


@dataclass(frozen=True)
class _Conflict:
    """A setting of Spark that takes an effect from a clause.

    Attributes:
        key: the setting.
        value: pattern of the values that do so.
        effect: what happens, and what to do.
    """

    key: str
    value: str
    effect: str


_CONFLICTS = (
    _Conflict(
        "spark.sql.requireAllClusterKeysForDistribution",
        "true",
        "A claim ASSUME PARTITIONED BY of fewer columns than the grouping keys saves no shuffle. "
        "Set it to false.",
    ),
    _Conflict(
        "spark.sql.files.ignoreMissingFiles",
        "true",
        "Queries skip files that are gone, but a refresh of a global table fails on them. "
        "Set it to false, so that both see the same rows.",
    ),
    _Conflict(
        "spark.sql.files.ignoreCorruptFiles",
        "true",
        "Queries skip damaged files, but a refresh of a global table fails on them. "
        "Set it to false, so that both see the same rows.",
    ),
    _Conflict(
        "spark.sql.streaming.noDataMicroBatches.enabled",
        "false",
        "EMIT ON WINDOW CLOSE emits the last windows only when further rows come. Set it to true.",
    ),
    _Conflict(
        "spark.sql.optimizer.excludedRules",
        r".*io\.eddyline\..*",
        "Spark does not look for rules of extensions there. "
        "Name them in spark.eddyline.rules.excluded.",
    ),
    _Conflict(
        "spark.sql.adaptive.enabled",
        "false",
        "A shuffle that no clause saves keeps all of spark.sql.shuffle.partitions partitions, "
        "however small they are. Set it to true.",
    ),
)


def examine_class_path(setting: Setting, spark: str) -> Iterator[Finding]:
    """Says what is wrong with the jars that the settings name.

    Args:
        setting: function from a key to the value of the application, or None.
        spark: version of the Spark that runs.
    """
    on_path = [jar for jar in (setting(_CLASS_PATH) or "").split(os.pathsep) if _JAR.search(jar)]
    added = [jar for jar in items(setting("spark.jars") or "") if _JAR.search(jar)]
    minor = ".".join(spark.split(".")[:2])
    jars = sorted({re.sub("^file:/+", "/", jar) for jar in (*on_path, *added)})
    others = [jar for jar in jars if _minor(jar) != minor]
    if others:
        yield Finding(
            "class path",
            False,
            f"{', '.join(others)} is for Spark {_minor(others[0])}, but this is Spark {spark}.",
            f"Use eddyline-spark-{minor}.jar; `eddyline jar` prints where it is.",
        )
    if len(jars) > 1:
        yield Finding(
            "class path",
            False,
            f"Several jars of eddyline are set: {', '.join(jars)}.",
            f"Keep one, and set the same path in spark.jars and {_CLASS_PATH}.",
        )
    if added and not on_path:
        yield Finding(
            "class path",
            False,
            f"spark.jars (--jars) has the jar, but {_CLASS_PATH} does not: a server drops the "
            "class loader of spark.jars with its first session.",
            f"Set {_CLASS_PATH} (--driver-class-path) to {added[0]} too.",
        )


def examine_conflicts(setting: Setting, spark: str) -> Iterator[Finding]:
    """Names settings that take an effect from a clause.

    Args:
        setting: function from a key to the value of the session, or None.
        spark: version of the Spark that runs.
    """
    if EXPLAIN not in (setting("spark.sql.extendedExplainProviders") or ""):
        yield Finding(
            "EXPLAIN",
            True,
            "EXPLAIN has no section Eddyline.",
            f"Set spark.sql.extendedExplainProviders to {EXPLAIN}.",
        )
    if has_buffer_wait(spark) and setting(BUFFER_WAIT) is None:
        yield Finding(
            "real time",
            True,
            f"{BUFFER_WAIT} is not set, so in real-time mode each record waits some 25 ms before a "
            "shuffle.",
            "Set it to 2 before the application starts.",
        )
    yield from _examine_comet(setting, spark)
    for conflict in _CONFLICTS:
        value = setting(conflict.key) or ""
        if re.fullmatch(conflict.value, value, re.IGNORECASE | re.DOTALL):
            yield Finding("settings", True, f"{conflict.key} is {value}.", conflict.effect)


def _examine_comet(setting: Setting, spark: str) -> Iterator[Finding]:
    """Says what DataFusion Comet lacks, and what it takes from claims."""
    if not any("org.apache.comet." in extension for extension in other_extensions(setting)):
        return
    tested = native_engines()["comet"].spark
    if not spark.startswith(f"{tested}."):
        yield Finding(
            "Comet",
            True,
            f"eddyline is tested with Comet and Spark {tested}, but this is Spark {spark}.",
            "Compare the rows of your queries with spark.comet.enabled=false.",
        )
    if (setting("spark.memory.offHeap.enabled") or "").lower() != "true":
        yield Finding(
            "Comet",
            True,
            "Comet runs no operator without off-heap memory.",
            "Set spark.memory.offHeap.enabled to true, and spark.memory.offHeap.size.",
        )
    if (setting("spark.comet.enabled") or "true").lower() == "true":
        yield from _examine_native_claims(setting)


def _examine_native_claims(setting: Setting) -> Iterator[Finding]:
    """Says why Comet reads no claimed files by units."""
    jars = [setting(key) or "" for key in ("spark.jars", "spark.driver.extraClassPath")]
    if not any("eddyline-comet-spark-" in paths for paths in jars):
        yield Finding(
            "Comet",
            True,
            "Comet reads files by itself, so a claim ASSUME PARTITIONED BY saves no shuffle.",
            "Add the jar of integrations/comet, or set spark.comet.enabled to false where a claim "
            "saves more than Comet does.",
        )
    elif items(setting(_LIST) or "")[-1:] == [EXTENSIONS]:
        yield Finding(
            "Comet",
            True,
            "Comet is loaded before eddyline, so a claim ASSUME PARTITIONED BY saves no shuffle.",
            f"Name {EXTENSIONS} first in {_LIST}.",
        )


def why_inactive(setting: Setting) -> Finding:
    """Says why a session reads no clause of eddyline."""
    if (setting("spark.eddyline.enabled") or "true").lower() == "false":
        detail, advice = "spark.eddyline.enabled is false.", "Set it to true."
    elif EXTENSIONS not in (setting(_LIST) or ""):
        detail = f"The extension is not active: {_LIST} does not name it."
        advice = f"Add {EXTENSIONS} to {_LIST} before the application starts."
    else:
        detail = f"The extension is not active: Spark could not load {EXTENSIONS}."
        advice = f"Set {_CLASS_PATH} to the jar before the application starts."
    return Finding("extension", False, detail, advice)


def other_extensions(setting: Setting) -> list[str]:
    """Returns the extensions that are listed beside eddyline's."""
    return [part for part in items(setting(_LIST) or "") if part != EXTENSIONS]


def _minor(jar: str) -> str:
    found = _JAR.search(jar)
    assert found is not None
    return found[1]
