"""The page without a browser: what it shows, keeps in its address, escapes and refuses."""

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import msgspec
import numpy as np
import pytest

from kakehashi.lexicon.neighbours import arranged
from kakehashi.lexicon.related import RelatedWords
from kakehashi.library import Library
from kakehashi.serve.guard import Access
from kakehashi.serve.limits import Limits
from kakehashi.serve.page_search import PageSearch
from kakehashi.serve.page_views import bar_of, brief
from kakehashi.serve.page_words import surface_forms
from kakehashi.serve.problems import Problem
from kakehashi.serve.sessions import COOKIE
from kakehashi.serve.shelf import Shelf
from kakehashi.serve.tokens import Tokens
from kakehashi.types import Part, Text
from tests.serve.serving import LOCAL, Client

QUERY = "燃料電池の電極"
PAGE = "/c/toy"
HTML = {"Accept": "text/html"}
EVIL = '"><script>alert(1)</script><img src=x onerror=alert(2)>'
EVIL_ID = EVIL.replace(" ", "/")  # ids hold no white space, but a browser takes a slash for it


def found(client: Client, **asked: object) -> str:
    answer = client.get(PAGE, params={"q": QUERY, **asked}, headers=HTML)
    assert answer.status_code == 200, answer.text
    return answer.text


def entered(client: Client, **fields: object) -> dict[str, list[str]]:
    """The parameters of the address that the form leads to."""
    answer = client.post(PAGE, data=fields, files={"file": ("", b"")}, headers=HTML, follow_redirects=False)
    assert answer.status_code == 303, answer.text
    return parse_qs(urlsplit(answer.headers["location"]).query)


def ids(page: str) -> list[str]:
    return re.findall(r'<span class="id">(d\d+)</span>', page)


def test_the_page_lists_what_the_library_finds(client: Client, shelf: Shelf) -> None:
    page = found(client)
    assert ids(page) == [hit.id for hit in shelf.take("toy").library.search(QUERY, 10)]
    assert "Japanese (guessed)" in page
    assert "Best (psq)" in page


def test_words_that_met_are_marked_with_the_query_word_as_gloss(client: Client) -> None:
    page = found(client)
    assert '<ruby>fuel<rt lang="ja">燃料</rt></ruby>' in page
    assert re.search(r'<mark class="w[1-4]" data-pairs="[\d ]+" tabindex="-1">', page)


def test_nothing_on_a_page_comes_from_elsewhere_or_runs_inline(client: Client) -> None:
    for path in (PAGE, f"{PAGE}?q={QUERY}", f"{PAGE}/read/d04?q={QUERY}", "/login", "/nope"):
        page = client.get(path, headers=HTML).text
        assert not re.search(r"""(src|href|action)=["']?(https?:)?//""", page)
        assert "style=" not in page
        assert not re.search(r"<[^>]+\son\w+=", page)
        assert re.findall(r"<script[^>]*>", page) == ['<script src="/static/page.js" defer>']


def test_what_the_form_holds_becomes_an_address(client: Client) -> None:
    assert entered(client, q=QUERY, lang="", before="2005-01-01", prior_art="1", **{"f.applicant": "Volta"}) == {
        "q": [QUERY], "before": ["2005-01-01"], "prior_art": ["1"], "f.applicant": ["Volta"],
    }  # fmt: skip
    page = found(client, **{"f.applicant": "Volta", "since": "2001", "until": "2006"})
    assert {*ids(page)} <= {"d04", "d12"}
    assert '<input type="checkbox" name="f.applicant" value="Volta" checked>' in page


def test_one_of_several_values_will_do(client: Client) -> None:
    both = {"f.applicant": ["Volta", "Denchi Works"], "f.ipc": ["H01M*", "G02B*"]}
    assert entered(client, q=QUERY, **both) == {"q": [QUERY], **both}
    page = found(client, **both)
    assert {*ids(page)} == {"d01", "d02", "d03", "d04"}
    assert "among 4 documents" in page
    assert {*re.findall(r'value="([^"]+)" checked', page)} == {
        *both["f.applicant"],
        *both["f.ipc"],
    }
    assert '<span class="chosen">G02B, H01M</span>' in page
    counts = dict(re.findall(r'name="f.applicant" value="([^"]+)"[^>]*> <span class="value">[^<]*</span> '
                             r'<span class="number">(\d+)', page))  # fmt: skip
    assert counts == {
        "Denchi Works": "2",
        "Volta": "2",
        "Gamen": "1",
        "Megane": "1",
    }  # among H01M and G02B alone


