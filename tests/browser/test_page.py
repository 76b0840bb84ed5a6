"""The page in a real browser: searched, filtered, corrected and read, by mouse, by keyboard and without a script."""

from typing import Any

import pytest

from tests.browser.conftest import Tab
from tests.serve.running import Running
from tests.serve.test_uploads import PATENT, TEXT, WORD, docx, paragraph, pdf

pytestmark = pytest.mark.browser
QUERY = "燃料電池の電極"
ENGLISH = "An electrode of a fuel cell and a lithium battery with a separator"


def search(tab: Tab, text: str = QUERY, collection: str = "ja") -> None:
    tab.page.goto(f"/c/{collection}")
    tab.page.get_by_label("Text to search with").fill(text)
    tab.page.get_by_role("button", name="Search", exact=True).click()
    tab.page.locator(".hit").first.wait_for()


def box(tab: Tab, applicant: str) -> Any:
    return tab.page.locator("#f-applicant").get_by_role("checkbox", name=applicant)


def choose(tab: Tab, applicant: str) -> None:
    tab.page.locator("#f-applicant summary").click()
    box(tab, applicant).check()


@pytest.mark.parametrize(
    ("collection", "text", "best"),
    [("ja", "カメラのレンズ", "d05"), ("de", "Brennstoffzelle", "d04"), ("fr", "moteur", "d10")],
)
def test_searches_across_languages(tab: Tab, collection: str, text: str, best: str) -> None:
    search(tab, text, collection)
    assert best in tab.ids()[:3]
    assert "q=" in tab.page.url


def test_a_filter_narrows_the_list_and_the_address_keeps_it(tab: Tab) -> None:
    search(tab)
    choose(tab, "Volta")
    tab.page.wait_for_url(lambda url: "f.applicant=Volta" in url)
    assert {*tab.ids()} <= {"d03", "d04", "d12"}
    tab.page.reload()
    assert {*tab.ids()} <= {"d03", "d04", "d12"}
    assert box(tab, "Volta").is_checked()
    tab.page.get_by_role("button", name="Clear").click()
    tab.page.wait_for_url(lambda url: "Volta" not in url)
    assert len(tab.ids()) > 3


def test_several_values_of_a_filter_are_alternatives(tab: Tab) -> None:
    search(tab)
    choose(tab, "Volta")
    tab.page.wait_for_url(lambda url: "f.applicant=Volta" in url)
    assert box(tab, "Volta").evaluate(
        "box => box === document.activeElement"
    )  # the keyboard stays where it was
    box(tab, "Denchi Works").check()
    tab.page.wait_for_url(lambda url: "f.applicant=Denchi" in url)
    assert {*tab.ids()} <= {"d01", "d02", "d03", "d04", "d12"}
    assert "d01" in tab.ids()
    box(tab, "Volta").uncheck()
    tab.page.wait_for_url(lambda url: "Volta" not in url)
    assert {*tab.ids()} <= {"d01", "d02"}


def test_years_words_and_values_that_are_not_listed_narrow_the_list(tab: Tab) -> None:
    search(tab)
    tab.page.locator("#f-year summary").click()
    tab.page.get_by_role("button", name="2006").click()
    tab.page.wait_for_url("**since=2006*")
    assert tab.ids() == ["d04"]
    assert tab.page.get_by_role("button", name="2003").is_visible()  # the list of years stays open
    tab.page.get_by_role("button", name="Clear").click()
    tab.page.wait_for_url(lambda url: "since" not in url)
    tab.page.locator("#f-boolean summary").click()
    tab.page.get_by_label("Documents must hold").fill("battery AND NOT pump")
    tab.page.keyboard.press("Enter")
    tab.page.wait_for_url("**boolean=*")
    assert {*tab.ids()} == {"d01", "d02", "d03"}
    tab.page.locator("#f-ipc summary").click()
    tab.page.get_by_label("IPC: another value").fill("H01M 4*")
    tab.page.keyboard.press("Enter")
    tab.page.wait_for_url("**f.ipc=*")
    assert tab.ids() == ["d01"]
    assert tab.page.get_by_role("checkbox", name="H01M 4*").is_checked()


