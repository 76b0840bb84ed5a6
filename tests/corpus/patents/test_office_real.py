"""Real files of patent offices, compared with a plain reading of them that shares no code with the readers."""

import html
import json
import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from kakehashi.corpus.patents.families import families, kin_of
from kakehashi.corpus.patents.reading import read_patents
from kakehashi.corpus.patents.record import PatentRecord, Wanted
from kakehashi.corpus.patents.tally import Tally
from tests.data_beside import ROOT, data_file

pytestmark = pytest.mark.real
GUIDE = ROOT / "docs" / "patents.md"
Plain = dict[str, str]  # field -> what the file says, as text


def office() -> Path:
    return data_file("office")


def records_of(path: Path) -> list[PatentRecord]:
    tally = Tally()
    found = list(read_patents([path], tally, Wanted(claims=True, description=True)))
    assert tally.faults.by_kind() == {}, path
    return found


def squeezed(text: str) -> str:
    """Letters and digits alone: white space and punctuation around elements are no part of the comparison."""
    return re.sub(r"\W+", "", html.unescape(text))


def trees(path: Path) -> Iterator[ET.Element]:
    """The documents of a file, without namespaces; entities and stray ampersands are resolved by hand."""
    text = path.read_bytes().decode("utf-8-sig")
    for part in re.split(r"(?=<\?xml )", text):
        body = re.sub(r"<\?.*?\?>|<!DOCTYPE[^\[>]*(\[.*?\])?\s*>", "", part, flags=re.S).strip()
        if not body.startswith("<"):
            continue
        body = re.sub(
            r"&(?!amp;|lt;|gt;|quot;|apos;|#)(\w+;)?",
            lambda m: html.unescape(m[0]).replace("&", "&amp;"),
            body,
        )
        body = re.sub(r"(</?)[\w.-]+:(?=[\w.-]+[\s/>])", r"\1", body)  # prefixes of elements
        body = re.sub(r"\s(?:xmlns(?::\w+)?|[\w.-]+:[\w.-]+)=(\"[^\"]*\"|'[^']*')", "", body)
        yield ET.fromstring(body)


def said(element: ET.Element | None, path: str) -> str:
    found = element.find(path) if element is not None else None
    return "".join(found.itertext()) if found is not None else ""


def american(path: Path) -> Iterator[Plain]:
    for tree in trees(path):
        data = next((one for one in tree if one.tag.startswith("us-bibliographic-data")), None)
        if data is None:
            continue
        id = data.find("publication-reference/document-id")
        cited = [one for one in data.iter("patcit") if one.find("document-id/doc-number") is not None]
        yield {
            "number": said(id, "doc-number"), "kind": said(id, "kind"), "publication": said(id, "date"),
            "title": said(data, "invention-title"), "abstract": said(tree, "abstract"),
            "filing": said(data, "application-reference/document-id/date"),
            "first claim": said(tree, "claims/claim"), "n claims": said(data, "number-of-claims"),
            "citations": str(len({tuple(said(one, f"document-id/{name}") for name in ("country", "doc-number", "kind"))
                                  for one in cited})),
            "application": said(data, "application-reference/document-id/doc-number")[-6:],
            "inventors": str(len(inventing(data))),
            "ipc": str(len({parts(one) for one in data.iter("classification-ipcr")})),
            "priority": earliest(data, ("priority-claim", "us-provisional-application", "parent-doc",
                                        "pct-or-regional-filing-data", "application-reference")),
        }  # fmt: skip


def inventing(data: ET.Element) -> set[str]:
    """Inventors by their names; until 2012 they are applicants."""
    people = [*data.iter("inventor"), *data.iter("deceased-inventor"), *data.iter("us-deceased-inventor")]
    people = people or [one for one in data.iter("applicant") if "inventor" in one.get("app-type", "")]
    return {said(one, ".//last-name") + said(one, ".//first-name") for one in people}


def parts(symbol: ET.Element) -> str:
    return "".join(said(symbol, name) for name in ("section", "class", "subclass", "main-group", "subgroup"))


