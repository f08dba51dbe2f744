"""The blocks of docs/launch.md, as they stand but for ports and the folder."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from eddyline.cli.launch import LAUNCHERS
from eddyline.session import settings
from interop.jdbc import require_compiler
from interop.launch import SHELL_PATH, accepts, confs, free_port, process, run, shell
from pages import FOLDER, LAUNCH, ROOT, Block, blocks
from waiting import PROCESS_HANGS, eventually

# The last row of every example, however a client prints it.
LAST_ROW = re.compile(r"^\W*3\W+0\W+1\W*$", re.MULTILINE)
PORTS = ("15002", "10000")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the folder of the page, with the settings that its first block has written."""
    folder = tmp_path_factory.mktemp("launch")
    (block,) = blocks(LAUNCH, "bash", section="Settings")
    assert _shell(_placed(block, folder), folder).returncode == 0
    # Spark takes the last value of a key: what only tests need follows what the page writes
    written = folder / "conf" / "spark-defaults.conf"
    tests = {**confs(folder), "spark.sql.catalogImplementation": "in-memory"}
    needed = [f"{key} {value}\n" for key, value in tests.items() if key not in settings({})]
    written.write_text(written.read_text("utf-8") + "".join(needed), "utf-8")
    return folder


@pytest.mark.parametrize("section", ["spark-submit", "spark-sql"])
def test_launcher(folder: Path, section: str) -> None:
    (block,) = blocks(LAUNCH, "bash", section=section)
    done = _shell(_placed(block, folder), folder)
    assert LAST_ROW.search(done.stdout), done.stdout + done.stderr


@pytest.mark.parametrize(
    ("section", "language"), [("Java program", "java"), ("Scala program", "scala")]
)
def test_program(folder: Path, section: str, language: str) -> None:
    require_compiler()
    program, command = blocks(LAUNCH, language, "bash", section=section)
    (folder / f"Job.{language}").write_text(program.code, "utf-8")
    done = _shell(command.code, folder)
    assert LAST_ROW.search(done.stdout), done.stdout + done.stderr
    if command.shown:
        assert done.stdout.strip() == command.shown.strip()


@pytest.mark.parametrize("section", ["pyspark", "spark-shell"])
def test_prompt(folder: Path, section: str) -> None:
    command, typed = blocks(LAUNCH, "bash", "python", "scala", section=section)
    # `-i`, because pyspark is a prompt only if a terminal or this says so
    shell = f"PYSPARK_DRIVER_PYTHON_OPTS=-i {command.code.strip()} <<'END'\n{typed.code}\nEND"
    done = _shell(shell, folder)
    assert LAST_ROW.search(done.stdout), done.stdout + done.stderr


def test_connect_server(folder: Path) -> None:
    (server,) = blocks(LAUNCH, "bash", section="Spark Connect server")
    (client,) = blocks(LAUNCH, "python", section="Spark Connect server")
    with _serving(server, folder) as port:
        code = _placed(client, folder, port)
        without = f"import sys\nsys.modules['eddyline'] = None  # cannot be imported\n{code}"
        done = run([sys.executable, "-c", without], folder)
        assert LAST_ROW.search(done.stdout), done.stdout + done.stderr


def test_thrift_server(folder: Path) -> None:
    server, client = blocks(LAUNCH, "bash", section="Thrift server")
    with _serving(server, folder) as port:
        done = _shell(_placed(client, folder, port), folder)
        assert LAST_ROW.search(done.stdout), done.stdout + done.stderr


