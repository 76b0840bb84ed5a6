"""Turns text of parallel files into plain text: no control characters, no markup of programs."""

import re
from html import unescape
from html.entities import html5

CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\u200b\ufeff]+")
NOT_A_LETTER = re.compile(r"[\W_]+")
ENTITY = re.compile(r"&(#?\w{1,32};)")  # only with its semicolon: &section is a menu item with the key s
TAG = re.compile(r"</?[A-Za-z][^<>]{0,200}>")
# %s, %-5.2f, %1$s, %(name)s, KDE's %1 and %n, {0}, {name}, ${name}; not "% d", or 100% a day would be one
PLACEHOLDER = re.compile(
    r"%(?:\d+\$|\(\w{1,60}\))?[-+#0']{0,5}\d{0,4}(?:\.\d{1,4})?(?:hh|ll|[hlLjzt])?[diouxXeEfFgGaAcsSpPn]\b"
    r"|%L?\d{1,2}|\$?\{\w{0,60}\}"
)
APART = re.compile(r"[(（][_&]\w[)）]")  # how Japanese and Chinese menus name their key: ファイル(_F)
UNDERSCORE = re.compile(r"_(?=[^\W_])")
AMPERSAND = re.compile(r"(?<![A-Z])&(?=\w)|&(?=[a-z])")  # but R&D is a word


def tidy(text: str) -> str:
    """One line, single spaces, no invisible characters."""
    return " ".join((text if text.isprintable() else CONTROL.sub(" ", text)).split())


def without_marks(message: str) -> str:
    """A program message as the user reads it: no menu accelerators, placeholders or tags."""
    text = ENTITY.sub(_character, TAG.sub(" ", message))
    text = PLACEHOLDER.sub(" ", text.replace("%%", "%\u200b"))
    text = APART.sub("", text)
    for mark in (UNDERSCORE, AMPERSAND):
        if len(mark.findall(text)) == 1:  # a menu item has one key; more are names such as my_file_name
            text = mark.sub("", text)
    return tidy(text)


def _character(entity: re.Match[str]) -> str:
    """The character of an entity; `unescape` alone would read &sect in an unknown &section;."""
    known = entity[1].startswith("#") or entity[1] in html5
    return unescape(entity[0]) if known else entity[0]


def same_letters(source: str, target: str) -> bool:
    """Whether a passage is untranslated, ignoring case, spaces and punctuation."""
    return (
        source == target or NOT_A_LETTER.sub("", source).casefold() == NOT_A_LETTER.sub("", target).casefold()
    )