def earliest(data: ET.Element, names: tuple[str, ...]) -> str:
    """The first date beside a number that is claimed, or the day of filing."""
    found = []
    for one in (one for name in names for one in data.iter(name)):
        id = one.find("document-id")
        found.append(said(one if id is None else id, "date"))
    return min(date for date in found if date)


def european(path: Path) -> Iterator[Plain]:
    for tree in trees(path):
        data = tree.find("SDOBI")
        titles = list(zip(tree.iter("B541"), tree.iter("B542"), strict=True))
        language = tree.get("lang", "en")
        yield {
            "number": said(data, "B100/B110"), "kind": said(data, "B100/B130"),
            "publication": said(data, "B100/B140"), "filing": said(data, "B200/B220"),
            "title": next("".join(b.itertext()) for a, b in titles if (a.text or "").strip() == language),
            "abstract": said(tree, "abstract"),
            "first claim": next((said(one, "claim") for one in tree.iter("claims")
                                 if one.get("lang") == language), ""),
            "applicant": said(data, "B700/B730/B731/snm") or said(data, "B700/B710/B711/snm"),
            "city": said(data, "B700/B720/B721/adr/city"),
            "application": said(data, "B200/B210").split(".")[0][-6:],
            "inventors": str(len(list(tree.iter("B721")))),
            "ipc": str(len({said(one, "text")[:19] for one in tree.iter("classification-ipcr")})
                       or len([*tree.iter("B511"), *tree.iter("B512")])),
            "priority": min([said(data, "B200/B220"), *("".join(one.itertext()) for one in tree.iter("B320"))]),
            "citations": str(len({*(key("".join(one.itertext())) for one in tree.iter("B561")),
                                  *(key(one.get("dnum", "")) for one in tree.iter("patcit")
                                    if one.get("dnum-type") != "L")})),
        }  # fmt: skip


def key(number: str) -> str:
    """Country and digits of `JP-A- 2 142 921`, `WO-A-90/05789` or `US2008197955A1`."""
    found = re.match(r"([A-Z]{2})(?:-[A-Z]\d?-)?\s*(R E)?([\d /]+)", number.strip())
    assert found, number
    return found[1] + re.sub(r"\D", "", found[3]).lstrip("0")


def gazette(path: Path) -> Iterator[Plain]:
    for tree in trees(path):
        data = next(one for one in tree if one.tag.endswith("bibliographic-data"))
        id = next(one for one in data if one.tag.endswith("publication-reference")).find("document-id")
        yield {
            "number": said(id, "doc-number"), "publication": said(id, "date"),
            "title": said(data, "invention-title"), "filing": said(data, "application-reference/document-id/date"),
            "abstract": said(tree if tree.find("abstract") is not None else data, "abstract"),
            "first claim": next(("".join(one.itertext()) for one in tree.iter("claim")), ""),
            "inventors": str(len([*tree.iter("inventor"), *tree.iter("cn-inventor")])),
            "application": said(data, "application-reference/document-id/doc-number").split(".")[0][-6:],
        }  # fmt: skip


def in_one_form(people: list[ET.Element]) -> int:
    """Everybody is named in several ways: how many have the form of the first."""
    return sum(one.get("data-format", one.get("format")) == people[0].get("data-format", people[0].get("format"))
               for one in people)  # fmt: skip


def exchange(path: Path) -> Iterator[Plain]:
    """DOCDB and the bibliographic answers of the open patent services."""
    for tree in trees(path):
        for one in tree.iter("exchange-document"):
            yield {
                "number": one.get("doc-number", ""), "kind": one.get("kind", ""), "family": one.get("family-id", ""),
                "abstract": next(("".join(abstract.itertext()) for abstract in one.iter("abstract")), ""),
                "title": next("".join(title.itertext()) for title in one.iter("invention-title")),
                "citations": str(len({id.findtext("country", "") + id.findtext("doc-number", "")
                                      for cited in one.iter("patcit") for id in cited.iter("document-id")
                                      if id.find("country") is not None})),
                "inventors": str(in_one_form([*one.iter("inventor")])),
            }  # fmt: skip


