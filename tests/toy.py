"""A twelve-document Japanese-English collection whose answers a person can compute by hand.

Four documents each on batteries, cameras and engines; `fuel`, `film`, `sensor` and `circuit` occur in two
subjects, so a wrong sense costs something. A word of the title stands in the text again (tf 2), every other
word once. The qrels are exactly what `links` and `family` imply: 3 same family, 2 cited by the examiner,
1 cited by the applicant, and d10 and d11 are one family, so whoever cites one has both.
"""

from pathlib import Path

from kakehashi.corpus.collection import CollectionInfo
from kakehashi.corpus.writing import CollectionWriter
from kakehashi.types import Qrels, Text

INFO = CollectionInfo(
    name="toy",
    source_language="ja",
    target_language="en",
    description="Twelve invented patents, for tests",
    licence="Apache-2.0",
    synthetic=True,
    levels={"3": "same family", "2": "cited by the examiner", "1": "cited by the applicant"},
    mate_level=3,
    fields={
        "ipc": "keyword", "date": "date", "family": "keyword", "applicant": "keyword", "claims": "number",
        "lang": "keyword",
    },
)  # fmt: skip

# id, title, text, ipc, date, family, applicant, claims
DOCUMENTS = [
    ("d01", "electrode", "lithium battery electrode", ["H01M 4/00"], "2003-02-01", "f01", "Denchi Works", 5),
    ("d02", "separator", "battery separator film", ["H01M 50/40"], "2001-05-20", "f02", "Denchi Works", 3),
    (
        "d03",
        "charger",
        "battery charger circuit",
        ["H01M 10/44", "H02J 7/00"],
        "2000-11-11",
        "f03",
        "Volta",
        8,
    ),
    ("d04", "fuel cell", "fuel cell electrode", ["H01M 8/00", "H01M 4/00"], "2006-08-30", "f04", "Volta", 12),
    ("d05", "lens", "camera lens glass", ["G02B 9/00"], "2003-03-03", "f05", "Megane", 4),
    ("d06", "sensor", "camera image sensor", ["H04N 5/00"], "2002-07-07", "f06", "Megane", 10),
    ("d07", "display", "image display panel", ["H04N 5/00", "G09G 3/00"], "1999-01-15", "f07", "Gamen", 6),
    ("d08", "coating", "lens coating film", ["G02B 1/10"], "2001-12-24", "f08", "Gamen", 2),
    ("d09", "injection", "engine fuel injection", ["F02M 61/00"], "2004-04-04", "f09", "Kikan", 7),
    ("d10", "valve", "engine valve", ["F01L 1/00"], "1998-06-06", "f10", "Kikan", 1),
    (
        "d11",
        "exhaust",
        "engine exhaust valve sensor",
        ["F01L 1/00", "F01N 11/00"],
        "1998-06-06",
        "f10",
        "Kikan",
        9,
    ),
    ("d12", "pump", "fuel pump circuit", ["F02M 37/00"], "2004-10-10", "f12", "Volta", 11),
]

# id, title, text, English title, English text, ipc, date, family, applicant, claims
QUERIES = [
    ("j1", "電極", "リチウム電池の電極。", "electrode", "Electrode of a lithium battery.",
     ["H01M 4/00"], "2003-06-01", "f01", "Denchi Works", 5),
    ("j2", "レンズ", "カメラのレンズ。", "lens", "Lens of a camera.",
     ["G02B 9/00"], "2003-09-09", "f05", "Megane", 4),
    ("j3", "噴射", "エンジンの燃料噴射。", "injection", "Fuel injection of an engine.",
     ["F02M 61/00"], "2005-01-31", "f09", "Kikan", 7),
    ("j4", "センサ", "画像センサ。カメラのセンサ。", "sensor", "Image sensor. Sensor of a camera.",
     ["H04N 5/00"], "2006-02-28", "f06", "Megane", 10),
    ("j5", "燃料電池", "燃料電池の電極。", "fuel cell", "Electrode of a fuel cell.",
     ["H01M 8/00"], "2007-05-05", "f04", "Volta", 12),
    ("j6", "ポンプ", "燃料ポンプの回路。", "pump", "Circuit of a fuel pump.",
     ["F02M 37/00"], "2007-11-30", "f12", "Volta", 11),
]  # fmt: skip

