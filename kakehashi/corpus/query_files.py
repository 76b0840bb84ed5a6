"""Queries of one's own, without judgments: a file of JSON lines, or a folder of text files."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from kakehashi.corpus import lines
from kakehashi.corpus.ids import refuse_bad_id
from kakehashi.corpus.json_lines import read_records
from kakehashi.errors import FileError
from kakehashi.types import Text

TEXT_FILES = (".txt", ".text", ".md")


class _Query(msgspec.Struct, frozen=True):
    """As a text of a collection, but its language may be left out."""

    id: str
    text: str
    lang: str = ""
    title: str = ""
    meta: dict[str, object] = {}


_decoder = msgspec.json.Decoder(_Query)


def read_queries(path: Path, lang: str) -> list[Text]:
    """Queries in the language `lang` unless they say otherwise; a text file is a query named like the file."""
    found = list(_of_folder(path, lang) if path.is_dir() else _of_lines(path, lang))
    if not found:
        needed = f"no text files ({', '.join(TEXT_FILES)})" if path.is_dir() else "no queries"
        raise FileError(path, None, f"holds {needed}")
    seen: set[str] = set()
    for query in found:
        if query.id in seen:
            raise FileError(path, None, f"holds two queries with the id '{query.id}': rename one")
        seen.add(query.id)
    return found


def read_query_text(path: Path) -> str:
    """One query from a text file; `-` is standard input."""
    text = lines.read_text(path)
    if "\0" in text:
        raise FileError(path, None, "is not a text file: convert it to UTF-8 text")
    if not text.strip():
        raise FileError(path, None, "holds no text to search with")
    return text.removeprefix("\ufeff")


def _of_folder(path: Path, lang: str) -> Iterator[Text]:
    for file in sorted(path.iterdir()):
        if file.suffix.lower() in TEXT_FILES and file.is_file() and not file.name.startswith("."):
            if file.stem.split() != [file.stem]:
                raise FileError(
                    file, None, "its name is the query's id, which must not hold blanks: rename it"
                )
            yield Text(file.stem, lang, read_query_text(file))


def _of_lines(path: Path, lang: str) -> Iterator[Text]:
    if not path.exists():
        raise FileError(path, None, "is not there: give a .jsonl file or a folder of text files")
    if not lines.stem(path).endswith((".jsonl", ".ndjson")):
        raise FileError(path, None, "is neither a .jsonl file nor a folder of text files")
    for number, query in read_records(path, _decoder, "query"):
        refuse_bad_id(f"{path}:{number}", query.id)
        if not (query.text.strip() or query.title.strip()):
            raise FileError(path, number, f"query '{query.id}' is empty")
        yield Text(query.id, query.lang or lang, query.text, query.title, query.meta)