def test_years_are_counted_and_one_of_them_can_be_chosen(client: Client) -> None:
    page = found(client, **{"f.applicant": "Volta", "since": "2004", "until": "2004"})
    counts = re.findall(r'name="year" value="(\d+)".*?<span class="number">(\d+)', page)
    assert counts == [("2006", "1"), ("2004", "1"), ("2000", "1")]  # of all years, newest first
    assert ids(page) == ["d12"]
    assert entered(client, q=QUERY, since="1990", year="2006") == {
        "q": [QUERY], "since": ["2006"], "until": ["2006"],
    }  # fmt: skip


def test_documents_can_be_made_to_hold_words(client: Client, shelf: Shelf) -> None:
    page = found(client, boolean="battery AND NOT charger")
    hits = shelf.take("toy").library.search(QUERY, 10, boolean="battery AND NOT charger")
    assert ids(page) == [hit.id for hit in hits] == ["d01", "d02"]
    assert "among 2 documents" in page
    fields = {"q": QUERY, "boolean": "battery"}
    assert entered(client, **fields) == {name: [value] for name, value in fields.items()}
    assert entered(client, **fields, clear="1") == {"q": [QUERY]}
    faulty = client.get(PAGE, params={"q": QUERY, "boolean": "battery ("}, headers=HTML)
    assert faulty.status_code == 422
    assert "Boolean query" in faulty.text


def test_a_value_that_is_not_listed_can_be_entered(client: Client) -> None:
    page = found(client, **{"f.ipc": ["H01M 8*", ""]})
    assert ids(page) == ["d04"]
    assert 'value="H01M 8*" checked' in page


def test_families_are_counted(client: Client, shelf: Shelf) -> None:
    library = shelf.take("toy").library
    kept = [library.text(f"d{i:02d}").meta for i in range(1, 13)]
    families = {meta["family"] for meta in kept if meta["date"] >= "2000-01-01"}
    assert f"documents of {len(families)} families" in found(client, since="2000")


def test_classes_are_called_by_their_titles(client: Client) -> None:
    page = found(client)
    assert 'H01M 4/00 <span class="class-title">batteries; fuel cells</span>' in page
    assert (
        'value="H01M*"> <span class="value">H01M <span class="class-title">batteries; fuel cells</span>'
        in page
    )
    [hit] = [part for part in page.split('<li class="hit"')[1:] if "/read/d04?" in part]
    assert hit.partition("<svg")[0].count("batteries; fuel cells") == 1  # two classes with one title
    read = client.get(f"{PAGE}/read/d04", headers=HTML).text
    assert "<dd>H01M 8/00 (batteries; fuel cells); H01M 4/00 (batteries; fuel cells)</dd>" in read


def test_long_texts_travel_compressed_and_come_back_whole() -> None:
    text = "".join(chr(0x4E00 + i % 3000) for i in range(5000)) + "\nおわり"
    search = PageSearch(text=text, edits=("drop 電池=cell",), chosen={"ipc": ("H01M*", "A|B")})
    query = search.query()
    assert "z=" in query
    from starlette.datastructures import QueryParams

    assert PageSearch.of(QueryParams(query), Limits()) == search


@pytest.mark.parametrize("packed", ["!!!", "aaaa", "eJw", "あ"])
def test_a_damaged_address_is_refused(client: Client, packed: str) -> None:
    answer = client.get(PAGE, params={"z": packed}, headers=HTML)
    assert answer.status_code == 400
    assert "damaged or too long" in answer.text


