"""How one publication or one application is spelled by offices and databases; the numbers are drawn at random."""

from collections.abc import Callable

Spelling = tuple[str, str, str, str]  # office, number, kind, date
Spell = Callable[[int, int], list[Spelling]]  # year, serial -> spellings


def japanese_unexamined(year: int, serial: int) -> list[Spelling]:
    """As published from 1955 to 2020; `date` is the month of publication."""
    date = f"{year}-06"
    if year >= 2000:
        numbers = [f"{year}{serial:06d}", f"{year}-{serial}", f"{year} {serial:06d}", f"特開{year}-{serial}"]
        numbers.append(f"{year} {serial // 1000:03d} {serial % 1000:03d}")
        return [("JP", number.removeprefix("特開"), "A", when) for number in numbers for when in ("", date)]
    letter, first, name, digit = ("H", 1988, "平", 4) if year > 1988 else ("S", 1925, "昭", 3)
    era = year - first
    numbers = [
        f"{letter}{era:02d}{serial:06d}",
        f"{letter}{era}-{serial}",
        f"{name}{era}-{serial}",
        f"{era:02d}-{serial}",
    ]
    numbers += [f"{era:02d}{serial:06d}", f"{digit}{era:02d}{serial:06d}", f"{era}/{serial}"]
    numbers += [f"{era}{serial:06d}", f"{era} {serial // 1000:03d} {serial % 1000:03d}"]
    return [("JP", number, "A", when) for number in numbers for when in ("", date)]


def american_application(year: int, serial: int) -> list[Spelling]:
    numbers = [f"{year}/{serial:07d}", f"{year}{serial:07d}", f"{year}{serial:06d}", f"US{year}{serial:07d}"]
    return [("US", number, "A1", "") for number in numbers]


def international(year: int, serial: int) -> list[Spelling]:
    numbers = [
        f"{year}/{serial:06d}",
        f"{year}{serial:06d}",
        f"WO {year}/{serial:06d}",
        f"WO-{year}{serial:06d}",
    ]
    numbers += [f"{year % 100:02d}/{serial:06d}", f"{year % 100:02d}{serial:06d}"]
    if serial < 100_000:
        numbers += [f"{year % 100:02d}/{serial:05d}", f"{year % 100:02d}{serial:05d}", f"{year}{serial:05d}"]
    return [("WO", number, "A1", "") for number in numbers]


def korean(year: int, serial: int) -> list[Spelling]:
    numbers = [
        f"10-{year}-{serial:07d}",
        f"{year}-{serial:07d}",
        f"{year}{serial:07d}",
        f"10{year}{serial:07d}",
    ]
    return [("KR", number, "A", "") for number in numbers]


def grant(office: str, kind: str, width: int) -> Spell:
    """Numbers that name no year; the year only keeps the type."""

    def spelled(year: int, serial: int) -> list[Spelling]:
        serial += 3_000_000
        numbers = [
            str(serial),
            f"{serial:0{width}d}",
            f"{serial:,}",
            f"{serial:,}".replace(",", " "),
            f"{office}{serial}",
        ]
        return [(office, number, kind, "") for number in numbers]

    return spelled


def lettered(office: str, letters: str, kind: str, *others: str) -> Spell:
    """American rights with a series of their own; `others` are further ways to write the letters."""

    def spelled(year: int, serial: int) -> list[Spelling]:
        numbers = [
            f"{letters}{serial}",
            f"{letters}{serial:06d}",
            f"{letters}{serial:,}",
            f"{office}{letters}{serial}",
        ]
        numbers += [f"{other}{serial}" for other in others] + [str(serial)]
        return [(office, number, kind, "") for number in numbers]

    return spelled


def plain(office: str, kind: str, first: int, *prefixes: str) -> Spell:
    """Numbers that only count, from `first`, also behind letters that not everybody writes."""

    def spelled(year: int, serial: int) -> list[Spelling]:
        number = first + serial
        numbers = [str(number), f"{number:,}", f"{number:,}".replace(",", " "), f"{office}{number}{kind}"]
        return [(office, one, kind, "") for one in (*numbers, *(f"{prefix}{number}" for prefix in prefixes))]

    return spelled