def test_a_link_to_a_part_of_the_page_loads_nothing(browser: Any, service: Running) -> None:
    tab = Tab(browser, service.address, viewport={"width": 360, "height": 740})
    search(tab)
    tab.page.evaluate("window.loaded = 'once'")
    tab.page.locator(".jump").get_by_role("link", name="Translations").click()
    tab.page.get_by_role("button", name="drop electrode for 電池").click()
    tab.page.locator("li.dropped").wait_for()
    tab.page.keyboard.press("Escape")
    tab.page.locator(".jump").get_by_role("link", name="Filters").click()
    tab.page.wait_for_timeout(300)
    assert tab.page.evaluate("window.loaded") == "once"
    tab.page.go_back()
    tab.page.go_back()
    tab.page.locator("li.dropped").wait_for(state="detached")  # going back undoes the edit
    tab.context.close()
    assert tab.faults == []


def test_an_edit_changes_the_list_in_place_and_back_undoes_it(tab: Tab) -> None:
    search(tab)
    assert tab.ids()[0] == "d01"
    drop = tab.page.get_by_role("button", name="drop electrode for 電池")
    before = drop.bounding_box()
    drop.click()
    tab.page.wait_for_url("**e=drop*")
    again = tab.page.get_by_role("button", name="look for electrode again")
    assert again.bounding_box() == before  # what undoes it is where the click was
    for _ in range(3):
        tab.page.get_by_role("button", name="boost cell for 電池").click()
        tab.page.wait_for_load_state("networkidle")
    tab.page.locator(".moved").first.wait_for()
    assert tab.ids()[0] == "d04"
    tab.page.get_by_role("button", name="Undo all changes").click()
    tab.page.wait_for_url(lambda url: "e=" not in url)
    assert tab.ids()[0] == "d01"
    tab.page.go_back()
    tab.page.locator(".moved").first.wait_for()


def test_a_translation_can_be_added(tab: Tab) -> None:
    search(tab)
    tab.page.get_by_label("word of the query").select_option("電極")
    tab.page.get_by_label("its translation").fill("camera")
    tab.page.get_by_label("its share").fill("1")
    tab.page.get_by_role("button", name="Add").click()
    tab.page.locator("li.added").first.wait_for()
    assert {"d05", "d06"} & {*tab.ids()}


def test_reading_lights_both_sides(tab: Tab) -> None:
    search(tab)
    tab.page.locator(".hit", has=tab.page.get_by_text("d04", exact=True)).get_by_role("link").first.click()
    tab.page.locator(".reading").wait_for()
    tab.page.locator(".yours mark", has_text="燃料").hover()
    lit = tab.page.locator("article mark.lit").all_inner_texts()
    assert any("fuel" in one for one in lit)
    assert not any("cell" in one for one in lit)
    tab.page.get_by_role("link", name="Back to the hits").click()
    assert tab.ids()[0] == "d01"


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.txt", TEXT.encode()),
        ("a.html", f"<title>x</title><p>{TEXT}".encode()),
        ("a.docx", docx(WORD.format(paragraph(TEXT)))),
        ("a.pdf", pdf(ENGLISH)),
        ("a.xml", PATENT),
    ],
)
def test_every_kind_of_file_can_be_searched_with(tab: Tab, name: str, data: bytes) -> None:
    tab.page.goto("/c/ja")
    file = {"name": name, "mimeType": "application/octet-stream", "buffer": data}
    tab.page.get_by_label("or a file").set_input_files(files=[file])
    if name == "a.xml":
        tab.page.get_by_label("Published before").fill("2010-01-01")  # its own date is before all documents
    tab.page.get_by_role("button", name="Search", exact=True).click()
    tab.page.locator(".hit").first.wait_for()


