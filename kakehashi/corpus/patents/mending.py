"""Mends small faults that real files have, so that a document can be parsed after all; guesses no structure.

These are: an ampersand that means itself, an entity that only a missing DTD declares, a prefix without its
namespace, control characters, letters of an older encoding, and the empty elements of the American files of 2001,
which are SGML.
"""

import re

from lxml import etree

from kakehashi.corpus.patents.elements import character
from kakehashi.corpus.patents.letters import AS_OLDER

LONGEST = 16 << 20  # bytes of a document that can be mended: it is held in memory
FAULTS = frozenset(
    getattr(etree.ErrorTypes, name)
    for name in (
        "ERR_NAME_REQUIRED",
        "ERR_ENTITYREF_SEMICOL_MISSING",
        "ERR_UNDECLARED_ENTITY",
        "WAR_UNDECLARED_ENTITY",
        "NS_ERR_UNDEFINED_NAMESPACE",
        "ERR_INVALID_CHAR",
        "ERR_INVALID_CHARREF",
        "ERR_INVALID_ENCODING",
    )
) | {etree.ErrorTypes.ERR_INTERNAL_ERROR}  # what is left of an undeclared entity without a DOCTYPE
NAMESPACES = {
    b"exch": b"http://www.epo.org/exchange", b"ops": b"http://ops.epo.org", b"ftxt": b"http://www.epo.org/fulltext",
    b"jp": b"http://www.jpo.go.jp", b"com": b"http://www.wipo.int/standards/XMLSchema/ST96/Common",
    b"pat": b"http://www.wipo.int/standards/XMLSchema/ST96/Patent", b"m": b"http://www.w3.org/1998/Math/MathML",
    b"business": b"http://www.sipo.gov.cn/XMLSchema/business", b"base": b"http://www.sipo.gov.cn/XMLSchema/base",
}  # fmt: skip
OWN = frozenset([b"amp", b"lt", b"gt", b"quot", b"apos"])
REFERENCE = re.compile(
    rb"<!\[CDATA\[.*?\]\]>|<!--.*?-->|&(#\d{1,8};|#[xX][\da-fA-F]{1,6};|[A-Za-z_][\w.]*;)?", re.DOTALL
)
CONTROLS = bytes(one for one in range(32) if one not in b"\t\n\r")
IN_UTF8 = re.compile(rb"(?:[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3})+")
HIGH_PAIR = re.compile(rb"[\x80-\xff]{2}")
DECLARED = re.compile(rb"\s*<\?xml[^>]*?encoding\s*=\s*[\"']([\w.-]+)[\"']")
ROOT = re.compile(rb"<[A-Za-z_][\w.:-]*")
PREFIX = re.compile(rb"</?([A-Za-z_][\w.-]*):[A-Za-z_]")
DOCTYPE = re.compile(rb"<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>", re.DOTALL)
SGML_HEAD = re.compile(rb"\s*(?:<!DOCTYPE\s+PATDOC[\s>]|<PATDOC[\s>])")
EMPTY = (
    b"CITED-BY-EXAMINER", b"CITED-BY-OTHER", b"B473US", b"B597US", b"B598US", b"B675US", b"COLSPEC", b"SPANSPEC",
    b"EMI", b"CHEMCDX", b"CHEMMOL", b"CUSTOM-CHARACTER", b"MATHEMATICA", b"CLREF-EMPTY", b"FGREF-EMPTY",
)  # fmt: skip
EMPTY_TAG = re.compile(rb"<(" + b"|".join(EMPTY) + rb")((?:\s[^<>]*?)?)/?>(?:\s*</\1>)?")


def is_sgml(head: bytes) -> bool:
    """Whether a document is SGML of the American office; the same form since 2002 declares that it is XML."""
    return SGML_HEAD.match(head) is not None


def must_be_mended(head: bytes) -> bool:
    """Whether a document cannot be read as it is: a parser reads on after a prefix that nobody declares."""
    root = ROOT.search(head)
    prefix = root[0][1:].partition(b":") if root else (b"", b"", b"")
    return is_sgml(head) or (bool(prefix[1]) and b"xmlns:" + prefix[0] not in head)


def mended(data: bytes) -> bytes:
    """The document without these faults; nothing else is changed."""
    if b"\0" in data[:100]:  # two bytes per letter
        return data
    data = _in_utf8(data.translate(None, CONTROLS))
    if is_sgml(data):
        data = EMPTY_TAG.sub(rb"<\1\2/>", DOCTYPE.sub(b"", data, count=1))
    return _with_namespaces(REFERENCE.sub(_reference, data))


def _in_utf8(data: bytes) -> bytes:
    """With single letters of an older encoding between those of UTF-8; a document all in another one stays broken."""
    declared = DECLARED.match(data[:200])
    is_other = declared is not None and declared[1].lower() not in (b"utf-8", b"utf8")
    if is_other or HIGH_PAIR.search(IN_UTF8.sub(b" ", data)):
        return data
    return data.decode("utf-8", AS_OLDER).encode("utf-8", "replace")


def _is_character(reference: bytes) -> bool:
    """Whether #8211; or #x2013; is a character of XML."""
    number = int(reference[2:-1], 16) if reference[1:2] in (b"x", b"X") else int(reference[1:-1])
    return (
        number in (9, 10, 13)
        or 32 <= number < 0xD800
        or 0xE000 <= number < 0xFFFE
        or 0x10000 <= number < 0x110000
    )


def _reference(found: re.Match[bytes]) -> bytes:
    name = found[1]
    if found[0][:1] == b"<" or (name and name[:-1] in OWN):
        return found[0]
    if name and name[:1] == b"#":
        return found[0] if _is_character(name) else b" "
    if name is None:
        return b"&amp;"
    return b"".join(b"&#%d;" % ord(letter) for letter in character(name[:-1].decode("latin-1")))


def _with_namespaces(data: bytes) -> bytes:
    root = ROOT.search(data)
    if root is None:
        return data
    used = dict.fromkeys(PREFIX.findall(data[:100_000]))
    missing = [prefix for prefix in used if b"xmlns:" + prefix + b"=" not in data]
    declared = b"".join(
        b' xmlns:%s="%s"' % (prefix, NAMESPACES.get(prefix, b"urn:" + prefix)) for prefix in missing
    )
    return data[: root.end()] + declared + data[root.end() :]