def yearly(office: str, kind: str, *forms: str) -> Spell:
    """Numbers of a year, by format strings of `y` (year), `s` (serial)."""

    def spelled(year: int, serial: int) -> list[Spelling]:
        return [
            (office, form.format(y=year, s=serial, yy=year % 100, yy62=year - 1925, h=year - 1988), kind, "")
            for form in forms
        ]

    return spelled


def japanese_republished(year: int, serial: int) -> list[Spelling]:
    numbers = [f"WO{year}{serial:06d}", f"WO{year}/{serial:06d}", f"WO {year}/{serial:06d}"]
    return [("JP", number, "A1", "") for number in numbers]


def german_since_2004(year: int, serial: int) -> list[Spelling]:
    numbers = [
        f"10{year}{serial:06d}",
        f"10 {year} {serial // 1000:03d} {serial % 1000:03d}",
        f"DE10{year}{serial:06d}",
    ]
    return [("DE", number, "A1", "") for number in numbers]


JP_U = ("S{yy62}{s:06d}", "昭{yy62}-{s}", "{yy62}-{s:06d}", "{yy62}{s:06d}")
JP_Y = ("H{h:02d}{s:06d}", "平{h}-{s}", "{h}-{s}", "{h:02d}{s:06d}")
KR_U = ("20-{y}-{s:07d}", "{y}-{s:07d}", "{y}{s:07d}", "20{y}{s:07d}")
BR_A = ("{yy:02d}{s:05d}", "PI{yy:02d}{s:05d}", "PI {yy:02d}{s:05d}-7")
# name -> (spellings, first and last year, whether the year is part of the number, largest serial)
PUBLICATIONS: dict[str, tuple[Spell, tuple[int, int], bool, int]] = {
    "JP A": (japanese_unexamined, (1971, 2020), True, 399_999),
    "JP A1": (japanese_republished, (2001, 2021), True, 399_999),
    "JP B2": (grant("JP", "B2", 7), (2000, 2020), False, 399_999),
    "JP U": (yearly("JP", "U", *JP_U), (1971, 1988), True, 199_999),
    "JP Y2": (yearly("JP", "Y2", *JP_Y), (1989, 1995), True, 199_999),
    "US A1": (american_application, (2001, 2024), True, 399_999),
    "US B2": (grant("US", "B2", 8), (2001, 2024), False, 399_999),
    "US E": (lettered("US", "RE", "E", "Re. ", "E"), (2001, 2024), False, 49_999),
    "US S": (lettered("US", "D", "S1", "D0"), (2001, 2024), False, 399_999),
    "US P": (lettered("US", "PP", "P2", "PP0"), (2001, 2024), False, 39_999),
    "US H": (lettered("US", "H", "H1", "H000"), (2001, 2024), False, 2_293),
    "WO A1": (international, (1978, 2024), True, 399_999),
    "EP A1": (plain("EP", "A1", 100_000, "0", "EP 0"), (1978, 2024), False, 399_999),
    "EP B1": (grant("EP", "B1", 7), (2000, 2020), False, 399_999),
    "KR A": (korean, (1983, 2024), True, 399_999),
    "KR U": (yearly("KR", "U", *KR_U), (1983, 2024), True, 399_999),
    "KR B1": (yearly("KR", "B1", "10-{s:07d}", "10{s:07d}", "{s:07d}", "KR10{s:07d}B1"), (2000, 2020), False, 399_999),
    "KR Y1": (yearly("KR", "Y1", "20-{s:07d}", "20{s:07d}", "{s:07d}"), (2000, 2020), False, 399_999),
    "CN A": (plain("CN", "A", 100_000_000), (2007, 2024), False, 399_999),
    "CN U": (plain("CN", "U", 201_000_000), (2007, 2024), False, 399_999),
    "DE A1": (german_since_2004, (2004, 2024), True, 399_999),
    "DE U1": (yearly("DE", "U1", "{yy}{s:05d}", "G{yy}{s:05d}", "G {yy} {s:05d}"), (1975, 1994), True, 99_999),
    "FR A1": (plain("FR", "A1", 2_500_000), (1980, 2024), False, 399_999),
    "GB A": (grant("GB", "A", 7), (1979, 2020), False, 399_999),
    "CA A1": (plain("CA", "A1", 2_000_000), (1990, 2024), False, 399_999),
    "TW B": (yearly("TW", "B", "I{s:06d}", "I{s}", "TWI{s:06d}B"), (2004, 2024), False, 399_999),
    "BR A": (yearly("BR", "A", *BR_A), (1980, 2011), True, 99_999),
    "AT T": (plain("AT", "T", 200_000, "E"), (1980, 2024), False, 399_999),
    "RU C1": (plain("RU", "C1", 2_000_000), (1994, 2024), False, 399_999),
    "AU B2": (yearly("AU", "B2", "{y}{s:06d}", "AU{y}{s:06d}"), (2002, 2024), True, 399_999),
}  # fmt: skip


