"""A headless Chromium for the tests of pictures: what a page looks like when it is laid out."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from collections.abc import Sequence

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
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("no chromium is installed (Debian: apt-get install chromium)")
    report = (f"<script>{script}\nwindow.onload = () => {{ const seen = JSON.stringify(measure());"
              "const out = document.createElement('pre'); out.id = 'measured';"
              "out.textContent = seen; document.body.append(out); }</script>")
    file = folder / "measured.html"
    file.write_text(page.replace("</body>", f"{report}</body>"))
    done = subprocess.run([chromium, *FLAGS, *flags, f"--user-data-dir={folder / 'chromium'}",
                           "--dump-dom", f"file://{file}{address}"],
                          capture_output=True, text=True, timeout=SECONDS, check=True)
    found = re.search(r'<pre id="measured">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found, done.stdout[-2000:]
    return json.loads(html.unescape(found.group(1)))