def test_an_address_that_would_unpack_to_gigabytes_is_not_unpacked() -> None:
    import base64
    import zlib

    from starlette.datastructures import QueryParams

    bomb = base64.urlsafe_b64encode(zlib.compress(b"a" * 50_000_000, 9)).decode().rstrip("=")
    with pytest.raises(Problem, match="too long"):
        PageSearch.of(QueryParams({"z": bomb}), Limits())


def test_a_text_too_long_for_an_address_is_answered_at_once(client: Client) -> None:
    import random

    letters = random.Random(1)
    text = QUERY + " ".join(chr(letters.randrange(0x4E00, 0x9F00)) for _ in range(60_000))
    answer = client.post(
        PAGE, data={"q": text}, files={"file": ("", b"")}, headers=HTML, follow_redirects=False
    )
    assert answer.status_code == 200
    assert "Hits 1" in answer.text


def test_edits_are_added_undone_and_kept_in_the_address(client: Client) -> None:
    first = entered(client, q=QUERY, edit="drop 電池=electrode")
    assert first["e"] == ["drop 電池=electrode"]
    second = entered(client, q=QUERY, e=first["e"], edit="boost 電池=cell:3")
    assert second["e"] == ["drop 電池=electrode", "boost 電池=cell:3"]
    third = entered(
        client,
        q=QUERY,
        e=second["e"],
        edit="add",
        add_word="電極",
        add_translation="electrode",
        add_share="0.9",
    )
    assert third["e"][-1] == "add 電極=electrode:0.9"
    assert entered(client, q=QUERY, e=third["e"], undo=third["e"][0])["e"] == third["e"][1:]
    assert "e" not in entered(client, q=QUERY, e=third["e"], undo="all")


def test_an_edit_changes_the_list_and_says_what_moved(client: Client) -> None:
    before = found(client)
    after = found(client, e=["drop 電池=electrode", "boost 電池=cell:100"])
    assert ids(before)[0] == "d01"
    assert ids(after)[0] == "d04"
    assert 'class="moved up"' in after
    assert 'class="moved' not in before
    assert '<li class="dropped">' in after
    assert "changes nothing" in found(client, e=["drop 電池=nonsense"])


def test_a_query_given_by_its_id_can_be_read(client: Client) -> None:
    page = client.get(PAGE, params={"id": "j5"}, headers=HTML).text
    assert '<summary>j5 · <span lang="ja">燃料電池</span>' in page
    assert 'class="given"' not in found(client)


def test_metadata_are_one_stretch_of_a_bar_and_inputs_keep_their_colour() -> None:
    parts = [
        Part(name, share, [])
        for name, share in (("psq", 3.0), ("metadata: ipc", 2.0), ("titles", 1.0), ("metadata: length", -0.5))
    ]
    assert [(part.name, part.share) for part in brief(parts)] == [
        ("psq", 3.0), ("metadata", 1.5), ("titles", 1.0),
    ]  # fmt: skip
    inputs = sorted(part.name for part in brief(parts))
    whole, less = bar_of(brief(parts), inputs), bar_of(parts[2:3], inputs)
    assert sum(one["width"] for one in whole) == pytest.approx(100, abs=0.1)
    assert [one["colour"] for one in whole if one["name"] == "titles"] == [one["colour"] for one in less]


def test_terms_are_shown_as_documents_write_them(shelf: Shelf) -> None:
    analyzer = shelf.take("toy").library.index.analyzer
    forms = surface_forms({"batteri", "cell"}, ["Batteries and a battery", "the battery"], analyzer)
    assert forms == {"batteri": "battery"}


def test_words_related_to_a_translation_are_shown(folder: Path, serve: Callable[..., Client]) -> None:
    """Only where the collection has any; as documents write them."""
    library = Library(folder)
    terms = ("batteri", "electrod", "cell")
    related = arranged(np.array([0, 0]), np.array([1, 2]), np.array([0.9, 0.6], np.float32), 3, both=True)
    model = RelatedWords(terms, {"skipgram": related}, {}, 0.5, library.fingerprints)
    shelf = Shelf([folder])
    shelf.open()
    assert "related to" not in found(serve(shelf))
    model.save(library.model_folder("related"), {}, {})
    shelf = Shelf([folder])
    shelf.open()
    assert 'related to <span lang="en">battery: electrode, cell</span>' in found(serve(shelf))


