"""A browser, and a service over three small collections: Japanese, German and French queries."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kakehashi.corpus.collection import CollectionInfo
from kakehashi.corpus.writing import CollectionWriter
from kakehashi.library import Library
from kakehashi.types import Text
from tests.serve.running import Running, running
from tests.toy import DOCUMENTS, INFO, toy_collection

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
WORDS = {
    "de": {"Batterie": "battery", "Brennstoffzelle": "fuel cell", "Kamera": "camera", "Motor": "engine"},
    "fr": {"batterie": "battery", "pile": "cell", "appareil": "camera", "moteur": "engine"},
}


def _collection(folder: Path, lang: str) -> Path:
    info = CollectionInfo(f"toy {lang}", lang, "en", fields=dict(INFO.fields))
    with CollectionWriter(folder, info) as writer:
        for id, title, text, ipc, date, family, applicant, claims in DOCUMENTS:
            meta = {"ipc": ipc, "date": date, "family": family, "applicant": applicant, "claims": claims}
            writer.document(Text(id, "en", text, title, meta))
        for source, target in WORDS[lang].items():
            for _ in range(3):
                writer.parallel(source, target)
    return folder


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    place = tmp_path_factory.mktemp("browser")
    folders = [toy_collection(place / "ja"), *(_collection(place / lang, lang) for lang in WORDS)]
    for folder in folders:
        Library(folder).build(only=("translation",))
    with running(*folders, "--limit", "rate=100000", "--limit", "burst=100000") as found:
        yield found


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield found
        found.close()


class Tab:
    """A page that fails its test when it complains or asks anybody outside."""

    def __init__(self, browser: Any, address: str, **settings: Any):
        self.context = browser.new_context(base_url=address, **settings)
        self.page = self.context.new_page()
        self.page.set_default_timeout(60_000)
        self.faults: list[str] = []
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("console", self._said)
        self.page.on("request", lambda asked: self._asked(asked.url, address))

    def _said(self, message: Any) -> None:
        expected = "status of 422" in message.text  # a problem that a test asks for
        if message.type in ("error", "warning") and not expected:
            self.faults.append(message.text)

    def _asked(self, url: str, address: str) -> None:
        if not url.startswith((address, "data:", "blob:")):
            self.faults.append(f"asked {url}")

    def ids(self) -> list[str]:
        return list(self.page.locator(".hit .id").all_inner_texts())


@pytest.fixture
def tab(browser: Any, service: Running) -> Iterator[Tab]:
    found = Tab(browser, service.address, viewport={"width": 1280, "height": 900})
    yield found
    found.context.close()
    assert found.faults == []
