"""Invented names: products, chemical compounds, models, people and firms; none is meant to exist.

Product and chemical names come in katakana and in Latin letters, made from the same syllables.
"""

from collections.abc import Callable

import numpy as np
from numpy.random import Generator


def _pairs(text: str) -> tuple[tuple[str, str], ...]:
    """(Japanese, Latin) pairs written as ja:latin; an underscore stands for a space."""
    return tuple((ja, latin.replace("_", " ")) for ja, latin in (pair.split(":") for pair in text.split()))


_HEADS = _pairs(
    "ゼ:ze ヴァ:va クオ:quo ミ:mi ロ:lo ラ:ra ト:to キ:ki ネ:ne サ:sa ドゥ:du フィ:fi ベ:be ガ:ga "
    "ポ:po リ:li ル:ru テ:te ノ:no マ:ma シ:si ジ:ji ヨ:yo ヘ:he コ:co パ:pa ヌ:nu ウェ:we "
    "ヴィ:vi ザ:za"
)
_TAILS = _pairs(
    "ニウム:nium リン:lin ゾール:zole キシン:xin ポール:pol ラン:lan タイト:tite フェン:fen "
    "セル:cel ロン:lon メド:med ディル:dil ックス:x バイト:bite ニール:nyl クリル:cryl"
)
_GROUPS = _pairs(
    "メチル:methyl エチル:ethyl プロピル:propyl ブチル:butyl フェニル:phenyl クロロ:chloro "
    "ブロモ:bromo フルオロ:fluoro ヒドロキシ:hydroxy アミノ:amino ニトロ:nitro メトキシ:methoxy "
    "エトキシ:ethoxy シアノ:cyano カルボキシ:carboxy"
)
_PARENTS = _pairs(
    "プロパン:propane ブタン:butane ペンタン:pentane ヘキサン:hexane ベンゼン:benzene "
    "フェノール:phenol ピリジン:pyridine アニリン:aniline トルエン:toluene ブタノール:butanol "
    "ヘキサノール:hexanol 安息香酸:benzoic_acid ブタン酸:butanoic_acid ナフタレン:naphthalene "
    "シクロヘキサン:cyclohexane イミダゾール:imidazole キノリン:quinoline ベンズアミド:benzamide "
    "アセトフェノン:acetophenone チオフェン:thiophene"
)
# syllables chosen so that people and firms sound like nobody in particular
_PERSON = (
    "zu", "vel", "tor", "mik", "qua", "rho", "sel", "nok", "ash", "imo", "dre", "yun", "kez", "ola", "pri",
    "fen", "gur", "hab", "jin", "lus", "obe", "wex", "xan", "cir", "ebo", "tak", "uzu", "vri", "zam", "nel",
)  # fmt: skip
_PERSON_END = ("ako", "umi", "inen", "ovar", "estri", "ugo", "aman", "idze", "orel", "una", "ekko", "aru")
_FIRM_END = (
    "Works",
    "Laboratory",
    "Industries",
    "Kogyo",
    "Systems",
    "Materials",
    "Seiki",
    "Instruments",
    "Chemical",
)
_LETTERS = "BCDFGHJKLMNPQRSTVWXZ"


def product(number: int) -> tuple[str, str]:
    """(katakana, Latin) of the product with this number; neighbours share nothing."""
    x = _scatter(number)
    syllables = [_HEADS[x % 30], _HEADS[x // 30 % 30]]
    if number % 3:
        syllables.append(_HEADS[x // 900 % 30])
    tail = _TAILS[x // 27_000 % 16]
    latin = "".join(s[1] for s in syllables) + tail[1]
    return "".join(s[0] for s in syllables) + tail[0], latin.capitalize()


def design(number: int) -> tuple[str, str]:
    """(Japanese, English) of a way of building things named after nobody, as in a Zevato-type valve."""
    x = _scatter(number)
    syllables = [_HEADS[x % 30], _HEADS[x // 30 % 30], _HEADS[x // 900 % 30]]
    return "".join(s[0] for s in syllables) + "式", "".join(s[1] for s in syllables).capitalize() + "-type"


def chemical(number: int) -> tuple[str, str]:
    """(Japanese, English) of a compound: locants, groups and a parent, as in 2-chloro-4-methylphenol."""
    x = _scatter(number)
    parent = _PARENTS[x % 20]
    first, second = sorted((_GROUPS[x // 20 % 15], _GROUPS[x // 300 % 15]), key=lambda group: group[1])
    low = 1 + x // 4_500 % 3
    high = low + 1 + x // 13_500 % 3
    if first == second:
        return f"{low},{high}-ジ{first[0]}{parent[0]}", f"{low},{high}-di{first[1]}{parent[1]}"
    if number % 3 == 0:
        return f"{high}-{first[0]}{parent[0]}", f"{high}-{first[1]}{parent[1]}"
    return (
        f"{low}-{first[0]}-{high}-{second[0]}{parent[0]}",
        f"{low}-{first[1]}-{high}-{second[1]}{parent[1]}",
    )


def model(number: int) -> str:
    """A type designation such as KX-120; the same in every language."""
    x = _scatter(number)
    return f"{_LETTERS[x % 20]}{_LETTERS[x // 20 % 20]}-{10 * (1 + x // 400 % 99)}"


def people(rng: Generator, n: int) -> list[str]:
    """'Family, Given' names, all different."""
    return _distinct(rng, n, _person)


def firms(rng: Generator, n: int) -> list[str]:
    """Firm names, all different, recognisably made up by their double names."""
    return _distinct(rng, n, _firm)


def _person(a: int, b: int, c: int, e: int, f: int) -> str:
    family, given = _PERSON[a] + _PERSON[b] + _PERSON_END[e], _PERSON[c] + _PERSON_END[f]
    return f"{family.capitalize()}, {given.capitalize()}"


def _firm(a: int, b: int, c: int, e: int, f: int) -> str:
    first, second = _PERSON[a] + _PERSON_END[e], _PERSON[b] + _PERSON[c]
    return f"{first.capitalize()}-{second.capitalize()} {_FIRM_END[f % len(_FIRM_END)]}"


def _distinct(rng: Generator, n: int, spell: Callable[[int, int, int, int, int], str]) -> list[str]:
    found: dict[str, None] = {}
    while len(found) < n:
        syllables = rng.integers(0, 30, (n, 3))
        ends = rng.integers(0, 12, (n, 2))
        for row in np.hstack([syllables, ends]).tolist():
            found[spell(*row)] = None
    return list(found)[:n]


def _scatter(number: int) -> int:
    """Spread consecutive numbers over a large range (a multiplicative hash)."""
    return (number * 2_654_435_761 + 1_013_904_223) % (1 << 32)
