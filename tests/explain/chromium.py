"""A headless Chromium for the tests of pictures: what a page looks like when it is laid out."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--virtual-time-budget=2000", "--window-size=1400,900")
SECONDS = 90


def measured(page: str, script: str, folder, address: str = "",
             flags: Sequence[str] = ()) -> object:
    """What the script's function `measure()` gives when the page is open, as JSON.

    The page itself has no script: this one is added for the measurement.
    """
    report = (f"<script>{script}\nwindow.onload = () => {{ const seen = JSON.stringify(measure());"
              "const out = document.createElement('pre'); out.id = 'measured';"
              "out.textContent = seen; document.body.append(out); }</script>")
    file = folder / "measured.html"
    file.write_text(page.replace("</body>", f"{report}</body>"))
    shown = _opened(folder, *flags, "--dump-dom", f"file://{file}{address}")
    found = re.search(r'<pre id="measured">(.*?)</pre>', shown, re.DOTALL)
    assert found, shown[-2000:]
    return json.loads(html.unescape(found.group(1)))


def photographed(page: str, target: Path, folder: Path, size: tuple[int, int],
                 flags: Sequence[str] = ()) -> None:
    """Writes a picture of the page, from its beginning and of this size."""
    file = folder / "photographed.html"
    file.write_text(page)
    _opened(folder, *flags, f"--window-size={size[0]},{size[1]}", "--hide-scrollbars",
            "--run-all-compositor-stages-before-draw",
            f"--screenshot={target}", f"file://{file}")


def _opened(folder: Path, *arguments: str) -> str:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("no chromium is installed (Debian: apt-get install chromium)")
    return subprocess.run([chromium, *FLAGS, f"--user-data-dir={folder / 'chromium'}", *arguments],
                          capture_output=True, text=True, timeout=SECONDS, check=True).stdout
