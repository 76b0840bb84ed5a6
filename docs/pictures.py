"""Takes the pictures of the search page from the demo's world, so that they show what there is.

python docs/pictures.py    needs the extras serve and browser, and chromium (CHROMIUM names another)
"""

import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).parents[1]
MAIN = "import sys; from kakehashi.cli.main import main; sys.argv[0] = 'kakehashi'; main()"
COLLECTION = ROOT / "results" / "demo" / "world-2000-7"
QUERY = "均一なリポソーム及びこれを用いた親水性の飲料。食物繊維と、有効成分とを含有する。"
EDIT, OFFICES = "drop 用い=key", "f.office=US&f.office=EP"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
WIDE, NARROW = (1280, 860), (360, 740)


def picture(browser: Browser, address: str, path: str, name: str, size: tuple[int, int], dark: bool) -> None:
    colours = "dark" if dark else "light"
    context = browser.new_context(
        base_url=address, viewport={"width": size[0], "height": size[1]}, color_scheme=colours
    )
    page = context.new_page()
    page.goto(path)
    page.locator(".hit, .reading").first.wait_for()
    page.screenshot(path=ROOT / "docs" / f"{name}.png")
    context.close()
    print(f"docs/{name}.png")


def main() -> None:
    folder = Path(sys.argv[1]) if sys.argv[1:] else COLLECTION
    if not folder.is_dir():
        sys.exit(f"{folder} is missing: run kakehashi demo first")
    command = [sys.executable, "-c", MAIN, "serve", str(folder), "--port", "0"]
    service = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert service.stdout is not None
    address = service.stdout.readline().strip()
    search = f"/c/{folder.name}?q={quote(QUERY)}"
    try:
        with sync_playwright() as playwright:
            chromium = os.environ.get("CHROMIUM", "/usr/bin/chromium")
            browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
            picture(browser, address, f"{search}&e={quote(EDIT)}&{OFFICES}", "page-search", WIDE, dark=False)
            reading = f"/c/{folder.name}/read/EP-S0001058?q={quote(QUERY)}"
            picture(browser, address, reading, "page-reading", WIDE, dark=True)
            picture(browser, address, search, "page-narrow", NARROW, dark=False)
            browser.close()
    finally:
        service.terminate()
        service.wait()


if __name__ == "__main__":
    main()