def marec(path: Path) -> Iterator[Plain]:
    for tree in trees(path):
        yield {
            "number": tree.get("doc-number", ""), "kind": tree.get("kind", ""), "publication": tree.get("date", ""),
            "title": next("".join(one.itertext()) for one in tree.iter("invention-title")
                          if one.get("lang") == tree.get("lang")),
            "first claim": next("".join(next(iter(one.iter("claim"))).itertext()) for one in tree.iter("claims")
                                if one.get("lang") == tree.get("lang")),
            "inventors": str(in_one_form([*tree.iter("inventor")])),
        }  # fmt: skip


def older(path: Path) -> Iterator[Plain]:
    for tree in trees(path):
        if tree.tag == "PATDOC":
            yield {"number": said(tree, ".//B110"), "kind": said(tree, ".//B130"), "publication": said(tree, ".//B140"),
                   "title": said(tree, ".//B540"), "filing": said(tree, ".//B220"), "abstract": said(tree, "SDOAB"),
                   "first claim": said(tree, ".//CLM"), "n claims": said(tree, ".//B577")}  # fmt: skip
        else:
            yield {"number": said(tree, ".//document-id/doc-number"), "title": said(tree, ".//title-of-invention"),
                   "abstract": said(tree, "subdoc-abstract"),
                   "filing": said(tree, ".//domestic-filing-data/filing-date"),
                   "first claim": said(tree, "subdoc-claims/claim")}  # fmt: skip


def standard(path: Path) -> Iterator[Plain]:
    """ST.96 of WIPO, and China's form of it."""
    for tree in trees(path):
        if tree.tag == "PatentDocumentAndRelated":
            yield {"number": tree.get("docNumber", ""), "kind": tree.get("kind", ""),
                   "title": said(tree, ".//InventionTitle"),
                   "publication": tree.get("datePublication", ""), "abstract": said(tree, "Abstract"),
                   "first claim": said(tree, "Claims/Claim")}  # fmt: skip
        else:
            yield {"number": said(tree, ".//PublicationNumber"), "title": said(tree, ".//InventionTitle"),
                   "publication": said(tree, ".//PublicationDate"), "abstract": said(tree, "Abstract"),
                   "first claim": said(tree, "Claims/Claim/ClaimText"),
                   "n claims": said(tree, ".//ClaimTotalQuantity")}  # fmt: skip


def green_book(path: Path) -> Iterator[Plain]:
    for part in path.read_text("latin-1").split("PATN\n")[1:]:
        value = {
            name: re.search(rf"^{name}  ?(.*(?:\n {{5}}.*)*)", part, re.M)
            for name in ("WKU", "TTL", "ISD", "APD", "NCL")
        }
        texts = {name: found[1] if found else "" for name, found in value.items()}
        claim = re.search(r"^NUM  1\.\n((?:PA.  .*\n|      .*\n)+)", part, re.M)
        yield {"number": texts["WKU"][:8], "title": texts["TTL"], "publication": texts["ISD"], "filing": texts["APD"],
               "n claims": texts["NCL"],
               "first claim": re.sub(r"^PA.", "", claim[1], flags=re.M) if claim else ""}  # fmt: skip


def lens(path: Path) -> Iterator[Plain]:
    for line in path.read_text("utf-8").splitlines():
        one = json.loads(line)
        biblio = one["biblio"]
        yield {
            "number": one["doc_number"], "kind": one["kind"], "publication": one["date_published"],
            "title": next(t["text"] for t in biblio["invention_title"] if t["lang"] == "en"),
            "abstract": next(t["text"] for t in one["abstract"] if t["lang"] == "en"),
            "filing": biblio["application_reference"]["date"],
            "citations": str(sum("patcit" in c for c in (biblio.get("references_cited") or {}).get("citations", []))),
            "inventors": str(len(biblio["parties"]["inventors"])),
            "priority": min(c["date"] for c in biblio["priority_claims"]["claims"]),
        }  # fmt: skip


