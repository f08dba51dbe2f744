"""The blocks of docs/sqlmesh.md as a project, by the version of SQLMesh that the page names."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import py4j
import pyspark

from eddyline.session import jar_path
from interop.launch import run
from interop.pip import CLI, OTHERS, pip
from pages import SQLMESH, blocks
from tiers import ROOT

FILES = {
    "macros/__init__.py": "",
    "models/items.sql": "MODEL (name shop.items, kind FULL, columns (customer_id INT, item STRING)"
    "); SELECT * FROM VALUES (1, 'pen'), (2, 'ink') AS t (customer_id, item)",
    "models/purchases.sql": "MODEL (name shop.purchases, kind FULL, columns (buyer INT, price INT)"
    "); SELECT * FROM VALUES (1, 5), (3, 9) AS t (buyer, price)",
}
CONF = {
    "spark.master": "local[2]",
    "spark.driver.memory": "1g",
    "spark.ui.enabled": "'false'",
    "spark.sql.shuffle.partitions": "'2'",
}
ASK = """
from sqlmesh import Context
spark = Context(paths=".").engine_adapter.spark
for table in ("shop.carts", "shop.named"):
    print(sorted(map(tuple, spark.table(table).collect())))
"""


def environment(folder: Path) -> Path:
    """Returns the `bin` of an environment with SQLMesh, its sqlglot, and this PySpark."""
    (version,) = set(re.findall(r"SQLMesh (\d+\.\d+\.\d+)", SQLMESH.read_text("utf-8")))
    subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
    python = folder / "venv/bin/python"
    pip(python, "install", "--quiet", f"sqlmesh=={version}", *OTHERS, *CLI)
    others = folder / "others"
    others.mkdir()
    for package in (pyspark, py4j):
        source = Path(package.__file__ or "").parent
        (others / source.name).symlink_to(source)
    (site,) = (folder / "venv/lib").glob("python3*/site-packages")
    (site / "others.pth").write_text(f"{others}\n{ROOT / 'python'}\n")
    command = folder / "venv/bin/eddyline"
    command.write_text(f"#!{python}\nfrom eddyline.cli import main; main()\n")
    command.chmod(0o755)
    return python.parent


def test_the_page(tmp_path: Path) -> None:
    programs = environment(tmp_path)
    (config,) = blocks(SQLMESH, "yaml")
    macro, carts = blocks(SQLMESH, "python")
    (named,) = blocks(SQLMESH, "sql")
    (command,) = blocks(SQLMESH, "bash")
    conf = "".join(f"        {key}: {value}\n" for key, value in CONF.items())
    files = FILES | {
        "config.yaml": config.code.replace("      config:\n", f"      config:\n{conf}"),
        "macros/global_tables.py": macro.code,
        "models/carts.py": carts.code,
        "models/named.sql": named.code,
    }
    project = tmp_path / "project"
    for name, text in files.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text, "utf-8")
    variables = {"PATH": f"{programs}:/usr/bin:/bin", "EDDYLINE_JAR": str(jar_path())}
    for words in (["bash", "-euc", command.code], [str(programs / "python"), "-c", ASK]):
        done = run(words, project, **variables)
        assert done.returncode == 0, done.stdout + done.stderr
    carts_of, named_of = done.stdout.strip().splitlines()[-2:]
    assert carts_of == "[(1, 1, 5), (2, 1, None), (3, 0, 9)]"
    assert named_of == "[('Ann', 5), ('Cem', 9)]"
