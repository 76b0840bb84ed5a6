"""Translation memories (TMX 1.4): the variants of a unit in the two languages."""

from collections.abc import Iterator
from pathlib import Path

from lxml import etree

from kakehashi.corpus.parallel_text.sentence_pair import Languages, SentencePair, is_language
from kakehashi.corpus.xml_records import LANG, local_name, read_records
from kakehashi.errors import FileError

MARKUP = ("bpt", "ept", "it", "ph", "ut")  # codes of the original program, not words of the text
NAMED = 8  # maximum languages listed in an error


def read_tmx(path: Path, languages: Languages) -> Iterator[SentencePair]:
    found, others = False, set[str]()
    for unit in read_records(path, "tu"):
        variants = [child for child in unit if local_name(child) == "tuv"]
        source, target = (_text(variants, language) for language in languages)
        if source is not None and target is not None:
            found = True
            yield SentencePair(source, target)
        elif len(others) < NAMED:
            others.update(_language(variant) for variant in variants)
    if not found:
        shown = ", ".join(sorted(others)[:NAMED]) or "none"
        wanted = f"{languages.source} and {languages.target}"
        raise FileError(path, None, f"has no unit in both {wanted}: its languages are {shown}")


def _text(variants: list[etree._Element], language: str) -> str | None:
    """The first variant in the language or a regional form of it (de-AT for de)."""
    for variant in variants:
        if is_language(_language(variant), language):
            segments = [child for child in variant if local_name(child) == "seg"]
            return " ".join(_words(segment) for segment in segments)
    return None


def _language(variant: etree._Element) -> str:
    return (variant.get(LANG) or variant.get("lang") or "").strip()[:35]


def _words(element: etree._Element) -> str:
    """All text inside, except the content of markup; a highlighted word is kept."""
    parts = [element.text or ""]
    for child in element:
        if local_name(child) and local_name(child) not in MARKUP:
            parts.append(_words(child))
        parts.append(child.tail or "")
    return "".join(parts)
