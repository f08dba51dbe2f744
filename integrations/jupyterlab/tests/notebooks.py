"""JupyterLab or Notebook on a free port, and what headless Chromium shows of its notebooks."""

from __future__ import annotations

import json
import secrets
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from interop.launch import accepts, free_port, process
from waiting import CONDITION_HANGS, eventually

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

Application = Literal["lab", "notebook"]
_PAGES = {"lab": "lab/tree", "notebook": "notebooks"}
_PLUGINS = "settings/@jupyterlab/apputils-extension"
_LOG_SHOWN = 4_000  # characters

# The colors of themes are those of CSS variables; `meta` and `operator` are the same in some.
_COLORS = {
    "comment": "comment",
    "keyword": "keyword",
    "number": "number",
    "string": "string",
    "string-2": "quoted name",
    "operator": "sign",
    "meta": "sign",
}
_COLORED = """(colors) => {
  const probe = document.body.appendChild(document.createElement("span"));
  const kinds = {};
  for (const [name, kind] of Object.entries(colors)) {
    probe.style.color = `var(--jp-mirror-editor-${name}-color)`;
    kinds[getComputedStyle(probe).color] = kind;
  }
  probe.remove();
  return [...document.querySelectorAll(".jp-Notebook .jp-Cell")].map((cell) => {
    const found = {};
    for (const part of cell.querySelectorAll(".cm-line span")) {
      const { color } = getComputedStyle(part);
      if (part.children.length || color === getComputedStyle(part.closest(".cm-line")).color) {
        continue;
      }
      (found[kinds[color] ?? color] ??= []).push(part.textContent);
    }
    return found;
  });
}"""


@dataclass(frozen=True)
class Jupyter:
    """A server that accepts connections.

    Attributes:
        application: which of both it is.
        port: its port on 127.0.0.1.
        token: what a page must know.
        scratch: the folder of its notebooks, settings and log.
    """

    application: Application
    port: int
    token: str
    scratch: Path

    def write(self, name: str, cells: list[tuple[str, str]]) -> None:
        """Writes a notebook of Python, whose cells are given as their types and texts."""
        from nbformat import v4, write

        make = {
            "code": v4.new_code_cell,
            "markdown": v4.new_markdown_cell,
            "raw": v4.new_raw_cell,
        }
        kernel = {"name": "python3", "language": "python", "display_name": "Python"}
        metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
        notebook = v4.new_notebook(cells=[make[kind](text) for kind, text in cells])
        notebook.metadata.update(metadata)
        write(notebook, self.scratch / f"{name}.ipynb")

    def show_in(self, theme: str) -> None:
        """Sets the theme of the pages that are opened from now on."""
        _write_settings(self.scratch, "themes", {"theme": theme})

    @contextmanager
    def opened(self, browser: Browser, name: str) -> Iterator[Page]:
        """Opens a notebook, and yields its page when its first cell can be edited."""
        with browser.new_context(viewport={"width": 1000, "height": 800}) as context:
            page = context.new_page()
            page.set_default_timeout(CONDITION_HANGS * 1000)
            path = f"{_PAGES[self.application]}/{name}.ipynb?reset&token={self.token}"
            page.goto(f"http://127.0.0.1:{self.port}/{path}")
            page.locator(".jp-Notebook .cm-line").first.wait_for()
            yield page


@contextmanager
def running(application: Application, python: Path, data: Path, scratch: Path) -> Iterator[Jupyter]:
    """Starts a server that asks nothing of the network, and stops it and its kernels afterwards.

    Args:
        application: what to start.
        python: the Python of the environment in which it is installed.
        data: a folder of data of Jupyter, such as `share/jupyter`, beside that of the environment.
        scratch: a folder for everything it writes.

    Raises:
        RuntimeError: if it ended or hangs; with the end of its log.
    """
    server = Jupyter(application, free_port(), secrets.token_hex(), scratch)
    _write_settings(scratch, "notification", {"fetchNews": "false", "checkForUpdates": False})
    folders = {
        "HOME": ".",
        "IPYTHONDIR": "ipython",
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "runtime",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
    }
    variables = {name: str(scratch / folder) for name, folder in folders.items()}
    options = {"ip": "127.0.0.1", "port": server.port, "port_retries": 0, "token": server.token}
    command = [
        str(python.with_name(f"jupyter-{application}")),
        "--no-browser",
        "--allow-root",
        *(f"--ServerApp.{name}={value}" for name, value in options.items()),
    ]
    log = scratch / "server.log"
    with (
        log.open("ab") as out,
        process(
            command, scratch, out.fileno(), out.fileno(), JUPYTER_PATH=str(data), **variables
        ) as started,
    ):
        _wait(started, server, log)
        yield server


def colored(page: Page) -> list[dict[str, list[str]]]:
    """Returns for each cell its words that have a color of the theme, by what they are.

    A color that is none of a keyword, string, comment and so on stands for itself.
    """
    found: list[dict[str, list[str]]] = page.evaluate(_COLORED, _COLORS)
    return found


def _write_settings(scratch: Path, plugin: str, settings: dict[str, Any]) -> None:
    path = scratch / _PLUGINS / f"{plugin}.jupyterlab-settings"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(settings), "utf-8")


def _wait(started: subprocess.Popen[str], server: Jupyter, log: Path) -> None:
    try:
        eventually(lambda: started.poll() is not None or accepts(server.port))
        assert started.poll() is None, f"it ended with {started.poll()}"
    except AssertionError as error:
        tail = log.read_text("utf-8", "replace")[-_LOG_SHOWN:]
        message = f"{server.application} is not ready: {error}; its log ends with\n{tail}"
        raise RuntimeError(message) from error