def numbers_only(path: Path) -> Iterator[Plain]:
    """Answers of the open patent services about claims and families."""
    for tree in trees(path):
        for one in [*tree.iter("fulltext-document"), *tree.iter("family-member")]:
            id = next(iter(one.iter("document-id")))
            yield {
                "number": said(id, "doc-number"),
                "kind": said(id, "kind"),
                "family": one.get("family-id", ""),
            }


WAYS = {
    "uspto/ip*.xml": american, "uspto/US0*.xml": older, "uspto/p*.xml": older, "uspto/*.txt": green_book,
    "uspto/*.greenbook": green_book, "ep/*.xml": european, "jp/*.xml": gazette, "cn/cn_old*.xml": gazette,
    "cn/cn_new*.xml": standard, "st96/*.xml": standard, "docdb/*.xml": exchange, "ops/*bi*.xml": exchange,
    "ops/*full*.xml": exchange, "ops/claims*.xml": numbers_only, "ops/family*.xml": numbers_only,
    "marec/*.xml": marec, "lens/*.jsonl": lens,
}  # fmt: skip


def first_of(texts: object) -> list[str]:
    return [str(text) for text in dict(texts).values()]  # type: ignore[call-overload]


def cited_by(record: PatentRecord) -> list[str]:
    """How many publications it cites, and how many without regard to their kinds."""
    numbers = {one.number for one in record.citations}
    return [str(len(numbers)), str(len({"-".join(one.split("-")[:2]) for one in numbers}))]


def readings(record: PatentRecord) -> dict[str, list[str]]:
    """What our record says, in any language that the plain reading may have taken."""
    return {
        "number": [record.number.split("-")[1]], "kind": [record.kind], "family": [record.family],
        "publication": [record.publication], "filing": [record.filing], "title": first_of(record.titles),
        "abstract": first_of(record.abstracts), "first claim": first_of(record.first_claims),
        "n claims": [str(record.n_claims)], "citations": cited_by(record),
        "applicant": [party.name for party in record.applicants], "priority": [record.priority],
        "inventors": [str(len(record.inventors))], "ipc": [str(len(record.ipc))],
        "application": [record.application],
        "city": [party.city for party in record.inventors],
    }  # fmt: skip


def agree(field: str, plain: str, ours: list[str]) -> bool:
    if field in ("number", "n claims"):
        digits = re.sub(r"\D", "", plain).lstrip("0")
        return any(re.sub(r"\D", "", one).lstrip("0").replace("2006014", "200614") == digits or
                   re.sub(r"\D", "", one).lstrip("0") == digits for one in ours)  # fmt: skip
    if field == "city":
        return any(one and squeezed(one) in squeezed(plain) for one in ours)
    if field == "application":
        return any(re.sub(r"\D", "", one).endswith(plain.lstrip("0")) for one in ours)
    if field in ("publication", "filing", "priority"):
        return squeezed(plain)[:8] in [squeezed(one) for one in ours]
    wanted = re.sub(r"^\d+", "", squeezed(plain)) if field == "first claim" else squeezed(plain)
    if field in ("first claim", "abstract"):
        # formulas, tables and pictures are written differently: the beginning and most of the letters count
        return any(squeezed(one)[:60] == wanted[:60] or squeezed(one)[:30] == wanted[:30] for one in ours)
    return wanted in [squeezed(one) for one in ours]


def test_every_file_is_read_and_says_what_a_plain_reading_says() -> None:
    counts: dict[str, Counter[str]] = {}
    wrong: list[object] = []
    seen: set[Path] = set()
    for pattern, plainly in WAYS.items():
        for path in sorted(office().glob(pattern)):
            if path in seen:
                continue
            seen.add(path)
            ours, plain = records_of(path), list(plainly(path))
            assert len(ours) == len(plain), path
            folder = counts.setdefault(path.parent.name, Counter())
            folder.update(files=1, records=len(ours))
            for record, said_plainly in zip(ours, plain, strict=True):
                for field, text in said_plainly.items():
                    if text.strip():
                        folder["fields"] += 1
                        if not agree(field, text, readings(record)[field]):
                            wrong.append(
                                (path.name, record.number, field, text[:80], readings(record)[field])
                            )
    assert seen == {path for path in office().rglob("*") if path.is_file()}
    assert wrong == []
    rows = [
        f"| `{name}` | {count['files']} | {count['records']} | {count['fields']} |"
        for name, count in counts.items()
    ]
    table = GUIDE.read_text(encoding="utf-8")
    missing = [row for row in rows if row not in table]
    assert not missing, "\n".join(missing)  # what the guide should say