def test_notebook(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A notebook of the README's first block and this page's."""
    import nbformat
    from nbclient import NotebookClient

    (readme, *_) = blocks(ROOT / "README.md", "python")
    (block,) = blocks(LAUNCH, "python", section="Notebook or Python program")
    for name, value in _variables(folder).items():
        monkeypatch.setenv(name, value)
    cells = [nbformat.v4.new_code_cell(code) for code in (readme.code, block.code)]
    notebook = nbformat.v4.new_notebook(cells=cells)
    client = NotebookClient(
        notebook,
        timeout=int(PROCESS_HANGS),
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
    )
    client.execute()
    printed = [
        "".join(output.text for output in cell.outputs if output.get("name") == "stdout")
        for cell in notebook.cells
    ]
    assert readme.shown
    assert readme.shown.strip() in printed[0]
    assert LAST_ROW.search(printed[1]), printed[1]


def test_profile_is_that_of_the_dbt_tests() -> None:
    import yaml

    (block,) = blocks(LAUNCH, "yaml", section="Thrift server")
    tested = yaml.safe_load((Path(__file__).parent / "dbt_project/profiles.yml").read_text("utf-8"))
    thrift = {"port": 10000, "user": "me"}
    expected = tested["shop"]["outputs"]["thrift"] | thrift
    assert yaml.safe_load(block.code)["shop"]["outputs"] == {"thrift": expected}


def test_script(folder: Path) -> None:
    """The SQL of README and tutorial, as one script for `eddyline sql -f`."""
    pages = (ROOT / "README.md", ROOT / "docs/tutorial.md")
    script = "\n".join(_placed(block, folder) for page in pages for block in blocks(page, "sql"))
    (folder / "script.sql").write_text(script, "utf-8")
    done = _shell(f"eddyline sql -f script.sql --conf spark.sql.warehouse.dir={folder}/sql", folder)
    assert done.returncode == 0, done.stderr
    for printed in ("USED", "Edsger", "GlobalLookup"):
        assert printed in done.stdout


def test_kubernetes_is_what_the_command_prints() -> None:
    (block,) = blocks(LAUNCH, "yaml", section="Kubernetes")
    assert block.code.splitlines() == list(LAUNCHERS["kubernetes"]())


def test_one_jar(folder: Path) -> None:
    """The shell has no settings but those of the block."""
    make, use = blocks(LAUNCH, "bash", section="One jar, without pip")
    done = shell(_placed(make, folder) + _placed(use, folder), folder)
    assert LAST_ROW.search(done.stdout), done.stdout + done.stderr


@pytest.mark.parametrize("kind", ["thrift", "connect"])
def test_serve(folder: Path, kind: str) -> None:
    """A block of a server in one command serves, and stops by SIGTERM with exit code 0."""
    found = blocks(LAUNCH, "bash", section="Servers in one command")
    (block,) = (block for block in found if f"serve {kind}" in block.code)
    # in the place of the shell, so that the signal reaches the command
    in_place = Block(block.language, f"exec {block.code}", None)
    with _started(in_place, folder, port := free_port()) as (command, printed):
        eventually(lambda: command.poll() is not None or "ready\n" in printed.read_text("utf-8"))
        assert command.poll() is None, printed.read_text("utf-8")
        assert f"//127.0.0.1:{port}" in printed.read_text("utf-8")
        command.terminate()
        assert command.wait(PROCESS_HANGS) == 0, printed.read_text("utf-8")


def _placed(block: Block, folder: Path, port: int | None = None) -> str:
    """Returns the code of a block with this folder, and with this port."""
    code = block.code.replace(FOLDER, str(folder))
    for written in PORTS if port is not None else ():
        code = code.replace(written, str(port))
    return code


def _variables(folder: Path) -> dict[str, str]:
    """Returns the environment of a user who has sourced the first block."""
    return {
        "PATH": SHELL_PATH,
        "SPARK_CONF_DIR": str(folder / "conf"),
        "SPARK_LOCAL_IP": "127.0.0.1",
        # where `eddyline serve` writes its log
        "XDG_STATE_HOME": str(folder / "state"),
    }


def _shell(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return shell(code, folder, **_variables(folder))


@contextmanager
def _serving(block: Block, folder: Path) -> Iterator[int]:
    """Runs a block that serves on a port of its own, and yields that port when it accepts."""
    port = free_port()
    with _started(block, folder, port) as (command, printed):
        eventually(lambda: command.poll() is not None or accepts(port))
        assert command.poll() is None, printed.read_text("utf-8", "replace")[-4_000:]
        yield port


@contextmanager
def _started(block: Block, folder: Path, port: int) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """Runs a block with this port, and yields its process and the file that it prints to."""
    printed = folder / f"{port}.log"
    with (
        printed.open("wb") as file,
        process(
            ["bash", "-euc", _placed(block, folder, port)],
            folder,
            file.fileno(),
            file.fileno(),
            grace=PROCESS_HANGS,
            **_variables(folder),
        ) as command,
    ):
        yield command, printed
