"""Writes the files that are made from the grammar: `python -m eddyline_editors FOLDER`."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from eddyline_editors.completions import completions
from eddyline_editors.jupyterlab import rules
from eddyline_editors.snippets import snippets
from eddyline_editors.textmate import grammar, injection

_LIST_OF_NUMBERS = re.compile(r"\[\s+([\d,\s]+?)\s+\]")


def contents() -> dict[str, str]:
    """Returns the text of each file by its path in the folder of the integrations."""
    made = {
        "editors/completions.json": completions(),
        "jupyterlab/extension/lexer.json": rules(),
        "vscode/snippets.json": snippets(),
        "vscode/syntaxes/eddyline.tmLanguage.json": grammar(),
        "vscode/syntaxes/injection.tmLanguage.json": injection(),
    }
    return {path: _json(found) for path, found in made.items()}


def _json(found: dict[str, Any]) -> str:
    text = json.dumps(found, indent=2, ensure_ascii=False) + "\n"
    return _LIST_OF_NUMBERS.sub(lambda numbers: f"[{' '.join(numbers[1].split())}]", text)


def main(folder: Path) -> None:
    """Writes the files into a folder."""
    for path, text in contents().items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