def as_docdb(country: str, number: str, date: str) -> tuple[str, str, str]:
    """An application number of a grant as the European office's exchange files write it: (country, number, kind)."""
    digits, year = re.sub(r"\D", "", number), date[:4]
    if number.startswith("PCT"):
        return number[4:6], f"{year}{digits[-5:].zfill(6)}", "W"
    if country == "US":
        series, serial = digits[:2], digits[2:]
        kind = "P" if series >= "60" else "F" if series == "29" else "A"
        return (country, f"{year}{digits}" if year >= "2010" else f"{int(serial)}{year[2:]}", kind)
    if country == "JP":
        return country, f"{year}{digits[4:].zfill(6)}", "A"
    if country == "KR":
        return country, digits[2:], "F" if digits[:2] == "30" else "A"
    return (
        country,
        digits if country != "PL" else number.replace("-", "").upper(),
        "U" if number[-1] == "U" else "A",
    )


def claimed_by(tree: ET.Element) -> list[tuple[str, str, str]]:
    """(country, number, date) of all that a grant goes back to, or of its own application."""
    ids = [
        one.find("document-id")
        for path in ("us-provisional-application", "parent-doc")
        for one in tree.iter(path)
    ]
    ids = [*tree.iter("priority-claim"), *ids] or [
        *tree.iterfind(".//pct-or-regional-filing-data/document-id")
    ]
    ids = ids or [tree.find(".//application-reference/document-id")]
    return [(said(one, "country"), said(one, "doc-number"), said(one, "date")) for one in ids]


def relative(number: int, claimed: list[tuple[str, str, str]]) -> str:
    claims = "".join(
        '<priority-claim data-format="docdb"><document-id><country>{}</country><doc-number>{}</doc-number>'
        "<kind>{}</kind><date>{}</date></document-id></priority-claim>".format(*as_docdb(*one), one[2])
        for one in claimed
    )
    return (
        f'<exchange-document country="EP" doc-number="{9_900_000 + number}" kind="A1"><bibliographic-data>'
        '<publication-reference data-format="docdb"><document-id><country>EP</country>'
        f"<doc-number>{9_900_000 + number}</doc-number><kind>A1</kind></document-id></publication-reference>"
        f"<priority-claims>{claims}</priority-claims></bibliographic-data></exchange-document>"
    )


def test_grants_and_what_claims_their_priorities_in_exchange_files_are_families(tmp_path: Path) -> None:
    """Each of the 50 grants gets an invented European relative that claims what the grant claims, or the grant."""
    grants: list[PatentRecord] = []
    claimed: list[list[tuple[str, str, str]]] = []
    for name in ("ipg070102.small.xml", "ipg120103.small.xml"):
        grants += records_of(office() / "uspto" / name)
        claimed += [
            claimed_by(one) for one in trees(office() / "uspto" / name) if one.tag == "us-patent-grant"
        ]
    relatives = "".join(relative(n, one) for n, one in enumerate(claimed))
    (tmp_path / "x.xml").write_text(f"<exchange-documents>{relatives}</exchange-documents>")
    european = records_of(tmp_path / "x.xml")
    family = families({one.number: kin_of(one) for one in (*grants, *european)})
    as_written = sum({one[:2] for one in ids} == {as_docdb(*one)[:2] for one in ids} for ids in claimed)
    met = sum(family[one.number] == family[other.number] for one, other in zip(grants, european, strict=True))
    assert len(set(family.values())) == len(grants) == 50
    guide = " ".join(GUIDE.read_text(encoding="utf-8").split())
    assert f"{as_written} of 50 families meet" in guide
    assert f"now {met} of 50 families" in guide
    assert met == 50
