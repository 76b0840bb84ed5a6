"""Japanese word forms: the inflections and digits the templates need."""

_FULL_WIDTH = str.maketrans("0123456789.", "０１２３４５６７８９．")
# godan verbs: last kana -> stem before masu, stem before the passive's re, plain past
_GODAN = {
    "む": ("み", "ま", "んだ"),
    "す": ("し", "さ", "した"),
    "る": ("り", "ら", "った"),
    "う": ("い", "わ", "った"),
}


def inflect(verb: str, group: str) -> dict[str, str]:
    """The forms of one verb: dic(tionary), ren(yoo), pas(sive stem), past."""
    if group == "suru":
        stem = verb.removesuffix("する")
        return {"dic": verb, "ren": stem + "し", "pas": stem + "され", "past": stem + "した"}
    stem = verb[:-1]
    if group == "ichidan":
        return {"dic": verb, "ren": stem, "pas": stem + "られ", "past": stem + "た"}
    i, a, past = _GODAN[verb[-1]]
    return {"dic": verb, "ren": stem + i, "pas": stem + a + "れ", "past": stem + past}


def full_width(digits: str) -> str:
    return digits.translate(_FULL_WIDTH)
