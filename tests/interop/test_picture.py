"""Pictures of plans as headless Chromium shows them, in light and dark."""

from __future__ import annotations

import shutil
import struct
import subprocess
import zlib
from typing import TYPE_CHECKING

import pytest

from eddyline.report.picture import draw
from eddyline.report.plan import PlanNode
from waiting import PROCESS_HANGS

if TYPE_CHECKING:
    from pathlib import Path

KINDS = ("EXCHANGE", "SAVED", "REUSED", "REPLICA", "STATE", "OPERATOR")


def corner(image: bytes) -> tuple[int, ...]:
    """Returns the colour of the upper left pixel of a PNG with 8 bits a channel."""
    data, at = b"", 8
    while at < len(image):
        (size,) = struct.unpack(">I", image[at : at + 4])
        if image[at + 4 : at + 8] == b"IDAT":
            data += image[at + 8 : at + 8 + size]
        at += size + 12
    return tuple(zlib.decompress(data)[1:4])


@pytest.mark.parametrize("size", [3, 60])
def test_light_and_dark(tmp_path: Path, size: int) -> None:
    browser = shutil.which("chromium")
    if browser is None:
        pytest.skip("chromium is not there: pictures are NOT looked at (Debian: chromium)")
    nodes = [
        PlanNode(n, (n - 1) // 2 if n else None, KINDS[n % 6], "Operator", "k", "by X", n, n)
        for n in range(size)
    ]
    (tmp_path / "plan.svg").write_text(draw([("with eddyline", nodes)]), "utf-8")
    shown = {}
    for scheme in ("light", "dark"):
        target = tmp_path / f"{scheme}.png"
        subprocess.run(
            [
                *(browser, "--headless", "--no-sandbox", "--disable-gpu"),
                f"--user-data-dir={tmp_path / 'profile'}",
                f"--blink-settings=preferredColorScheme={int(scheme == 'light')}",
                f"--screenshot={target}",
                "--window-size=1200,900",
                (tmp_path / "plan.svg").as_uri(),
            ],
            check=True,
            capture_output=True,
            timeout=PROCESS_HANGS,
        )
        shown[scheme] = corner(target.read_bytes())
    assert shown == {"light": (0xFF, 0xFF, 0xFF), "dark": (0x16, 0x18, 0x1C)}
