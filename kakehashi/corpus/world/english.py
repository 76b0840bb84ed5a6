"""English word forms: articles, plurals, verb forms; only as much grammar as the templates need."""

import re
from collections.abc import Callable

# letters whose spoken name begins with a vowel decide for abbreviations (an LED, a CPU)
_SPELLED = re.compile(r"[A-Z]([A-Z0-9]|-|\b)")
_YOU = re.compile(r"(uni(?!n)|use|usu|uti|ure|uri|one\b|one-|eu)", re.IGNORECASE)
_IRREGULAR_PAST = {
    "wind": "wound", "hold": "held", "bring": "brought", "send": "sent", "feed": "fed", "cut": "cut",
    "set": "set", "read": "read", "bend": "bent", "draw": "drawn", "keep": "kept", "input": "input",
    "grind": "ground", "drive": "driven", "shut": "shut",
}  # fmt: skip
_DOUBLING = {"fit", "stir", "dip", "transmit", "abut", "control", "scan", "cut", "set", "shut", "input"}
_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def article(phrase: str) -> str:
    """'a ' or 'an ', by sound."""
    if phrase[0].isdigit():
        return "an " if re.match(r"8|11\b|18\b|11-|18-", phrase) else "a "
    if _SPELLED.match(phrase):
        return "an " if phrase[0] in "AEFHILMNORSX" else "a "
    if _YOU.match(phrase):
        return "a "
    return "an " if phrase[0] in "aeiouAEIOU" else "a "


def plural(noun: str) -> str:
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return noun[:-1] + "ies"
    if noun.endswith(("s", "x", "ch", "sh", "z")):
        return noun + "es"
    if noun.endswith("medium"):
        return noun[:-2] + "a"
    return noun.removesuffix("tooth") + "teeth" if noun.endswith("tooth") else noun + "s"


def count(number: int) -> str:
    return _NUMBERS[number] if number < len(_NUMBERS) else str(number)


def past_participle(phrase: str) -> str:
    return _inflect(phrase, _past)


def third_person(phrase: str) -> str:
    return _inflect(phrase, plural)


def _inflect(phrase: str, form: Callable[[str], str]) -> str:
    """Inflect the verb of 'electrically connect to', and both of 'open and close'."""
    words = phrase.split()
    first = 1 if words[0] == "electrically" else 0
    words[first] = form(words[first])
    if "and" in words:
        words[words.index("and") + 1] = form(words[words.index("and") + 1])
    return " ".join(words)


def _past(verb: str) -> str:
    if verb in _IRREGULAR_PAST:
        return _IRREGULAR_PAST[verb]
    if verb in _DOUBLING:
        return verb + verb[-1] + "ed"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ied"
    return verb + ("d" if verb.endswith("e") else "ed")
