"""Takes a picture of the page: a report on the Python reference, with a source opened at the words that are quoted.

    python examples/page.py page.png

It serves Fathom on a free port of this machine, with a home of its own, and needs Chromium and the extra `browser`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

QUESTION = "Why does my default list argument keep its values between calls?"
FATHOM = (sys.executable, "-m", "fathom")


def main(picture: Path) -> None:
    """Write out the corpus, serve it, ask, and take the picture."""
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "python-reference"
        environment = {**os.environ, "FATHOM_HOME": f"{folder}/home"}
        subprocess.run([sys.executable, Path(__file__).with_name("write_corpus.py"), corpus], check=True)
        subprocess.run([*FATHOM, "ingest", corpus], check=True, env=environment)
        serving = subprocess.Popen(
            [*FATHOM, "serve", "--port", "0"], env=environment, stderr=subprocess.PIPE, encoding="utf-8"
        )
        try:
            assert serving.stderr is not None
            said = next(line for line in serving.stderr if " serves " in line)
            take(picture, said.split(" serves ")[1].split()[0])
        finally:
            serving.terminate()


def take(picture: Path, address: str) -> None:
    """Ask on the page as a person does, open a footnote, and take the picture."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page: Page = browser.new_page(viewport={"width": 1280, "height": 860})
        page.goto(address)
        page.get_by_role("textbox").first.fill(QUESTION)
        page.get_by_role("button", name="Start").first.click()
        page.locator("article a[href^='#']:has-text('1')").first.click(timeout=60_000)
        page.locator("mark:visible").first.wait_for()
        page.wait_for_timeout(500)  # until what slides has come to rest
        page.screenshot(path=picture)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "page.png"))