def test_pages_lead_to_the_next_and_back(
    client: Client, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kakehashi.serve.page_search.PAGE", 4)
    page = found(client)
    assert "First page" not in page
    seen = ids(page)
    while following := re.findall(r'rel="next" href="([^"]+)"', page):
        page = client.get(following[0].replace("&amp;", "&"), headers=HTML).text
        assert "First page" in page
        seen += ids(page)
    assert seen == [hit.id for hit in shelf.take("toy").library.search(QUERY, 100)]
    assert len(seen) > 4


def test_reading_shows_both_sides_and_what_met(client: Client) -> None:
    page = client.get(f"{PAGE}/read/d04", params={"q": QUERY}, headers=HTML).text
    assert "Your text" in page
    assert ">燃料</mark>" in page
    assert '<ruby>cell<rt lang="ja">電池</rt></ruby>' in page
    assert "<dt>applicant</dt><dd>Volta</dd>" in page
    alone = client.get(f"{PAGE}/read/d04", headers=HTML).text
    assert "Your text" not in alone
    assert client.get(f"{PAGE}/read/nope", headers=HTML).status_code == 404


@pytest.mark.parametrize("kind", ["csv", "xlsx", "ris", "html", "json"])
def test_every_format_can_be_taken_from_the_page(client: Client, kind: str) -> None:
    assert f"{PAGE}/export/{kind}?" in found(client)
    answer = client.get(f"{PAGE}/export/{kind}", params={"q": QUERY})
    assert answer.status_code == 200
    assert answer.headers["content-disposition"] == f'attachment; filename="hits.{kind}"'
    assert "sandbox" in answer.headers["content-security-policy"]


def test_faults_of_a_search_are_shown_above_the_form(client: Client) -> None:
    for asked, said in (
        ({"prior_art": "1"}, "has no priority date"),
        ({"system": "dense"}, "kakehashi train dense toy"),
        ({"f.nope": "1"}, "no metadata field"),
        ({"since": "soon"}, "is not a date"),
        ({"cursor": "x"}, "unchanged"),
        ({"e": "swap a=b"}, "is not an edit"),
    ):
        answer = client.get(PAGE, params={"q": QUERY, **asked}, headers=HTML)
        assert answer.status_code in (400, 422)
        assert said in answer.text.replace("&#39;", "'")
        assert QUERY in answer.text
        assert 'role="alert"' in answer.text


def test_script_in_a_request_stays_text(client: Client) -> None:
    for asked in ({"q": EVIL}, {"id": EVIL}, {"q": QUERY, "e": f"drop {EVIL}=x"}, {"q": QUERY, "f.applicant": EVIL},
                  {"q": QUERY, "system": EVIL}, {"q": QUERY, "before": EVIL}, {"q": QUERY, "lang": EVIL}):  # fmt: skip
        answer = client.get(PAGE, params=asked, headers=HTML)
        assert "<script>alert" not in answer.text
        assert "<img src=x" not in answer.text
    for path in (f"/c/{EVIL}", f"{PAGE}/read/{EVIL}", f"/{EVIL}", f"{PAGE}/export/{EVIL}", f"/static/{EVIL}"):
        answer = client.get(path, headers=HTML)
        assert answer.status_code == 404
        assert "<script>alert" not in answer.text


def test_script_in_documents_stays_text(folder: Path, serve: Callable[..., Client]) -> None:
    bad = Text(
        f"d{EVIL_ID}",
        "en",
        f"fuel cell electrode {EVIL} battery",
        f"fuel {EVIL}",
        {"applicant": EVIL, EVIL: EVIL},
    )
    with (folder / "documents.jsonl").open("ab") as file:
        file.write(msgspec.json.encode(bad) + b"\n")
    Library(folder).update_index(keep_settings=True)
    shelf = Shelf([folder])
    shelf.open()
    client = serve(shelf)
    page = found(client)
    assert "&lt;script&gt;alert(1)" in page
    read = client.get(f"{PAGE}/read/d{EVIL_ID}", params={"q": QUERY}, headers=HTML)
    for text in (page, read.text, client.get(f"{PAGE}/export/html", params={"q": QUERY}).text):
        assert "<script>alert" not in text
        assert "<img src=x" not in text


@pytest.mark.parametrize(
    "path",
    ["/static/../app.py", "/static/..%2fapp.py", "/static/%2e%2e/app.py", "/static//etc/passwd",
     f"{PAGE}/read/../../../../etc/passwd", f"{PAGE}/read/%2e%2e%2f%2e%2e%2fetc%2fpasswd", "/c/../../etc",
     "/c/..%2f..%2fetc/read/passwd", f"{PAGE}/export/..%2f..%2fx"],
)  # fmt: skip
def test_paths_lead_nowhere_but_here(client: Client, path: str) -> None:
    answer = client.get(path, headers=HTML)
    assert answer.status_code in (404, 421)
    assert "root:" not in answer.text


def test_signing_in_gives_a_cookie_that_scripts_and_other_sites_cannot_use(
    shelf: Shelf, serve: Callable[..., Client], tmp_path: Path
) -> None:
    tokens = Tokens(tmp_path / "tokens.json")
    secret = tokens.add("anna", "reader")
    client = serve(shelf, Access(tokens, LOCAL))
    away = client.get(PAGE, headers=HTML, follow_redirects=False)
    assert (away.status_code, away.headers["location"]) == (303, "/login?next=%2Fc%2Ftoy")
    key = form_key(client.get("/login?next=/c/toy", headers=HTML).text)
    wrong = client.post("/login", data={"token": "x", "next": "/", "form_key": key}, headers=HTML)
    assert wrong.status_code == 401
    assert "not known" in wrong.text
    fields = {"token": secret, "next": "/c/toy", "form_key": key}
    signed = client.post("/login", data=fields, headers=HTML, follow_redirects=False)
    assert signed.headers["location"] == "/c/toy"
    cookie = signed.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "samesite=strict" in cookie.lower()
    page = client.get(PAGE, headers=HTML)
    assert page.status_code == 200
    assert "anna" in page.text
    assert client.post("/logout", data={"form_key": "x"}, headers=HTML).status_code == 403
    assert client.cookies.get(COOKIE)
    left = client.post(
        "/logout", data={"form_key": form_key(page.text)}, headers=HTML, follow_redirects=False
    )
    assert left.headers["location"] == "/login"
    assert client.get(PAGE, headers=HTML, follow_redirects=False).status_code == 303


def test_a_form_without_its_key_signs_nobody_in(
    shelf: Shelf, serve: Callable[..., Client], tmp_path: Path
) -> None:
    tokens = Tokens(tmp_path / "tokens.json")
    secret = tokens.add("anna", "reader")
    client = serve(shelf, Access(tokens, LOCAL))
    for key in ("", "0" * 64):
        answer = client.post("/login", data={"token": secret, "form_key": key}, headers=HTML)
        assert answer.status_code == 403
        assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    "after", ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)"]
)
def test_signing_in_leads_to_no_other_site(client: Client, after: str) -> None:
    page = client.get("/login", params={"next": after}, headers=HTML).text
    assert '<input type="hidden" name="next" value="/">' in page


def form_key(page: str) -> str:
    return re.findall(r'name="form_key" value="(\w+)"', page)[0]


def test_home_leads_to_the_only_collection_or_lists_all(
    client: Client, folder: Path, built_toy: Path, serve: Callable[..., Client]
) -> None:
    assert client.get("/", headers=HTML, follow_redirects=False).headers["location"] == PAGE
    other = folder.rename(folder.with_name("other"))
    shelf = Shelf([built_toy, other])
    shelf.open()
    page = serve(shelf).get("/", headers=HTML).text
    assert 'href="/c/toy"' in page
    assert 'href="/c/other"' in page


def test_problems_are_pages_for_people_and_objects_for_programs(client: Client) -> None:
    page = client.get("/nope", headers=HTML)
    assert page.status_code == 404
    assert "<h1>There is nothing here</h1>" in page.text
    client.check(client.get("/nope"), 404)
    client.check(client.get("/api/v1/nope", headers=HTML), 404)
