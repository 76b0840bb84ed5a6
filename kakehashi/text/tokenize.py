"""Splits one chunk (text without white space) into words; does not lowercase, filter or stem them.

The rules are those of the Moses tokenizer, as far as they apply to a chunk: slashes, brackets and other
punctuation split words; full stops inside a word, and points and commas inside a number, do not. Apostrophes
split words (English `don|'t`, French `l'|eau`). Two tokenizers are language-independent: `default` also splits
scripts without spaces into pairs of characters; `plain` treats everything but letters and digits as a space.
"""

import re
import unicodedata
from collections.abc import Callable
from functools import cache
from itertools import pairwise

from kakehashi.text.prefixes import is_abbreviation, is_numbered

Tokenizer = Callable[[str], list[str]]

# Scripts written without spaces: Thai, Lao, Burmese, Hangul, Khmer, kana, Han.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30fa\u30fc-\u30ff\u3400-\u4dbf"
    "\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
)
_PROGRAMMING = r"(?<!\w)[A-Za-z](?:\+\+|#)(?!\w)"  # C++, C#, F#
_FRENCH_WHOLE = r"(?<!\w)(?i:aujourd'hui|prud'hom\w*)"
_FRENCH_ELIDED = r"(?<!\w)(?i:[ldjmnstc]|(?:jus|lors|puis|quoi|pres|quel)?qu)'(?=\w)"


def tokenizer(name: str, punctuation: bool, split_hyphens: bool) -> Tokenizer:
    """The named tokenizer; `punctuation` keeps punctuation marks as separate tokens."""
    pattern = re.compile(_pattern(name, punctuation, split_hyphens))
    if punctuation:
        return lambda chunk: _full_stops(pattern.findall(chunk), name)
    if name == "default":
        return lambda chunk: _bigrams(pattern.findall(chunk))
    return pattern.findall


def _pattern(name: str, punctuation: bool, split_hyphens: bool) -> str:
    letter = rf"(?![{UNSPACED}])[\w{_marks()}]" if name == "default" else rf"[\w{_marks()}]"
    run = rf"(?=\w)(?:{letter})+"
    inside = r"\.|(?<=\d),(?=\d)" if split_hyphens else r"\.|(?<=\d),(?=\d)|-"
    word = rf"{run}(?:(?:{inside}){run})*"
    if name == "plain":
        return rf"{run}|\S" if punctuation else run
    choices = [_PROGRAMMING]
    if name == "french":
        choices += [_FRENCH_WHOLE] + ([_FRENCH_ELIDED] if punctuation else [])
    if name == "default":
        choices += [rf"(?:(?=[\w{_marks()}])[{UNSPACED}])+"]
    if not punctuation:
        return "|".join([*choices, word])
    contraction = [] if name == "french" else [rf"(?<=\w)'{run}"]
    return "|".join([*choices, *contraction, rf"{word}(?:\.(?!\.))?", r"\.\.+", r"\S"])


@cache
def _marks() -> str:
    """All combining marks, for use in a character class: without them Hindi words are split."""
    codes = [code for code in range(0x300, 0x20000) if unicodedata.category(chr(code)).startswith("M")]
    starts = [code for code, before in zip(codes, [0, *codes[:-1]], strict=True) if code != before + 1]
    ends = [code for code, after in zip(codes, [*codes[1:], 0], strict=True) if code + 1 != after]
    return "".join(f"{chr(start)}-{chr(end)}" for start, end in zip(starts, ends, strict=True))


def _full_stops(tokens: list[str], name: str) -> list[str]:
    """A full stop stays with an abbreviation and is split from any other word."""
    parted: list[str] = []
    for token in _bigrams(tokens) if name == "default" else tokens:
        word = token[:-1]
        if word and token[-1] == "." and word[-1] != "." and not _keeps_stop(word, name):
            parted += [word, "."]
        else:
            parted.append(token)
    return parted


def _keeps_stop(word: str, name: str) -> bool:
    return is_abbreviation(word, name) or is_numbered(word, name)


_unspaced_run = re.compile(f"[{UNSPACED}]{{2,}}")


def _bigrams(tokens: list[str]) -> list[str]:
    """Overlapping pairs of characters for each run in a script without spaces."""
    found: list[str] = []
    for token in tokens:
        if _unspaced_run.fullmatch(token):
            found += map("".join, pairwise(token))
        else:
            found.append(token)
    return found
