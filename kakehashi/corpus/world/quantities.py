"""Numbers with units, as both languages write them."""

from kakehashi.corpus.world.japanese import full_width

# unit -> Japanese, English, lowest, highest, step
UNITS: dict[str, tuple[str, str, float, float, float]] = {
    "degC": ("℃", "°C", 20, 900, 10), "mm": ("mm", "mm", 1, 200, 1), "um": ("μm", "μm", 0.1, 50, 0.1),
    "nm": ("nm", "nm", 5, 800, 5), "pct": ("％", "%", 5, 95, 5), "wt": ("質量％", "mass %", 0.1, 60, 0.1),
    "V": ("V", "V", 1, 400, 1), "A": ("A", "A", 1, 300, 1), "W": ("W", "W", 5, 2000, 5),
    "Hz": ("Hz", "Hz", 20, 800, 10), "kHz": ("kHz", "kHz", 1, 900, 1), "MHz": ("MHz", "MHz", 10, 3000, 10),
    "MPa": ("MPa", "MPa", 0.1, 300, 0.1), "kPa": ("kPa", "kPa", 1, 500, 1), "Pa": ("Pa", "Pa", 0.1, 100, 0.1),
    "ms": ("ミリ秒", "milliseconds", 1, 500, 1), "ns": ("ナノ秒", "nanoseconds", 1, 200, 1),
    "rpm": ("rpm", "rpm", 50, 9000, 50), "N": ("N", "N", 1, 500, 1), "kN": ("kN", "kN", 1, 900, 1),
    "deg": ("度", "degrees", 1, 90, 1), "mps": ("m/秒", "m/s", 0.1, 20, 0.1), "mms": ("mm/秒", "mm/s", 5, 900, 5),
    "ratio": ("", "", 1.1, 9, 0.1), "kmh": ("km/h", "km/h", 5, 150, 5), "Nm": ("N・m", "N·m", 1, 400, 1),
    "min": ("分", "minutes", 1, 180, 1), "mPas": ("mPa・s", "mPa·s", 1, 5000, 1), "pH": ("", "", 3, 11, 0.5),
    "mL": ("mL", "mL", 10, 2000, 10), "g": ("g", "g", 1, 500, 1), "mg": ("mg", "mg", 1, 900, 1),
    "lx": ("ルクス", "lux", 50, 2000, 50), "T": ("T", "T", 0.1, 2, 0.1), "uH": ("μH", "μH", 1, 500, 1),
    "ohm": ("Ω", "ohms", 1, 900, 1), "mOhm": ("mΩ", "milliohms", 1, 100, 1), "mAh": ("mAh", "mAh", 100, 4000, 50),
    "dBm": ("dBm", "dBm", 1, 40, 1), "Mbps": ("Mbps", "Mbps", 1, 900, 1), "fps": ("フレーム/秒", "frames per second", 5, 120, 5),
    "dpi": ("dpi", "dpi", 100, 2400, 100), "bpm": ("回/分", "beats per minute", 40, 180, 5),
    "mmHg": ("mmHg", "mmHg", 60, 200, 5), "mgL": ("mg/L", "mg/L", 0.5, 30, 0.5), "m2g": ("m2/g", "m2/g", 1, 500, 1),
    "gcm3": ("g/cm3", "g/cm3", 0.5, 9, 0.1), "cN": ("cN", "cN", 1, 90, 1), "dtex": ("デシテックス", "dtex", 0.5, 300, 0.5),
    "gm2": ("g/m2", "g/m2", 5, 300, 5), "cdm2": ("cd/m2", "cd/m2", 50, 1000, 50), "pL": ("pL", "pL", 1, 40, 1),
    "mLmin": ("mL/分", "mL/min", 1, 500, 1), "nmmin": ("nm/分", "nm/min", 10, 900, 10), "gs": ("g/秒", "g/s", 1, 90, 1),
    "ms2": ("m/s2", "m/s2", 1, 90, 1), "Adm2": ("A/dm2", "A/dm2", 0.5, 30, 0.5),
}  # fmt: skip


def span(unit: str, number: int) -> tuple[str, str]:
    """Lower and upper end of a range; small ends are more likely, as in real claims."""
    _, _, lowest, highest, step = UNITS[unit]
    a, b = number % 256 / 256, number // 256 % 256 / 256
    low = lowest + (highest - lowest) * 0.6 * a**2.5
    high = low + max((highest - low) * b**1.5, step)
    return _rounded(low, step), _rounded(high, step)


def ja_range(unit: str, number: int, wide: bool, style: float) -> str:
    if not unit:
        return "所定の範囲内"
    low, high = (full_width(end) if wide else end for end in span(unit, number))
    word = UNITS[unit][0]
    if style < 0.6:
        return f"{low}〜{high}{word}"
    return f"{low}{word}以上{high}{word}以下"


def en_range(unit: str, number: int, style: float) -> str:
    if not unit:
        return "within a predetermined range"
    low, high = span(unit, number)
    word = UNITS[unit][1]
    space = "" if word in ("", "%") else " "
    if style < 0.6:
        return f"{low} to {high}{space}{word}"
    return f"{low}{space}{word} or more and {high}{space}{word} or less"


def _rounded(value: float, step: float) -> str:
    return f"{round(value / step) * step:.1f}" if step < 1 else str(int(round(value / step) * step))
