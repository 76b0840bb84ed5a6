"""Finds elements by name, ignoring namespaces, and the text inside them."""

import re
from collections.abc import Iterator
from functools import cache
from html.entities import html5

from lxml import etree

from kakehashi.corpus.parallel_text.cleaning import tidy
from kakehashi.corpus.xml_records import local_name

LETTERS = {
    "a": "alpha", "b": "beta", "g": "gamma", "d": "delta", "e": "epsi", "z": "zeta", "ee": "eta", "th": "theta",
    "i": "iota", "k": "kappa", "l": "lambda", "m": "mu", "n": "nu", "x": "xi", "o": "omicron", "p": "pi", "r": "rho",
    "s": "sigma", "sf": "sigmaf", "t": "tau", "u": "upsi", "ph": "phi", "kh": "chi", "ps": "psi", "oh": "omega",
}  # fmt: skip
GREEK = re.compile(rf"({'|'.join(sorted(LETTERS, key=len, reverse=True))})gr", re.IGNORECASE)
# elements that start a new line; all others are inline
BLOCKS = frozenset(
    ["abstract", "br", "claim", "claim-text", "dd", "description", "dl", "dt", "heading", "li", "ol", "p",
     "paragraph", "row", "table", "tables", "tr", "ul",  # ST.36
     "BR", "BTEXT", "CLM", "H", "PARA", "PTEXT", "ROW", "TABLE",  # ST.32
     "Br", "Claim", "ClaimText", "Heading", "P", "Row", "Table",  # ST.96
     "Paragraphs"]  # China's form of it
)  # fmt: skip
# pictures, and the numbers of paragraphs and claims
SILENT = frozenset(
    [
        "img",
        "EMI",
        "image",
        "chemistry-cwu",
        "table-cwu",
        "Image",
        "TableImage",
        "number",
        "ClaimNumber",
        "ClaimTypeCategory",
    ]
)


def find(element: etree._Element, path: str) -> etree._Element | None:
    """The first element at a path such as `a/b` or `.//b`, in any namespace."""
    return element.find(_in_any_namespace(path))


def every(element: etree._Element, path: str) -> list[etree._Element]:
    return element.findall(_in_any_namespace(path))


def line_at(element: etree._Element, path: str) -> str:
    """The text at a path as one line; empty if there is nothing."""
    found = find(element, path)
    return line_of(found) if found is not None else ""


def line_of(element: etree._Element) -> str:
    return " ".join(_lines(element)) if len(element) else tidy(element.text or "")


def text_of(element: etree._Element) -> str:
    """The text inside, one line per paragraph."""
    return "\n".join(_lines(element))


def raw_text(element: etree._Element) -> str:
    """The text with its white space unchanged, for text in columns."""
    return "".join(_pieces(element)).replace("\x00", "\n")


def character(name: str) -> str:
    """Of an entity of the standards: those of HTML, in any case (&SACUTE;), and the Greek ones of ISO (&agr;)."""
    if greek := GREEK.fullmatch(name):
        letter = html5[f"{LETTERS[greek[1].lower()]};"]
        return letter.upper() if greek[1][0].isupper() else letter
    plain = name.rpartition(".")[2]  # b.alpha is a bold alpha
    known = (f"{one};" for one in (plain, plain.capitalize(), plain.lower()))
    return next((html5[one] for one in known if one in html5), " ")


def _lines(element: etree._Element) -> list[str]:
    lines = [tidy(line) for line in "".join(_pieces(element)).split("\x00")]
    return [line for line in lines if line]


def _pieces(element: etree._Element) -> Iterator[str]:
    """All text inside; the character U+0000, which XML cannot contain, separates lines."""
    yield element.text or ""
    for child in element:
        name = local_name(child)
        if not name:
            yield _character(child)
        elif name in BLOCKS:
            yield "\x00"
            yield from _pieces(child)
            yield "\x00"
        elif name not in SILENT:
            yield from _pieces(child)
        yield child.tail or ""


def _character(entity: etree._Element) -> str:
    """The character of a standard entity such as &ndash;; entities of the document are not expanded."""
    return character(getattr(entity, "name", None) or "")


@cache
def _in_any_namespace(path: str) -> str:
    return "/".join(step if step in ("", ".", "*") else f"{{*}}{step}" for step in path.split("/"))
