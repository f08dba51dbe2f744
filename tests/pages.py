"""The pages of README and `docs/`, and the blocks of code in them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
# The folder that pages write to, which a test replaces by one of its own.
FOLDER = "/tmp/eddyline"
# The pages whose blocks are run by tests/interop, in processes of their own.
LAUNCH = ROOT / "docs/launch.md"
CLIENTS = ROOT / "docs/clients.md"
PIPELINES = ROOT / "docs/pipelines.md"
SQLMESH = ROOT / "docs/sqlmesh.md"
# The page whose blocks need Delta or Iceberg, which tests/table_formats has.
TABLE_FORMATS = ROOT / "docs/table-formats.md"
# The page whose blocks need DataFusion Comet, which tests/comet has.
NATIVE = ROOT / "docs/native.md"
# The pages whose blocks need a broker, which tests/kafka has.
REAL_TIME = ROOT / "docs/real-time.md"
KAFKA = (
    ROOT / "docs/kafka.md",
    ROOT / "docs/from-kafka-streams.md",
    REAL_TIME,
    ROOT / "docs/sql/assume-streams.md",
)
MOVED = ROOT / "docs/guides/move-from-kafka-streams.md"
# The pages of which a SELECT shows what something else writes meanwhile, so it is repeated.
FOLLOWING = (REAL_TIME, MOVED)
BROKER = "localhost:9092"

_GENERATED = re.compile(r"<!-- generated: (\w+) -->.*?<!-- end of \1 -->", re.DOTALL)
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```(?:\n+```text\n(.*?)^```)?", re.DOTALL | re.MULTILINE)
_CREATED = re.compile(
    r"""CREATE\s+(?:OR\s+REPLACE\s+)?(?:(?:GLOBAL|TEMPORARY|TEMP)\s+)*(?:TABLE|VIEW)\s+
        (?:IF\s+NOT\s+EXISTS\s+)?(\w+)
      | START\s+STREAMING\s+QUERY\s+(\w+)\s+(?=AS|TRIGGER|CHECKPOINT|COMMENT|OPTIONS)
      | (?:createOrReplaceTempView|queryName|saveAsTable|toTable)\("(\w+)"\)""",
    re.VERBOSE,
)


@dataclass(frozen=True)
class Block:
    """A block of code.

    Attributes:
        language: the word after its opening fence, such as `sql`.
        code: its lines.
        shown: the block `text` directly after it, which is what it prints; None without one.
    """

    language: str
    code: str
    shown: str | None

    def created(self) -> set[str]:
        """Returns the names of the tables, views and streaming queries that it creates."""
        return {name for found in _CREATED.findall(self.code) for name in found if name}


def blocks(page: Path, *languages: str, section: str | None = None) -> list[Block]:
    """Returns the blocks of a page in these languages, without those that are generated.

    Args:
        page: path of the page.
        *languages: the languages.
        section: heading of the only section to read; None for the whole page.
    """
    text = _GENERATED.sub("", page.read_text("utf-8"))
    if section is not None:
        text = text.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    found = _BLOCK.findall(text)
    return [Block(name, code, shown or None) for name, code, shown in found if name in languages]
