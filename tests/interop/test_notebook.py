"""`examples/notebook.ipynb` gives what it shows."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

import pytest

from tiers import ROOT
from waiting import PROCESS_HANGS

NOTEBOOK = ROOT / "examples/notebook.ipynb"
PNG = b"\x89PNG\r\n\x1a\n"


def outputs(notebook: Any) -> list[dict[str, Any]]:
    """Returns what the cells have shown, a plot as its beginning, and without the logs of Spark."""
    shown = []
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            if output.get("name") != "stderr":
                data = dict(output.get("data", {}))
                if "image/png" in data:
                    data["image/png"] = base64.b64decode(data["image/png"])[: len(PNG)]
                shown.append({"data": data, "text": output.get("text", "")})
    return shown


def test_outputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import nbformat
    from nbclient import NotebookClient

    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    stored = nbformat.read(NOTEBOOK, as_version=4)
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    folder = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(
        notebook,
        timeout=int(PROCESS_HANGS),
        kernel_name="python3",
        resources=folder,
        coalesce_streams=True,  # a kernel may send two prints of a cell in one output or in two
    ).execute()
    assert outputs(notebook) == outputs(stored)
    assert [
        output["data"]["image/png"] for output in outputs(stored) if "image/png" in output["data"]
    ] == [
        PNG,
        PNG,
    ]


def test_nothing_of_a_machine_is_stored() -> None:
    """No log, path or time: a run on another machine would store the same but for the plots."""
    stored = json.loads(NOTEBOOK.read_text("utf-8"))
    assert {*stored["metadata"]} == {"kernelspec", "language_info"}
    assert stored["metadata"]["language_info"] == {"name": "python"}
    for cell in stored["cells"]:
        assert not cell["metadata"], cell["id"]
        for output in cell.get("outputs", ()):
            texts = {
                kind: text for kind, text in output.get("data", {}).items() if kind != "image/png"
            }
            shown = json.dumps([texts, output.get("text", "")])
            assert output.get("name") != "stderr"
            assert not re.search(r"WARN|/(home|root|tmp|var|work)/|\d+:\d\d|\b0x[0-9a-f]", shown)
