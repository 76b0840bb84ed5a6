"""Topics and documents in TREC's tagged form or as `id TAB text`; judgments and runs are in `trec`.

Tags of the old files are often not closed and their fields have labels (`<num> Number: 301`), so this is not
XML. Files written here are escaped so that they read back exactly.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from kakehashi.corpus import lines
from kakehashi.corpus.ids import refuse_bad_id
from kakehashi.corpus.writing import encoded
from kakehashi.errors import FileError
from kakehashi.types import Text

MAX_RECORD = lines.MAX_LINE  # characters of one document, or of one topics file

_TAG = re.compile(r"<(/?)([A-Za-z][\w.-]{0,40})[^<>]*>")
_FIELDS = {
    "num": "num", "number": "num", "title": "title", "desc": "desc", "description": "desc", "narr": "narr",
    "narrative": "narr",
}  # fmt: skip
_LABELS = {"num": "Number:", "title": "Topic:", "desc": "Description:", "narr": "Narrative:"}
_TITLES = {"title", "headline", "hl", "ti", "head"}


def read_topics(path: Path, lang: str, fields: Sequence[str] = ("title", "desc")) -> list[Text]:
    """The topics of a file; `title` becomes the title, the other requested fields become the text."""
    content = _whole(path)
    topics = list(_tagged_topics(path, content, lang, fields)) if content.lstrip().startswith("<") else None
    topics = topics if topics is not None else list(read_id_texts(path, lang))
    if not topics:
        raise FileError(path, None, "contains no topics")
    return topics


def _tagged_topics(path: Path, content: str, lang: str, fields: Sequence[str]) -> Iterator[Text]:
    topic: dict[str, str] | None = None
    field = ""
    start = 0
    for tag in _TAG.finditer(content):
        closing, name = tag[1], tag[2].lower()
        field_name = _FIELDS.get(re.sub(r"^[a-z]{2}-", "", name))  # CLEF writes <DE-title>
        if topic is not None and field:
            topic[field] = topic.get(field, "") + content[start : tag.start()]
        start = tag.end()
        if name in ("top", "topic"):
            if topic:
                yield _topic_text(path, 1 + content.count("\n", 0, tag.start()), topic, lang, fields)
            topic, field = (None if closing else {}), ""
        elif field_name:
            field = "" if closing else field_name
    if topic:
        raise FileError(path, None, "ends within a topic: </top> is missing")


def _topic_text(path: Path, number: int, topic: dict[str, str], lang: str, fields: Sequence[str]) -> Text:
    values = {name: _unlabelled(name, value) for name, value in topic.items()}
    if not values.get("num") or values["num"].split() != [values["num"]]:
        raise FileError(path, number, "the topic ending here has no number")
    body = [values[name] for name in fields if name != "title" and values.get(name)]
    return Text(values["num"], lang, "\n".join(body), values.get("title", "") if "title" in fields else "")


def _unlabelled(field: str, value: str) -> str:
    value, label = value.strip(), _LABELS[field]
    if value[: len(label)].lower() == label.lower():
        value = value[len(label) :].strip()
    return unescape(value)


def write_topics(path: Path, topics: Iterable[Text]) -> None:
    with lines.write_file(path) as file:
        for topic in topics:
            refuse_bad_id(str(path), topic.id)
            record = (
                f"<top>\n<num> Number: {escape(topic.id)}\n<title> Topic: {escape(topic.title)}\n"
                f"<desc> Description:\n{escape(topic.text)}\n</top>\n\n"
            )
            file.write(encoded(record, str(path)))


def read_documents(path: Path, lang: str) -> Iterator[Text]:
    """Documents as <DOC> records or `id TAB text` lines, distinguished by the first character."""
    with lines.open_bytes(path):
        pass  # report immediately that a file cannot be opened, not when its first document is requested
    first = next((line for _, line in lines.read_lines(path) if line.strip()), "")
    return _tagged_documents(path, lang) if first.lstrip().startswith("<") else read_id_texts(path, lang)


def _tagged_documents(path: Path, lang: str) -> Iterator[Text]:
    record: list[str] = []
    size = 0
    for number, line in lines.read_lines(path):
        record.append(line)
        size += len(line)
        if size > MAX_RECORD:
            raise FileError(path, number, "the document here does not end: </DOC> is missing")
        if "</doc>" in line.lower():
            *complete, rest = re.split(r"</DOC\s*>", "\n".join(record), flags=re.IGNORECASE)
            for content in complete:
                yield _document(path, number, content, lang)
            record, size = [rest], len(rest)
    if "".join(record).strip():
        raise FileError(path, None, "ends within a document: </DOC> is missing")


def _document(path: Path, number: int, content: str, lang: str) -> Text:
    """Title and text between their tags; without <TEXT>, all text that has no tag of its own."""
    parts: dict[str, list[str]] = {"docno": [], "title": [], "text": [], "": []}
    field, start = "", 0
    for tag in _TAG.finditer(content):
        parts[field].append(content[start : tag.start()])
        start = tag.end()
        name = "title" if tag[2].lower() in _TITLES else tag[2].lower()
        if name in ("docno", "title", "text"):
            if not tag[1]:
                field = name
            elif field == name:
                field = ""
    parts[field].append(content[start:])
    id = unescape("".join(parts["docno"]).strip())
    if not id or id.split() != [id]:
        raise FileError(path, number, "the document ending here has no <DOCNO>")
    text = "".join(parts["text"]) if parts["text"] else "".join(parts[""])
    return Text(id, lang, unescape(text.strip()), unescape("".join(parts["title"]).strip()))


def write_documents(path: Path, documents: Iterable[Text]) -> None:
    with lines.write_file(path) as file:
        for text in documents:
            refuse_bad_id(str(path), text.id)
            title = f"<TITLE>{escape(text.title)}</TITLE>\n" if text.title else ""
            body = f"<TEXT>\n{escape(text.text)}\n</TEXT>\n"
            record = f"<DOC>\n<DOCNO>{escape(text.id)}</DOCNO>\n{title}{body}</DOC>\n"
            file.write(encoded(record, str(path)))


def read_id_texts(path: Path, lang: str) -> Iterator[Text]:
    """`id TAB text` lines; further tabs belong to the text."""
    for number, line in lines.read_lines(path):
        if not line:
            continue
        id, tab, text = line.partition("\t")
        if not tab:
            raise FileError(path, number, "has no tab: needs id TAB text")
        if not id or id.split() != [id]:
            raise FileError(path, number, f"id {id[:60]!r} is empty or contains white space")
        yield Text(id, lang, text)


def escape(text: str) -> str:
    """Escaped for the tagged formats; white space at the ends is escaped too, because readers strip it."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\r", "&#13;")
    inner = text.strip()
    begin = text.index(inner) if inner else len(text)
    end = begin + len(inner)
    return _numbered(text[:begin]) + inner + _numbered(text[end:])


def unescape(text: str) -> str:
    names = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
    return re.sub(
        r"&(?:(amp|lt|gt|quot|apos)|#([0-9]{1,7}));", lambda m: names.get(m[1]) or _character(m[2]), text
    )


def _character(number: str) -> str:
    code = int(number)
    return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"


def _numbered(blanks: str) -> str:
    return "".join(f"&#{ord(letter)};" for letter in blanks)


def _whole(path: Path) -> str:
    content: list[str] = []
    size = 0
    for number, line in lines.read_lines(path):
        size += len(line) + 1
        if size > MAX_RECORD:
            raise FileError(path, number, f"is longer than {MAX_RECORD >> 20} MiB: this is not a topics file")
        content.append(line)
    return "\n".join(content)