Application = tuple[
    str, str, str, str, bool
]  # office, number, day of filing, kind, whether the EPO shortened it
SpellApplication = Callable[[int, int], list[Application]]


def american(series_of: dict[int, int], kind: str, kind_of_docdb: str) -> SpellApplication:
    """The series by the year of filing."""

    def spelled(year: int, serial: int) -> list[Application]:
        series, day = series_of[year], f"{year}-05-06"
        serial += 100_000
        numbers = [
            f"{series}/{serial // 1000},{serial % 1000:03d}",
            f"{series:02d}/{serial}",
            f"{series:02d}{serial}",
        ]
        found = [("US", number, day, kind, False) for number in numbers]
        found += [("US", f"{year}{series:02d}{serial}", day, kind_of_docdb, docdb) for docdb in (False, True)]
        found += [("US", f"{year}{serial:07d}{kind_of_docdb if kind_of_docdb != 'A' else ''}", "", "", False)]
        if year < 2010:
            found.append(("US", f"{serial}{year % 100:02d}", day, kind_of_docdb, True))
        return found

    return spelled


def filed(office: str, *forms: str, kind: str = "", docdb: str = "", undated: str = "") -> SpellApplication:
    """By format strings of `y` (year), `yy` (two digits), `s` (serial), `e` (of the emperor), `roc` (since 1911)."""

    def spelled(year: int, serial: int) -> list[Application]:
        day, era = f"{year}-05-06", year - 1988 if year > 1988 else year - 1925
        values = {
            "y": year,
            "yy": year % 100,
            "s": serial,
            "e": era,
            "roc": year - 1911,
            "d": year - 50 - 1900,
        }

        def said(form: str, when: str, is_docdb: bool) -> Application:
            return office, form.format(**values), when, kind, is_docdb

        found = [said(form, day, False) for form in forms]
        found += [said(docdb, day, True)] if docdb else []
        return found + ([said(undated, "", False)] if undated else [])

    return spelled


