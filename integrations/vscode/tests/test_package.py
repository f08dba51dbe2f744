"""The package of the extension of Visual Studio Code."""

from __future__ import annotations

import json

from eddyline.versions import eddyline_version
from tiers import ROOT


def test_the_extension_has_the_version_and_the_files_that_it_names() -> None:
    folder = ROOT / "integrations/vscode"
    package = json.loads((folder / "package.json").read_text("utf-8"))
    assert package["version"] == eddyline_version()
    assert not {"dependencies", "scripts", "main"} & package.keys()
    parts = [part for parts in package["contributes"].values() for part in parts]
    for part in parts:
        path = part.get("path") or part["configuration"]
        assert json.loads((folder / path).read_text("utf-8")), path
    scopes = {part["scopeName"]: part["path"] for part in parts if "scopeName" in part}
    for scope, path in scopes.items():
        assert json.loads((folder / path).read_text("utf-8"))["scopeName"] == scope