def test_a_file_that_cannot_be_read_is_said(tab: Tab) -> None:
    tab.page.goto("/c/ja")
    file = {"name": "scan.pdf", "mimeType": "application/pdf", "buffer": pdf("")}
    tab.page.get_by_label("or a file").set_input_files(files=[file])
    tab.page.get_by_role("button", name="Search", exact=True).click()
    assert "pictures of pages" in tab.page.get_by_role("alert").inner_text()


def test_everything_by_keyboard(tab: Tab) -> None:
    page = tab.page
    page.goto("/c/ja")
    page.keyboard.type(QUERY)  # the text has the focus
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.locator(".hit").first.wait_for()
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    assert page.evaluate("document.activeElement.closest('.hit').id") == "hit-1"
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "q"
    drop = page.get_by_role("button", name="drop electrode for 電池")
    for _ in range(200):  # far, but every step can be taken
        page.keyboard.press("Tab")
        if drop.evaluate("button => button === document.activeElement"):
            break
    else:
        raise AssertionError("the button cannot be reached")
    page.keyboard.press("Enter")
    page.locator("li.dropped").wait_for()
    page.keyboard.press("j")
    page.keyboard.press("o")
    page.locator(".reading").wait_for()


def test_it_works_without_a_script(browser: Any, service: Running) -> None:
    tab = Tab(browser, service.address, java_script_enabled=False)
    search(tab)
    choose(tab, "Volta")
    box(tab, "Denchi Works").check()
    tab.page.get_by_role("button", name="Apply").click()
    assert {*tab.ids()} <= {"d01", "d02", "d03", "d04", "d12"}
    assert "d01" in tab.ids()
    tab.page.get_by_role("button", name="drop electrode for 電池").click()
    assert tab.page.locator("li.dropped").count() == 1
    tab.page.locator(".hit h2 a").first.click()
    assert tab.page.locator(".reading").count() == 1
    tab.context.close()
    assert tab.faults == []


def test_downloads_are_files(tab: Tab) -> None:
    search(tab)
    with tab.page.expect_download() as download:
        tab.page.get_by_role("link", name="CSV").click()
    assert download.value.suggested_filename == "hits.csv"


PAGES = [
    "/c/ja", f"/c/ja?q={QUERY}", f"/c/ja?q={QUERY}&f.ipc=H01M*&f.applicant=Volta&f.applicant=Kikan",
    f"/c/ja?q={QUERY}&since=2003&boolean=battery", "/c/ja?id=j5",
    f"/c/ja?q={QUERY}&e=drop 電池=electrode", f"/c/ja/read/d04?q={QUERY}", "/c/ja/read/d04", "/", "/login", "/nope",
    "/c/ja?q=zzz", f"/c/ja?q={QUERY}&prior_art=1",
]  # fmt: skip


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 800, 360])
def test_pages_are_accessible_and_fit(browser: Any, service: Running, width: int, colours: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    tab = Tab(browser, service.address, viewport={"width": width, "height": 800}, color_scheme=colours)
    for path in PAGES:
        tab.page.goto(path)
        tab.page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
        result = Axe().run(
            tab.page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
        )
        assert result.violations_count == 0, f"{path}: {result.generate_report()}"
        wider = tab.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wider <= 0, f"{path} is {wider} pixels wider than the screen"
    tab.context.close()


def test_a_page_prints_without_its_controls(tab: Tab) -> None:
    search(tab)
    tab.page.emulate_media(media="print")
    assert not tab.page.locator(".controls").is_visible()
    assert not tab.page.locator(".words").is_visible()
    assert tab.page.locator(".passage").first.is_visible()
    marked = tab.page.locator(".passage mark").first
    shown = marked.evaluate("mark => getComputedStyle(mark).backgroundColor")
    assert shown == "rgba(0, 0, 0, 0)"  # browsers leave colours out on paper: underlining stays
    assert marked.evaluate("mark => getComputedStyle(mark).textDecorationLine") == "underline"