SERIES = {
    1994: 8,
    1999: 9,
    2003: 10,
    2006: 11,
    2009: 12,
    2012: 13,
    2014: 14,
    2016: 15,
    2019: 16,
    2021: 17,
    2023: 18,
}
PROVISIONAL = {**dict.fromkeys(range(1996, 2007), 60), **dict.fromkeys(range(2008, 2012), 61)}
DESIGN = dict.fromkeys(range(1996, 2021), 29)
# name -> (spellings, first and last year, largest serial)
APPLICATIONS: dict[str, tuple[SpellApplication, tuple[int, int], int]] = {
    **{f"US {year}": (american(SERIES, "", "A"), (year, year), 899_999) for year in SERIES},
    "US P": (american(PROVISIONAL, "", "P"), (1996, 2006), 899_999),
    "US F": (american(DESIGN, "", "F"), (1997, 2020), 899_999),
    "JP 1998": (filed("JP", "平{e}-{s:06d}", "{e}-{s:06d}", "特願平{e}-{s}", "HEI {e}-{s}", "{s:06d}/{yy:02d}",
                      docdb="{s}{yy:02d}", undated="{y}{s:07d}"), (1990, 1999), 399_999),
    "JP 2004": (filed("JP", "{y}-{s:06d}", "P{y}-{s:06d}", "特願{y}-{s}", "{y}{s:06d}", "{s:06d}/{y}",
                      docdb="{y}{s:06d}", undated="{y}{s:07d}"), (2000, 2024), 399_999),
    "JP U": (filed("JP", "実願{y}-{s:06d}", "{y}{s:06d}", kind="U"), (2000, 2024), 99_999),
    "KR": (filed("KR", "10-{y}-{s:07d}", "10{y}{s:07d}", "{y}-{s:07d}", docdb="{y}{s:07d}", undated="{y}{s:07d}"),
           (1985, 2024), 399_999),
    "KR U": (filed("KR", "20-{y}-{s:07d}", "20{y}{s:07d}", docdb="{y}{s:07d}", kind="U"), (1999, 2024), 99_999),
    "CN": (filed("CN", "{y}1{s:07d}.X", "{y}1{s:07d}", "{y}1{s:07d}5", docdb="{y}1{s:07d}", undated="{y}1{s:07d}"),
           (2004, 2024), 399_999),
    "CN U": (filed("CN", "{y}2{s:07d}.4", docdb="{y}2{s:07d}", undated="{y}2{s:07d}"), (2004, 2024), 399_999),
    "CN 1998": (filed("CN", "{yy:02d}1{s:05d}.7", "{yy:02d}1{s:05d}", docdb="{yy:02d}1{s:05d}"), (1986, 2003), 99_999),
    "EP": (filed("EP", "{yy:02d}{s:06d}.8", "{yy:02d}{s:06d}", docdb="{yy:02d}{s:06d}", undated="{y}{s:07d}"),
           (1979, 2024), 399_999),
    "GB": (filed("GB", "{yy:02d}{s:05d}.6", "{yy:02d}{s:05d}", "{y}{s:07d}", docdb="{yy:02d}{s:05d}"),
           (1980, 2024), 99_999),
    "DE 2004": (filed("DE", "10 {y} {s:06d}.5", "10{y}{s:06d}.5", "10{y}{s:06d}", docdb="10{y}{s:06d}",
                      undated="{y}1{s:06d}"), (2004, 2024), 199_999),
    "DE 1998": (filed("DE", "1{yy:02d} {s:05d}.3", "1{yy:02d}{s:05d}", docdb="1{yy:02d}{s:05d}",
                      undated="{y}10{s:05d}"), (1995, 2003), 79_999),
    "DE 1990": (filed("DE", "P {d} {s:05d}.1", "{d}{s:05d}", docdb="{d}{s:05d}", undated="{y}{d}{s:05d}"),
                (1980, 1994), 99_999),
    "FR": (filed("FR", "{yy:02d} {s:05d}", "{yy:02d}{s:05d}", docdb="{yy:02d}{s:05d}"), (1980, 2024), 99_999),
    "TW": (filed("TW", "{roc:03d}{s:06d}", "{roc}{s:06d}A", docdb="{roc}{s:06d}", undated="{y}{s:07d}"),
           (1991, 2024), 399_999),
    "CH": (filed("CH", "{s:04d}/{yy:02d}", "{s:05d}/{yy:02d}", "{s}/{y}", "{y}{s:07d}", docdb="{s}{y}"),
           (2000, 2024), 9_999),
    "CH 1998": (filed("CH", "{s:04d}/{yy:02d}", docdb="{s}{yy:02d}"), (1980, 1999), 4_999),
    "AT": (filed("AT", "A {s}/{y}", "A {s:04d}/{y}", docdb="{s}{y}", undated="{y}{s:07d}"), (2000, 2024), 2_500),
    "IT": (filed("IT", "MI{y}A{s:06d}", docdb="MI{y}{s:04d}", undated="{y}MI{s:05d}"), (1990, 2016), 9_999),
    "AU": (filed("AU", "PQ{s:04d}", docdb="PQ{s:04d}{yy:02d}"), (1999, 1999), 9_999),
    "BR": (filed("BR", "PI {yy:02d}{s:05d}-7", "PI{yy:02d}{s:05d}", docdb="{yy:02d}{s:05d}", undated="{y}{s:07d}"),
           (1980, 2011), 99_999),
    "IN": (filed("IN", "{s}/MUM/{y}", docdb="{s}MU{y}", undated="{y}MU{s:05d}"), (2000, 2015), 9_999),
    "MX": (filed("MX", "PA/a/{y}/{s:06d}", docdb="PA{yy:02d}{s:06d}", undated="{y}PA{s:05d}"), (2000, 2005), 99_999),
    "RU": (filed("RU", "{y}{s:06d}/14", "{y}{s:06d}", docdb="{y}{s:06d}"), (1994, 2024), 199_999),
    "NO": (filed("NO", "{y}{s:04d}", docdb="{y}{s:04d}", undated="{y}{s:07d}"), (2000, 2015), 9_999),
    "SE": (filed("SE", "{yy:02d}{s:05d}-5", docdb="{yy:02d}{s:05d}"), (1980, 2015), 99_999),
    "ES": (filed("ES", "P{y}{s:05d}", docdb="{y}{s:05d}", undated="{y}{s:07d}"), (2000, 2018), 99_999),
    "PT": (filed("PT", "1{s:05d}", docdb="1{s:05d}{yy:02d}", undated="{y}01{s:05d}"), (2005, 2024), 99_999),
    "IL": (filed("IL", "{s:06d}", docdb="{s:06d}{yy:02d}", undated="{y}{s:07d}"), (1990, 2024), 299_999),
    "NZ": (filed("NZ", "{s:06d}", docdb="{s:06d}{yy:02d}", undated="{y}{s:07d}"), (1990, 2024), 799_999),
    "CZ 1998": (filed("CZ", "PV {s}-{yy:02d}", "PV {y}-{s}", docdb="{s:04d}{yy:02d}", undated="{y}{s:07d}"),
                (1993, 1999), 1_899),
    "DK 1998": (filed("DK", "{s:04d}/{yy:02d}", "PA {y} {s:05d}", docdb="{s:04d}{yy:02d}", undated="{y}{s:07d}"),
                (1980, 1999), 4_999),
    "ZA 1998": (filed("ZA", "{yy:02d}/{s:04d}", docdb="{yy:02d}{s:04d}", undated="{y}{s:07d}"), (1980, 1999), 9_999),
    "IE": (filed("IE", "S{yy:02d}{s:04d}", docdb="{yy:02d}{s:04d}", undated="{y}{s:07d}"), (1993, 1999), 1_999),
    "IT 1998": (filed("IT", "RM{yy:02d}A{s:06d}", docdb="RM{yy:02d}{s:04d}", undated="{y}RM{s:05d}"),
                (1980, 1999), 3_999),
    "RO": (filed("RO", "{yy:02d}-{s:05d}", docdb="{yy:02d}{s:05d}", undated="{y}{s:07d}"), (1990, 1999), 1_999),
    "DE 1964": (filed("DE", "B {s}", "B{s}", docdb="B{s:07d}", undated="{y}B{s:06d}"), (1964, 1964), 99_999),
    "DE 1964 S": (filed("DE", "S {s}", docdb="S{s:07d}", undated="{y}S{s:06d}"), (1964, 1964), 99_999),
    "NL": (filed("NL", "1{s:06d}", docdb="1{s:06d}", undated="{y}1{s:06d}"), (1998, 2020), 99_999),
}  # fmt: skip