LINKS = [
    ("j1", "d02", "examiner"), ("j1", "d03", "applicant"),
    ("j2", "d08", "examiner"), ("j2", "d06", "applicant"),
    ("j3", "d12", "examiner"), ("j3", "d10", "applicant"),
    ("j4", "d07", "examiner"), ("j4", "d11", "applicant"),
    ("j5", "d01", "examiner"), ("j5", "d12", "applicant"),
    ("j6", "d09", "examiner"), ("j6", "d03", "applicant"),
]  # fmt: skip

QRELS: dict[str, Qrels] = {
    "train": {
        "j1": {"d01": 3, "d02": 2, "d03": 1},
        "j2": {"d05": 3, "d08": 2, "d06": 1},
        "j3": {"d09": 3, "d12": 2, "d10": 1, "d11": 1},
    },
    "dev": {"j4": {"d06": 3, "d07": 2, "d11": 1, "d10": 1}},
    "test": {"j5": {"d04": 3, "d01": 2, "d12": 1}, "j6": {"d12": 3, "d09": 2, "d03": 1}},
}

# one translation for every content word of the queries, but 電池 is `battery` three times and `cell` once
PARALLEL = [
    ("電池", "battery"), ("電池の電極", "electrode of a battery"), ("リチウム電池", "lithium battery"),
    ("リチウムの電極", "electrode of lithium"), ("カメラ", "camera"), ("カメラのレンズ", "lens of a camera"),
    ("画像", "image"), ("カメラの画像", "image of a camera"), ("画像センサ", "image sensor"),
    ("エンジン", "engine"), ("エンジンの燃料", "fuel of an engine"), ("燃料噴射", "fuel injection"),
    ("燃料ポンプ", "fuel pump"), ("ポンプの回路", "circuit of a pump"),
    ("センサの回路", "circuit of a sensor"), ("燃料電池", "fuel cell"),
]  # fmt: skip


CLASS_TITLES = [
    ("H01M", "batteries; fuel cells"),
    ("G02B", "optical elements"),
    ("F02M 61/00", "fuel injectors"),
]


def toy_collection(folder: Path) -> Path:
    """Write the collection to `folder` (which must not exist yet) and return it."""
    with CollectionWriter(folder, INFO) as writer:
        for id, title, text, *meta in DOCUMENTS:
            writer.document(Text(id, "en", text, title, _meta("en", meta)))
        for id, title, text, english_title, english, *meta in QUERIES:
            writer.query(Text(id, "ja", text, title, _meta("ja", meta)))
            writer.original(Text(id, "en", english, english_title, _meta("ja", meta)))
        for split, qrels in QRELS.items():
            writer.qrels(split, qrels)
        for source, target in PARALLEL:
            writer.parallel(source, target)
        for citing, cited, kind in LINKS:
            writer.link(citing, cited, kind)
        for child, parent in _class_edges():
            writer.class_edge(child, parent)
        for code, title in CLASS_TITLES:
            writer.class_title(code, title)
    return folder


def _meta(lang: str, values: list[object]) -> dict[str, object]:
    return dict(zip(["ipc", "date", "family", "applicant", "claims"], values, strict=True)) | {"lang": lang}


def _class_edges() -> list[tuple[str, str]]:
    """H01M 4/00 under H01M under H01 under H."""
    codes = sorted({code for document in DOCUMENTS for code in document[3]})
    edges = {(code, code[:4]) for code in codes} | {(code[:4], code[:3]) for code in codes}
    return sorted(edges | {(code[:3], code[0]) for code in codes})
