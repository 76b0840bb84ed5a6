"""Numbers with units, as both languages write them."""

from functools import cache

from kakehashi.corpus.world.glossary import rows
from kakehashi.corpus.world.japanese import full_width


@cache
def units() -> dict[str, tuple[str, str, float, float, float]]:
    """unit -> Japanese, English, lowest value, highest value, step."""
    return {
        name: (ja, en, float(low), float(high), float(step))
        for name, ja, en, low, high, step in rows("units")
    }


def span(unit: str, number: int) -> tuple[str, str]:
    """Lower and upper end of a range; small ends are more likely, as in real claims."""
    _, _, lowest, highest, step = units()[unit]
    a, b = number % 256 / 256, number // 256 % 256 / 256
    low = lowest + (highest - lowest) * 0.6 * a**2.5
    high = low + max((highest - low) * (0.1 + 0.9 * b**1.5), step, 0.15 * low)
    return _rounded(low, step), _rounded(high, step)


def ja_range(unit: str, number: int, wide: bool, style: float) -> str:
    if not unit:
        return "所定の範囲内"
    low, high = (full_width(end) if wide else end for end in span(unit, number))
    word = units()[unit][0]
    if style < 0.6:
        return f"{low}〜{high}{word}"
    return f"{low}{word}以上{high}{word}以下"


def en_range(unit: str, number: int, style: float) -> str:
    if not unit:
        return "within a predetermined range"
    low, high = span(unit, number)
    word = units()[unit][1]
    space = "" if word in ("", "%") else " "
    if style < 0.6:
        return f"{low} to {high}{space}{word}"
    return f"{low}{space}{word} or more and {high}{space}{word} or less"


def _rounded(value: float, step: float) -> str:
    """At most two significant digits, as people choose limits."""
    value = float(f"{round(value / step) * step:.2g}")
    return f"{value:.1f}" if step < 1 and value < 10 else str(int(value))
